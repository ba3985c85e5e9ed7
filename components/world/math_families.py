"""Families of short math word problems: two or three steps, small whole numbers, answers from 0 to 999 as in AIME.

Every family draws names, things, numbers and one of several phrasings from a `random.Random`, so the same
generator state gives the same problem.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from components.world.items import OBJECTS, PEOPLE, MathItem, Step


@dataclass(frozen=True, slots=True)
class Draft:
    """What a family function draws: the text, its working and the computation on one line."""

    statement: str
    steps: tuple[Step, ...]
    expression: str


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv
}  # fmt: skip


def _step(left: int, sign: str, right: int) -> Step:
    return Step(left, sign, right, _OPERATIONS[sign](left, right))


def _buying(rng: Random) -> Draft:
    (name, pronoun), thing = rng.choice(PEOPLE), rng.choice(OBJECTS)
    have, bags, each = rng.randint(2, 30), rng.randint(2, 9), rng.randint(2, 9)
    text = rng.choice(
        (
            f"{name} has {have} {thing} and buys {bags} bags of {each} {thing}. How many {thing} does {pronoun} have?",
            f"{name} owns {have} {thing}. {pronoun.title()} gets {bags} boxes with {each} {thing} each. How many now?",
            f"How many {thing} has {name} with {have} {thing} and {bags} packs of {each} {thing}?",
        )
    )
    product = _step(bags, "*", each)
    return Draft(text, (product, _step(have, "+", product.value)), f"{have}+{bags}*{each}")


def _giving(rng: Random) -> Draft:
    (name, pronoun), thing = rng.choice(PEOPLE), rng.choice(OBJECTS)
    friends, each = rng.randint(2, 9), rng.randint(2, 9)
    have = friends * each + rng.randint(0, 30)
    text = rng.choice(
        (
            f"{name} has {have} {thing} and gives {each} to each of {friends} friends. How many {thing} are left?",
            f"From {have} {thing}, {name} gives {friends} friends {each} each. How many does {pronoun} keep?",
            f"{friends} friends each take {each} of the {have} {thing} of {name}. How many {thing} remain?",
        )
    )
    product = _step(friends, "*", each)
    return Draft(text, (product, _step(have, "-", product.value)), f"{have}-{friends}*{each}")


def _sharing(rng: Random) -> Draft:
    (first, _), (second, _) = rng.sample(PEOPLE, 2)
    thing, children, each = rng.choice(OBJECTS), rng.randint(2, 9), rng.randint(2, 9)
    total = children * each
    mine = rng.randint(1, total - 1)
    text = rng.choice(
        (
            f"{first} has {mine} {thing}, {second} has {total - mine}. They share all among {children} children. "
            f"How many each?",
            f"{mine} and {total - mine} {thing} are put in {children} equal bags. How many {thing} are in a bag?",
            f"{children} children share {mine} {thing} of {first} and {total - mine} of {second}. How many each?",
        )
    )
    steps = (_step(mine, "+", total - mine), _step(total, "/", children))
    return Draft(text, steps, f"({mine}+{total - mine})/{children}")


def _ages(rng: Random) -> Draft:
    (name, _), (parent, times) = rng.choice(PEOPLE), (rng.choice(("father", "mother", "aunt")), rng.randint(2, 6))
    age, years = rng.randint(3, 12), rng.randint(2, 20)
    text = rng.choice(
        (
            f"{name} is {age}. The {parent} of {name} is {times} times as old. How old is the {parent} in {years} "
            f"years?",
            f"{name} is {age} and has a {parent} {times} times as old. Find the age of the {parent} in {years} years.",
        )
    )
    product = _step(age, "*", times)
    return Draft(text, (product, _step(product.value, "+", years)), f"{age}*{times}+{years}")


def _perimeter(rng: Random) -> Draft:
    width, length = rng.randint(2, 30), rng.randint(2, 30)
    thing, unit = rng.choice(("rectangle", "garden", "field", "table", "room")), rng.choice(("m", "cm", "km", "feet"))
    text = rng.choice(
        (
            f"A {thing} is {width} {unit} wide and {length} {unit} long. What is its perimeter?",
            f"Find the perimeter of a {thing} of {width} by {length} {unit}.",
            f"How long is a fence around a {width} {unit} by {length} {unit} {thing}?",
        )
    )
    total = _step(width, "+", length)
    return Draft(text, (total, _step(2, "*", total.value)), f"2*({width}+{length})")


def _areas(rng: Random) -> Draft:
    width, length, side = rng.randint(2, 9), rng.randint(2, 9), rng.randint(2, 9)
    thing = rng.choice(("rectangle", "garden", "field", "room"))
    text = rng.choice(
        (
            f"A {thing} is {width} by {length} and a square has side {side}. Find the sum of their areas.",
            f"What is the total area of a {width} by {length} {thing} and a square of side {side}?",
        )
    )
    first, second = _step(width, "*", length), _step(side, "*", side)
    steps = (first, second, _step(first.value, "+", second.value))
    return Draft(text, steps, f"{width}*{length}+{side}*{side}")


def _travel(rng: Random) -> Draft:
    vehicle, hours, speed, more = (
        rng.choice(("car", "bus", "bike", "boat", "train")), rng.randint(2, 9), rng.randint(2, 12), rng.randint(2, 30)
    )  # fmt: skip
    text = rng.choice(
        (
            f"A {vehicle} goes {hours} hours at {speed} km/h and then {more} km more. How far does it go?",
            f"After {more} km a {vehicle} goes {hours} hours at {speed} km an hour. How many km in total?",
            f"How far is {more} km plus {hours} hours by {vehicle} at {speed} km/h?",
        )
    )
    product = _step(hours, "*", speed)
    return Draft(text, (product, _step(product.value, "+", more)), f"{hours}*{speed}+{more}")


def _change(rng: Random) -> Draft:
    (name, pronoun), thing = rng.choice(PEOPLE), rng.choice(OBJECTS)
    count, price = rng.randint(2, 9), rng.randint(2, 9)
    paid = next(p for p in (20, 50, 100) if p >= count * price)
    text = rng.choice(
        (
            f"{name} buys {count} {thing} at {price} dollars each and pays with {paid} dollars. Find the change.",
            f"{thing.title()} cost {price} dollars each. {name} pays {paid} dollars for {count}. What is the change?",
            f"{name} has {paid} dollars and buys {count} {thing} for {price} dollars each. How much does {pronoun} "
            f"keep?",
        )
    )
    product = _step(count, "*", price)
    return Draft(text, (product, _step(paid, "-", product.value)), f"{paid}-{count}*{price}")


def _remainder(rng: Random) -> Draft:
    left, right, divisor = rng.randint(3, 12), rng.randint(3, 12), rng.randint(3, 9)
    text = rng.choice(
        (
            f"What is the remainder when {left} times {right} is divided by {divisor}?",
            f"Find the remainder of {left} * {right} divided by {divisor}.",
            f"{left} rows of {right} seats are split into groups of {divisor} seats. How many seats are left over?",
        )
    )
    product = _step(left, "*", right)
    below = product.value // divisor * divisor
    return Draft(text, (product, _step(product.value, "-", below)), f"{left}*{right} mod {divisor}")


def _consecutive(rng: Random) -> Draft:
    first = rng.randint(2, 99)
    kind, gap = rng.choice((("integers", 1), ("even numbers", 2), ("odd numbers", 2)))
    first += (first % 2) * (kind == "even numbers") + (1 - first % 2) * (kind == "odd numbers")
    text = rng.choice(
        (
            f"Find the sum of 3 consecutive {kind} starting at {first}.",
            f"What do three {kind} in a row add up to if the first is {first}?",
            f"The smallest of 3 consecutive {kind} is {first}. What is their sum?",
            f"Add the {kind} {first}, {first + gap} and the next one. What is the sum?",
        )
    )
    pair = _step(first, "+", first + gap)
    return Draft(text, (pair, _step(pair.value, "+", first + 2 * gap)), f"{first}+{first + gap}+{first + 2 * gap}")


def _digits(rng: Random) -> Draft:
    left, right = rng.randint(10, 49), rng.randint(10, 49)
    text = rng.choice(
        (
            f"Find the sum of the digits of {left} + {right}.",
            f"What is the digit sum of {left} plus {right}?",
            f"Add {left} and {right}. What is the sum of the digits of the result?",
        )
    )
    total = _step(left, "+", right)
    return Draft(text, (total, _step(total.value // 10, "+", total.value % 10)), f"digits of {left}+{right}")


def _two_numbers(rng: Random) -> Draft:
    small, gap, which = rng.randint(1, 30), rng.randint(1, 20), rng.choice(("larger", "smaller"))
    total = 2 * small + gap
    text = rng.choice(
        (
            f"Two numbers have sum {total} and difference {gap}. Find the {which} one.",
            f"The sum of two numbers is {total}, their difference is {gap}. What is the {which} number?",
            f"x + y = {total} and x - y = {gap}. What is the {which} of x and y?",
        )
    )
    sign = "+" if which == "larger" else "-"
    double = _step(total, sign, gap)
    return Draft(text, (double, _step(double.value, "/", 2)), f"({total}{sign}{gap})/2")


def _equation(rng: Random) -> Draft:
    factor, root, extra, letter = rng.randint(2, 9), rng.randint(2, 12), rng.randint(1, 30), rng.choice("xnyk")
    result = factor * root + extra
    text = rng.choice(
        (
            f"Solve {factor}{letter} + {extra} = {result} for {letter}.",
            f"Find {letter} if {result} = {factor}{letter} + {extra}.",
            f"{factor} times a number plus {extra} is {result}. What is the number?",
        )
    )
    rest = _step(result, "-", extra)
    return Draft(text, (rest, _step(rest.value, "/", factor)), f"({result}-{extra})/{factor}")


def _sequence(rng: Random) -> Draft:
    first, gap, place = rng.randint(1, 20), rng.randint(2, 9), rng.randint(4, 10)
    text = rng.choice(
        (
            f"A sequence starts {first}, {first + gap}, {first + 2 * gap}. What is term number {place}?",
            f"Find term {place} of the arithmetic sequence with first term {first} and difference {gap}.",
            f"A tree is {first} cm high in week 1 and grows {gap} cm a week. How high is it in week {place}?",
        )
    )
    before = _step(place, "-", 1)
    growth = _step(before.value, "*", gap)
    return Draft(text, (before, growth, _step(first, "+", growth.value)), f"{first}+({place}-1)*{gap}")


_DRAW: dict[str, Callable[[Random], Draft]] = {
    "buying": _buying, "giving": _giving, "sharing": _sharing, "ages": _ages, "perimeter": _perimeter,
    "areas": _areas, "travel": _travel, "change": _change, "remainder": _remainder, "consecutive": _consecutive,
    "digits": _digits, "two_numbers": _two_numbers, "equation": _equation, "sequence": _sequence,
}  # fmt: skip
MATH_FAMILIES = tuple(_DRAW)


def make_math(family: str, rng: Random) -> MathItem:
    """Draw a problem of a family. Raises KeyError for an unknown family."""
    draft = _DRAW[family](rng)
    answer = draft.steps[-1].value
    return MathItem(draft.statement, answer, family, _solution(draft.steps), draft.steps, draft.expression)


def _solution(steps: tuple[Step, ...]) -> str:
    """The working as a person would write it, e.g. `We compute 5 \\cdot 4 = 20, then …`."""
    signs = {"+": "+", "-": "-", "*": "\\cdot", "/": "\\div"}
    lines = [f"${s.left} {signs[s.operator]} {s.right} = {s.value}$" for s in steps]
    return f"We compute {', then '.join(lines)}. The answer is $\\boxed{{{steps[-1].value}}}$."
