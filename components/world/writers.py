"""Write items of the synthetic world as rows of the seven sources, in each one's published columns."""

import json
from random import Random
from typing import Any

from components.world.items import PEOPLE, CodeItem, MathItem

Row = dict[str, Any]

SUBSETS = ("olympiads", "amc_aime", "aops_forum", "cn_contest", "olympiads_ref", "number_theory", "inequalities")
PROBLEM_TYPES = {
    "perimeter": "Geometry", "areas": "Geometry", "remainder": "Number Theory", "digits": "Number Theory",
    "consecutive": "Number Theory", "sharing": "Combinatorics",
}  # fmt: skip
PEOPLE_NAMES = [name for name, _ in PEOPLE]
IMPORTS = "import math\nfrom typing import *\nfrom collections import *\n"


def numinamath(item: MathItem, rng: Random) -> Row:
    return {
        "problem": item.statement,
        "solution": item.solution,
        "answer": str(item.answer),
        "problem_type": PROBLEM_TYPES.get(item.family, "Algebra"),
        "question_type": "math-word-problem",
        "problem_is_valid": "Yes",
        "solution_is_valid": "Yes",
        "source": rng.choice(SUBSETS),
        "synthetic": False,
    }


def deepscaler(item: MathItem, rng: Random) -> Row:
    return {"problem": item.statement, "answer": str(item.answer), "solution": item.solution}


def still3(item: MathItem, rng: Random) -> Row:
    return {"question": item.statement, "answer": str(item.answer)}


def omni_math(item: MathItem, rng: Random) -> Row:
    return {
        "domain": [f"Mathematics -> {PROBLEM_TYPES.get(item.family, 'Algebra')} -> {item.family.replace('_', ' ')}"],
        "difficulty": rng.choice((1.0, 1.5, 2.0, 2.5)),
        "problem": item.statement,
        "solution": item.solution,
        "answer": str(item.answer),
        "source": rng.choice(("tiny_olympiad", "tiny_regional", "tiny_final")),
    }


def aime_history(item: MathItem, rng: Random) -> Row:
    year, number, part = rng.randint(1983, 2023), rng.randint(1, 15), rng.choice(("I", "II"))
    in_parts = year >= 2000
    return {
        "ID": f"{year}-{part}-{number}" if in_parts else f"{year}-{number}",
        "Year": year,
        "Problem Number": number,
        "Question": item.statement,
        "Answer": str(item.answer),
        "Part": part if in_parts else None,
    }


def leetcode(item: CodeItem, rng: Random) -> Row:
    """Function items only; the tests become assertions inside `check(candidate)`."""
    names = item.starter_code.partition("(")[2].removesuffix("):").split(", ")
    calls = [
        (", ".join(f"{name} = {value!r}" for name, value in zip(names, arguments, strict=True)), repr(output))
        for arguments, output in zip(item.tests["inputs"], item.tests["outputs"], strict=True)
    ]
    asserts = "".join(f"    assert candidate({given}) == {output}\n" for given, output in calls)
    number = rng.randint(5000, 9999)
    return {
        "task_id": f"{item.family}-{number}",
        "question_id": number,
        "difficulty": rng.choice(("Easy", "Easy", "Medium", "Hard")),
        "tags": [item.family.title()],
        "problem_description": item.statement,
        "starter_code": item.starter_code,
        "estimated_date": f"20{rng.randint(15, 23)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        "prompt": IMPORTS,
        "completion": item.program,
        "entry_point": item.fn_name,
        "test": f"def check(candidate):\n{asserts}",
        "input_output": [{"input": given, "output": output} for given, output in calls],
    }


def taco(item: CodeItem, rng: Random) -> Row:
    """Tests and solutions are JSON texts; about half of the function items wrap each output in a list, as TACO does."""
    tests = {name: item.tests[name] for name in ("inputs", "outputs")}
    if item.fn_name:
        wrap = rng.random() < 0.5
        tests = {"fn_name": item.fn_name, **tests, "outputs": [[o] if wrap else o for o in tests["outputs"]]}
    return {
        "question": item.statement,
        "solutions": json.dumps([item.program]),
        "starter_code": item.starter_code,
        "input_output": json.dumps(tests),
        "difficulty": rng.choice(("EASY", "EASY", "MEDIUM", "UNKNOWN_DIFFICULTY")),
        "raw_tags": str([item.family]),
        "name": None,
        "source": rng.choice(("codeforces", "codewars", "aizu")),
        "tags": str([item.family.title()]),
        "skill_types": "[]",
        "url": None,
        "Expected Auxiliary Space": None,
        "time_limit": "2.0 seconds",
        "date": None,
        "picture_num": None,
        "memory_limit": "256.0 megabytes",
        "Expected Time Complexity": None,
    }


MATH_WRITERS = {
    "numinamath": numinamath, "deepscaler": deepscaler, "still3": still3, "omni_math": omni_math,
    "aime_history": aime_history,
}  # fmt: skip
CODE_WRITERS = {"leetcode": leetcode, "taco": taco}
SOURCES = (*MATH_WRITERS, *CODE_WRITERS)
"""In the order of the recipe: of two equal problems the later one is the duplicate."""
STATEMENT_COLUMN = {
    "numinamath": "problem", "deepscaler": "problem", "still3": "question", "omni_math": "problem",
    "aime_history": "Question", "leetcode": "problem_description", "taco": "question",
}  # fmt: skip
ANSWER_COLUMN = {"numinamath": "answer", "deepscaler": "answer", "still3": "answer", "omni_math": "answer",
                 "aime_history": "Answer"}  # fmt: skip


def tiny_math_row(item: MathItem, number: int) -> Row:
    """A row of the bundled math benchmark, as evaluation files of AIME have it."""
    return {"id": f"tiny-math-{number}", "problem": item.statement, "answer": str(item.answer), "family": item.family}


def tiny_code_row(item: CodeItem, number: int, num_public: int = 2) -> Row:
    """A row of the bundled code benchmark, in the columns of LiveCodeBench; the hidden tests are plain JSON text."""
    kind = "functional" if item.fn_name else "stdin"
    cases = []
    for given, output in zip(item.tests["inputs"], item.tests["outputs"], strict=True):
        if item.fn_name:
            given, output = "\n".join(json.dumps(argument) for argument in given), json.dumps(output)
        cases.append({"input": given, "output": output, "testtype": kind})
    return {
        "question_title": f"{item.family} {number}",
        "question_content": item.statement,
        "platform": "tiny",
        "question_id": f"tiny-code-{number}",
        "contest_id": "tiny",
        "contest_date": f"2024-{1 + number % 12:02}-{1 + number % 28:02}T00:00:00",
        "starter_code": item.starter_code,
        "difficulty": "easy",
        "public_test_cases": json.dumps(cases[:num_public]),
        "private_test_cases": json.dumps(cases[num_public:]),
        "metadata": json.dumps({"func_name": item.fn_name} if item.fn_name else {}),
        "family": item.family,
    }
