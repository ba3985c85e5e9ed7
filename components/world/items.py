"""A problem of the synthetic world, with everything needed to state, solve, answer and test it."""

from dataclasses import dataclass
from typing import Any

PEOPLE = (
    ("Tom", "he"), ("Mia", "she"), ("Leo", "he"), ("Ana", "she"), ("Ben", "he"), ("Eva", "she"), ("Max", "he"),
    ("Ida", "she"), ("Sam", "he"), ("Zoe", "she"), ("Raj", "he"), ("Lin", "she"),
)  # fmt: skip
OBJECTS = ("apples", "pens", "books", "cards", "eggs", "coins", "shells", "stamps", "cakes", "nuts")


@dataclass(frozen=True, slots=True)
class Step:
    """One line of working: `left operator right = value` on whole numbers."""

    left: int
    operator: str
    right: int
    value: int


@dataclass(frozen=True, slots=True)
class MathItem:
    """A math word problem with one whole answer from 0 to 999."""

    statement: str
    answer: int
    family: str
    solution: str
    """Plain solution text that ends in \\boxed{answer}."""
    steps: tuple[Step, ...]
    expression: str
    """The whole computation on one line, e.g. `7+5*4`."""


@dataclass(frozen=True, slots=True)
class CodeItem:
    """A programming problem. `fn_name` is empty and `starter_code` too when the program reads standard input."""

    statement: str
    starter_code: str
    fn_name: str
    program: str
    tests: dict[str, Any]
    family: str
    parts: tuple[str, ...]
    """The expression in the order in which one thinks of it: inner part first, the whole expression last."""

    @property
    def expression(self) -> str:
        return self.parts[-1]
