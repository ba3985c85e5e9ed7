"""The responses that the bundled model learns from: right, well formed, varied in wording and in care."""

import ast
import re
from collections import Counter
from random import Random

from components.world.code_families import CODE_FAMILIES, make_code
from components.world.math_families import MATH_FAMILIES, make_math
from components.world.responses import code_response, math_response


def test_math_responses_close_the_thinking_and_box_the_answer():
    rng = Random(0)
    lengths, careful = [], 0
    for _ in range(3000):
        item = make_math(rng.choice(MATH_FAMILIES), rng)
        response = math_response(item, rng)
        thinking, final = response.split("\n</think>\n")
        assert re.findall(r"\\boxed\{(\d+)\}", final) == [str(item.answer)]
        careful += len(re.findall(r"\d ?= ?\d", thinking)) >= len(item.steps)
        lengths.append(len(response.encode()))
    assert 0.55 <= careful / 3000 <= 0.65
    assert max(lengths) <= 120


def test_worked_equations_hold():
    rng = Random(1)
    for _ in range(3000):
        item = make_math(rng.choice(MATH_FAMILIES), rng)
        thinking = math_response(item, rng).split("\n</think>\n")[0]
        if "digits of" in thinking:  # one line that is no plain equation
            continue
        for left, sign, right, value in re.findall(r"(?<![\d+*/(-])(\d+) ?([+*/-]) ?(\d+) ?= ?(\d+)", thinking):
            assert eval(f"{left}{sign}{right}") == int(value), thinking


def test_code_responses_hold_the_program_in_one_fence():
    rng = Random(2)
    planned = 0
    for _ in range(2000):
        item = make_code(rng.choice(CODE_FAMILIES), rng)
        thinking, final = code_response(item, rng).split("\n</think>\n")
        (program,) = re.findall(r"```python\n(.*?)\n```", final, re.DOTALL)
        assert ast.dump(ast.parse(program)) == ast.dump(ast.parse(item.program))  # spaces may differ, nothing else
        planned += item.expression.replace(" ", "") in thinking.replace(" ", "")
    assert 0.55 <= planned / 2000 <= 0.65


def test_one_problem_has_many_right_responses():
    item = make_math("buying", Random(3))
    rng = Random(4)
    assert len(Counter(math_response(item, rng) for _ in range(500))) > 150
