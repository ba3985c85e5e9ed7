"""Draw problems of one split so that no two of them could pass for the same problem.

The families have few templates and small numbers, so a free draw would soon repeat itself. Template twins with
other numbers are wanted; equal numbers in one family, or numbers and answer of a benchmark problem, are not.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from random import Random

from components.world.code_families import CODE_FAMILIES, make_code
from components.world.items import CodeItem, MathItem
from components.world.math_families import MATH_FAMILIES, make_math
from components.world.split import Split, split_of

LARGE_ANSWER = 10
"""From here on a template twin of a benchmark problem may not even share its answer. Smaller answers are too few."""
MAX_DRAWS = 400
"""Draws from a family before it counts as exhausted."""
_NUMBER = re.compile(r"\d+")
_WORDS = {"two": 2, "three": 3, "Two": 2, "Three": 3}


def numbers_of(statement: str) -> tuple[int, ...]:
    """The numbers of a statement in ascending order, with the number words that the families use."""
    words = [_WORDS[word] for word in re.findall(r"[A-Za-z]+", statement) if word in _WORDS]
    return tuple(sorted([*(int(number) for number in _NUMBER.findall(statement)), *words]))


class Drawer:
    """Draws items and remembers them. Benchmarks are drawn first: what resembles one never enters the pool."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._math_taken: set[tuple[str, tuple[int, ...]]] = set()
        self._code_taken: set[tuple[bool, str]] = set()
        self._benchmark_words: set[str] = set()
        self._benchmark_answers: set[tuple[str, int]] = set()
        self._benchmark_numbers: dict[int, list[Counter[int]]] = defaultdict(list)
        self._math_families = cycle(MATH_FAMILIES)
        self._code_families = cycle(CODE_FAMILIES)
        self._function_families = cycle(f for f in CODE_FAMILIES if not f.startswith("read_"))
        # Problems of the letters family differ in single letters only: the pool could keep none beside a benchmark's.
        self._benchmark_families = cycle(f for f in CODE_FAMILIES if f != "letters")

    def math(self, split: Split = "pool", edit: Callable[[str], str] | None = None, family: str = "") -> MathItem:
        """A new math item whose statement, after `edit`, lies in `split`. Families take turns unless one is named."""
        for name in _turns(self._math_families, family, len(MATH_FAMILIES)):
            for _ in range(MAX_DRAWS):
                item = make_math(name, self.rng)
                item = replace(item, statement=edit(item.statement)) if edit else item
                if split_of(item.statement) == split and self.take_math(item, split):
                    return item
        raise RuntimeError(f"the math families hold no further item for {split}")

    def code(
        self, split: Split = "pool", edit: Callable[[str], str] | None = None, functions: bool = False
    ) -> CodeItem:
        """A new code item; with `functions` one that defines a function."""
        families = self._function_families if functions else self._code_families
        if split == "benchmark":
            families = self._benchmark_families
        for name in _turns(families, "", len(CODE_FAMILIES)):
            for _ in range(MAX_DRAWS):
                item = make_code(name, self.rng)
                item = replace(item, statement=edit(item.statement)) if edit else item
                if split_of(item.statement) == split and self.take_code(item):
                    self._benchmark_words |= {_unlettered(item.statement)} if split == "benchmark" else set()
                    return item
        raise RuntimeError(f"the code families hold no further item for {split}")

    def take_math(self, item: MathItem, split: Split) -> bool:
        """Remember an item; False when it resembles one that was taken."""
        numbers = numbers_of(item.statement)
        if (item.family, numbers) in self._math_taken or self._resembles_benchmark(item, numbers):
            return False
        self._math_taken.add((item.family, numbers))
        if split == "benchmark":
            self._benchmark_answers.add((item.family, item.answer))
            self._benchmark_numbers[item.answer].append(Counter(numbers))
        return True

    def take_code(self, *items: CodeItem) -> bool:
        """Remember all the items; False, and none remembered, when one of them was taken."""
        keys = {(bool(item.fn_name), _in_order(item.expression)) for item in items}
        if keys & self._code_taken or any(_unlettered(item.statement) in self._benchmark_words for item in items):
            return False
        self._code_taken |= keys
        return True

    def _resembles_benchmark(self, item: MathItem, numbers: tuple[int, ...]) -> bool:
        """Same family with the same large answer, or same answer and all numbers of a benchmark problem."""
        given = Counter(numbers)
        same_answer = (item.family, item.answer) in self._benchmark_answers and item.answer >= LARGE_ANSWER
        return same_answer or any(other <= given or given <= other for other in self._benchmark_numbers[item.answer])


def _unlettered(statement: str) -> str:
    """The statement without the function's name, single letters hidden: decontamination sees no difference there."""
    body = re.sub(r"^.*? (?:returns|Print) ", "", statement)
    return re.sub(r"\b[a-z]\b", "_", body)


def _in_order(expression: str) -> str:
    """The expression with the two sides of a sum or product sorted where that changes nothing."""
    for swapped, sorted_sides in (("b*a", "a*b"), ("b+a", "a+b")):
        expression = expression.replace(swapped, sorted_sides)
    sides = expression.split("+")
    return (
        "+".join(sorted(sides)) if len(sides) == 2 and "-" not in expression and "if" not in expression else expression
    )


def _turns(families: Iterator[str], family: str, count: int) -> Iterator[str]:
    """The families to try: the named one only, or each of them once from where the last draw stopped."""
    if family:
        yield family
        return
    for _ in range(count):
        yield next(families)
