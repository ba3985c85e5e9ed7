"""Planted copies of benchmark problems: verbatim, relaid, renamed, embedded. None may reach training."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from components.world.fate import Planting
from components.world.items import CodeItem, MathItem
from components.world.planted_texts import rename
from components.world.writers import CODE_WRITERS, MATH_WRITERS, PEOPLE_NAMES

REASONS = (
    "benchmark_exact", "benchmark_ngram", "benchmark_numbers_answer", "benchmark_embedding", "benchmark_variant",
)  # fmt: skip
BEFORE = "Some problems from an older collection were copied for the lesson, and this is one of them. "
AFTER = " Write the result as a whole number and check it once more before you hand it in."


def plant_contamination(planting: Planting, math: list[MathItem], code: list[CodeItem]) -> None:
    """Copies of benchmark items, each item used once."""
    math_items, code_items = iter(math), iter(code)
    _math_copies(planting, math_items)
    _code_copies(planting, code_items)


def _latex(statement: str) -> str:
    return re.sub(r"(?<![\w$])(\d+)(?![\w$])", r"$\1$", statement)


def _renamed(statement: str) -> str:
    return rename(statement, "Olga")


def _math_copies(planting: Planting, items: Iterator[MathItem]) -> None:
    changes: tuple[tuple[str, Callable[[str], str], int], ...] = (
        ("contaminated_verbatim", str, 5),
        ("contaminated_latex", _latex, 5),
        ("contaminated_renamed", _renamed, 4),
        ("contaminated_embedded", lambda s: BEFORE + s + AFTER, 4),
    )
    sources = ("numinamath", "deepscaler", "still3", "omni_math", "aime_history")
    for case, change, count in changes:
        for i in range(count):
            item = next(items)
            if case == "contaminated_renamed":
                while not any(name in item.statement for name in PEOPLE_NAMES):
                    item = next(items)
            row = MATH_WRITERS[sources[i]](replace(item, statement=change(item.statement)), planting.rng)
            planting.dropped(sources[i], row, case, ("decontaminate",), REASONS)


def _code_copies(planting: Planting, items: Iterator[CodeItem]) -> None:
    changes: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("contaminated_verbatim", str),
        ("contaminated_latex", lambda s: s.replace(" a ", " $a$ ").replace(" xs ", " $xs$ ") + "\n"),
        ("contaminated_embedded", lambda s: "Warm-up from an older contest. " + s),
    )
    for i in range(9):
        case, change = changes[i % 3]
        source = ("leetcode", "taco")[i % 2]
        item = next(item for item in items if item.fn_name or source == "taco")
        row = CODE_WRITERS[source](replace(item, statement=change(item.statement)), planting.rng)
        planting.dropped(source, row, case, ("decontaminate",), REASONS)
