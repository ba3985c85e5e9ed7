"""The synthetic world: problems are right, determined by their generator state, and split without overlap."""

import re
from random import Random

import pytest

from components.world.code_families import CODE_FAMILIES, make_code
from components.world.math_families import MATH_FAMILIES, make_math
from components.world.split import split_of

OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


@pytest.mark.parametrize("family", MATH_FAMILIES)
def test_math_working_is_arithmetic_and_ends_in_the_answer(family):
    for seed in range(300):
        item = make_math(family, Random(seed))
        assert item == make_math(family, Random(seed))
        assert all(OPERATIONS[s.operator](s.left, s.right) == s.value for s in item.steps), item
        assert item.steps[-1].value == item.answer and 0 <= item.answer <= 999
        assert item.solution.endswith(f"$\\boxed{{{item.answer}}}$.")
        assert 20 <= len(item.statement.encode()) <= 100, item.statement


@pytest.mark.parametrize("family", MATH_FAMILIES)
def test_one_line_expression_has_the_same_value(family):
    for seed in range(300):
        item = make_math(family, Random(seed))
        expression = item.expression.replace("mod", "%")
        if expression.startswith("digits of"):
            value = sum(int(digit) for digit in str(eval(expression.removeprefix("digits of "))))
        else:
            value = eval(expression)
        assert value == item.answer, item


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text)]


@pytest.mark.parametrize(
    ("family", "solve"),
    [
        ("perimeter", lambda n: 2 * n[0] + 2 * n[1]),
        ("areas", lambda n: n[0] * n[1] + n[2] ** 2),
        ("remainder", lambda n: n[0] * n[1] % n[2]),
        ("digits", lambda n: sum(divmod(n[0] + n[1], 10))),
        ("ages", lambda n: n[0] * n[1] + n[2]),
    ],
)
def test_answer_follows_from_the_statement_alone(family, solve):
    for seed in range(200):
        item = make_math(family, Random(seed))
        assert solve(numbers(item.statement)) == item.answer, item


def test_two_numbers_and_equation_have_the_answer_as_their_solution():
    for seed in range(200):
        item = make_math("two_numbers", Random(seed))
        total, gap = numbers(item.statement)[:2]
        assert abs(item.answer - (total - item.answer)) == gap
        assert (2 * item.answer > total) == ("larger" in item.statement or "largest" in item.statement)
        item = make_math("equation", Random(seed))
        text = item.statement
        factor, extra, result = (
            (numbers(text)[1], numbers(text)[2], numbers(text)[0]) if text.startswith("Find") else numbers(text)
        )
        assert factor * item.answer + extra == result, item


@pytest.mark.parametrize("family", (*MATH_FAMILIES, *CODE_FAMILIES))
def test_a_family_has_many_problems_in_every_split(family):
    make = make_math if family in MATH_FAMILIES else make_code
    rng = Random(0)
    statements = {make(family, rng).statement for _ in range(2000)}
    sizes = {split: sum(split_of(s) == split for s in statements) for split in ("pretrain", "pool", "benchmark")}
    assert sizes["pretrain"] > sizes["pool"] > sizes["benchmark"] > 20, sizes


def test_split_shares_and_that_case_and_spacing_do_not_matter():
    rng = Random(1)
    splits = [split_of(make_math(rng.choice(MATH_FAMILIES), rng).statement) for _ in range(6000)]
    assert splits.count("pretrain") / 6000 == pytest.approx(0.5, abs=0.03)
    assert splits.count("pool") / 6000 == pytest.approx(0.3, abs=0.03)
    statement = "Find the remainder of 7 * 8 divided by 5."
    assert split_of(statement) == split_of("  find THE remainder of 7 * 8\ndivided by 5. ")
