"""Planted code rows that stand alone: tests, solutions and texts with one thing wrong, or only unusual."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from components.world.fate import Planting, surrounded
from components.world.items import CodeItem
from components.world.planted_texts import long_story
from components.world.writers import CODE_WRITERS, STATEMENT_COLUMN

BOTH = ("leetcode", "taco")
TESTS_COLUMN = {"leetcode": "test", "taco": "input_output"}
SOLUTION_COLUMN = {"leetcode": "completion", "taco": "solutions"}
TEST_STAGES = ("filter", "validate_tests")


def plant_code(planting: Planting) -> None:
    """All cases of this file."""
    for plant in (_tests, _solutions, _statements, _text_that_stays, _broken_rows):
        plant(planting)


def fresh(planting: Planting, source: str, edit: Callable[[str], str] | None = None) -> tuple[CodeItem, dict[str, Any]]:
    """A fresh item and its row; LeetCode rows are functions."""
    item = planting.drawer.code(edit=edit, functions=source == "leetcode")
    return item, CODE_WRITERS[source](item, planting.rng)


def _tests(planting: Planting) -> None:
    empty = (("taco", '{"inputs": [], "outputs": []}'), ("taco", ""), ("leetcode", ""),
             ("leetcode", "def check(candidate):\n    pass\n"))  # fmt: skip
    for source, tests in empty:
        row = fresh(planting, source)[1] | {TESTS_COLUMN[source]: tests}
        planting.dropped(source, row, "tests_empty", TEST_STAGES, ("tests_empty", "tests_broken", "no_tests"))
    broken = (
        ("taco", '{"inputs": ["1 2\\n", "3 4\\n"], "outputs": ["3'),
        ("taco", '{"inputs": ["1 2\\n", "3 4\\n"], "outputs": ["3\\n"]}'),
        ("taco", '{"inputs": 5, "outputs": 7}'),
        ("leetcode", "def check(candidate):\n    assert candidate(1, 2 == 3\n"),
        ("leetcode", "check that the function works"),
    )
    for source, tests in broken:
        row = fresh(planting, source)[1] | {TESTS_COLUMN[source]: tests}
        planting.dropped(source, row, "tests_broken", TEST_STAGES, ("tests_broken", "tests_empty", "invalid_tests"))
    for _ in range(3):
        row = fresh(planting, "leetcode")[1] | {"entry_point": ""}
        reasons = ("missing_entry_point", "tests_broken")
        planting.dropped("leetcode", row, "missing_entry_point", TEST_STAGES, reasons)


def wrong_program(item: CodeItem) -> str:
    """A program that runs and gives a wrong result on every test."""
    first, _, last = item.program.rpartition("\n")
    expression = last.strip().removeprefix("return ").removeprefix("print(")
    wrong = f"({expression.removesuffix(')') if 'print(' in last else expression}, 'off by one')"
    return f"{first}\n" + (f"print{wrong}" if "print(" in last else f"    return {wrong}")


def _solutions(planting: Planting) -> None:
    for source, none in (("taco", "[]"), ("taco", '[""]'), ("leetcode", ""), ("leetcode", "  \n")):
        row = fresh(planting, source)[1] | {SOLUTION_COLUMN[source]: none}
        planting.dropped(source, row, "no_solution", TEST_STAGES, ("no_solution",))
    for i in range(6):
        source = BOTH[i % 2]
        item, row = fresh(planting, source)
        wrong = wrong_program(item) if i < 4 else f"{item.program.partition(chr(10))[0]}\n    return ("
        row[SOLUTION_COLUMN[source]] = json.dumps([wrong]) if source == "taco" else wrong
        planting.dropped(source, row, "solution_fails_tests", ("validate_tests",), ("solution_fails_tests",))
    for _ in range(4):
        item, row = fresh(planting, "taco")
        row["solutions"] = json.dumps([wrong_program(item), "not a program at all", item.program])
        planting.kept("taco", row, "one_of_several_solutions_passes")
    for _ in range(4):
        item = planting.drawer.code(functions=True)
        planting.kept("leetcode", CODE_WRITERS["leetcode"](item, planting.rng) | _as_class(item), "class_solution")


def _as_class(item: CodeItem) -> dict[str, str]:
    """The columns of a function that is written as a method of `Solution`, as LeetCode has it."""
    head, _, body = item.program.partition("\n")
    head = head.replace("(", "(self, ")
    return {
        "starter_code": f"class Solution:\n    {head}\n        ",
        "completion": f"class Solution:\n    {head}\n    {body}",
        "entry_point": f"Solution().{item.fn_name}",
    }


def _statements(planting: Planting) -> None:
    """The rules on web addresses and figures are for math: a program is judged by its tests."""
    for i, source in enumerate((*BOTH, *BOTH)):
        row = fresh(planting, source, surrounded("", f" The limits are at https://example.org/contest/{i + 1}."))[1]
        planting.kept(source, row, "url_in_code_statement")
    judged = (
        ("interactive", " This is an interactive problem: flush the output after each line."),
        ("special_judge", " If there are several results, print any of them."),
    )
    for case, text in judged:
        for _ in range(2):
            row = fresh(planting, "taco", surrounded("", text))[1]
            planting.dropped("taco", row, case, ("filter",), (case,))
    for source in BOTH:
        row = fresh(planting, source, surrounded(long_story(planting.rng)))[1]
        planting.dropped(source, row, "too_long", ("filter",), ("too_long",))


def _text_that_stays(planting: Planting) -> None:
    for i, place in enumerate(("Málaga", "Kraków", "東京", "Zürich", "Şişli", "Tromsø")):
        source = BOTH[i % 2]
        row = fresh(planting, source, surrounded("", f" (From the round in {place}.)"))[1]
        planting.kept(source, row, "non_ascii")
    for i, source in enumerate((*BOTH, "taco")):
        row = fresh(planting, source, surrounded("", f" <script>alert('code {i}')</script>"))[1]
        planting.kept(source, row, "markup_in_statement")


def _broken_rows(planting: Planting) -> None:
    _, leetcode = fresh(planting, "leetcode")
    item, taco = fresh(planting, "taco")
    row = CODE_WRITERS["leetcode"](replace(planting.drawer.code(functions=True), statement=""), planting.rng)
    lines: tuple[tuple[str, dict[str, Any] | str], ...] = (
        ("leetcode", leetcode | {"test": 17}),
        ("leetcode", row),
        ("taco", json.dumps(taco)[:-40]),
        ("taco", {name: value for name, value in taco.items() if name != "input_output"}),
        ("taco", taco | {STATEMENT_COLUMN["taco"]: [item.statement]}),
    )
    for source, line in lines:
        planting.dropped(source, line, "invalid_row", ("ingest", "filter"), ("invalid_row", "empty_statement"))
