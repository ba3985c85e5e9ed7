"""Planted pairs: rows that are the same problem, and rows that only look like it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from components.world.code_families import make_code
from components.world.drawing import numbers_of
from components.world.fate import Planting, couple, surrounded
from components.world.items import CodeItem, MathItem
from components.world.math_families import make_math
from components.world.split import split_of
from components.world.writers import ANSWER_COLUMN, CODE_WRITERS, MATH_WRITERS

Item = TypeVar("Item", MathItem, CodeItem)
DUPLICATE = ("exact_duplicate", "near_duplicate", "reworded_duplicate", "embedding_duplicate")
MAX_DRAWS = 20_000
WITHIN_AND_ACROSS = (
    ("numinamath", "numinamath"), ("deepscaler", "deepscaler"), ("taco", "taco"), ("numinamath", "deepscaler"),
    ("numinamath", "still3"), ("deepscaler", "omni_math"), ("omni_math", "aime_history"), ("leetcode", "taco"),
)  # fmt: skip
CONTEXTS = (
    ("The following", "This", " was written down by the clerk of the village market on the first warm day of spring, "
     "when all stalls were open and the street was full of people. "),
    ("Here is", "Below is", " a question that the teacher of the evening class likes to give to new students before "
     "the first lesson, so that nobody starts without a small success. "),
    ("Remember", "Recall", " that every number in this question is a whole number, that nothing is lost on the way, "
     "and that the order in which things happen is the order of the text. "),
)  # fmt: skip
"""Long introductions: first word as in the original, as in the near copy, and the rest of both."""
REWORDINGS = (
    (" and buys ", " and then purchases "), (" and gives ", " and hands "), ("Find the ", "Determine the "),
    ("What is the ", "Compute the "), ("What is its perimeter?", "Calculate its perimeter."),
    ("How far does it go?", "How far does it go in total?"), ("Write ", "Implement "), ("Print ", "Output "),
)  # fmt: skip


def plant_pairs(planting: Planting) -> None:
    """All cases of this file."""
    for plant in (_exact, _layout, _near, _reworded, _conflicting, _number_twins, _question_twins, _code_twins):
        plant(planting)


def write(planting: Planting, source: str, item: MathItem | CodeItem) -> dict[str, Any]:
    if isinstance(item, MathItem):
        return MATH_WRITERS[source](item, planting.rng)
    return CODE_WRITERS[source](item, planting.rng)


def fresh(
    planting: Planting, sources: tuple[str, ...], edit: Callable[[str], str] | None = None
) -> MathItem | CodeItem:
    if sources[0] in MATH_WRITERS:
        return planting.drawer.math(edit=edit)
    return planting.drawer.code(edit=edit, functions="leetcode" in sources)


def _duplicate(planting: Planting, sources: tuple[str, str], item: Any, copy: Any, case: str) -> None:
    first = planting.kept(sources[0], write(planting, sources[0], item), f"{case}_original")
    second = planting.dropped(sources[1], write(planting, sources[1], copy), case, ("dedup",), DUPLICATE)
    couple(first, second)


def _exact(planting: Planting) -> None:
    for sources in (*WITHIN_AND_ACROSS, *WITHIN_AND_ACROSS[2:5]):
        item = fresh(planting, sources)
        _duplicate(planting, sources, item, item, "exact_duplicate")


def _layout(planting: Planting) -> None:
    """The same text in another layout: numbers set as formulas, spaces doubled, letters in upper case."""
    layouts: tuple[Callable[[str], str], ...] = (
        lambda s: re.sub(r"(?<![\w$])(\d+)(?![\w$])", r"$\1$", s),
        lambda s: re.sub(r"(?<![\w$])(\d+)(?![\w$])", r"\\(\1\\)", s),
        lambda s: s.replace(" ", "  ") + "\n",
        str.upper,
    )
    for i, sources in enumerate(WITHIN_AND_ACROSS):
        is_math = sources[0] in MATH_WRITERS
        item = fresh(planting, sources)
        layout = layouts[i % 4 if is_math else 2]
        _duplicate(planting, sources, item, replace(item, statement=layout(item.statement)), "layout_duplicate")


def _near(planting: Planting) -> None:
    """A long introduction that differs in its first words only."""
    for i, sources in enumerate(WITHIN_AND_ACROSS):
        head, other_head, rest = CONTEXTS[i % len(CONTEXTS)]
        item = fresh(planting, sources, surrounded(head + rest))
        copy = replace(item, statement=other_head + item.statement.removeprefix(head))
        _duplicate(planting, sources, item, copy, "near_duplicate")


def _reworded(planting: Planting) -> None:
    """One phrase in other words, same names, same numbers."""
    for i, sources in enumerate(WITHIN_AND_ACROSS):
        head, _, rest = CONTEXTS[(i + 1) % len(CONTEXTS)]
        while True:
            item = fresh(planting, sources, surrounded(head + rest))
            rewording = next((r for r in REWORDINGS if r[0] in item.statement), None)
            if rewording:
                break
        copy = replace(item, statement=item.statement.replace(*rewording))
        _duplicate(planting, sources, item, copy, "reworded_duplicate")


def _conflicting(planting: Planting) -> None:
    """Equal statements with different answers and no solution to decide between them: both must go."""
    for sources in (("deepscaler", "still3"), ("still3", "still3"), ("still3", "aime_history"),
                    ("deepscaler", "aime_history"), ("deepscaler", "deepscaler")):  # fmt: skip
        item = planting.drawer.math()
        entries = []
        for source, answer in zip(sources, (item.answer, item.answer + 3), strict=True):
            row = write(planting, source, item) | {ANSWER_COLUMN[source]: str(answer)}
            row |= {"solution": ""} if "solution" in row else {}
            reasons = ("conflicting_answers",)
            entries.append(planting.dropped(source, row, "conflicting_answers", ("dedup",), reasons))
        couple(entries[0], entries[1])


def _template(statement: str) -> str:
    return re.sub(r"\d+", "#", statement)


def _math_like(planting: Planting, item: MathItem) -> Iterator[MathItem]:
    """Items of the pool with the same words as `item`, other numbers; as many as a bounded search finds."""
    for _ in range(MAX_DRAWS):
        other = make_math(item.family, planting.rng)
        same_words = _template(other.statement) == _template(item.statement)
        if same_words and numbers_of(other.statement) != numbers_of(item.statement):
            if split_of(other.statement) == "pool":
                yield other


def _keep_both(planting: Planting, sources: tuple[str, str], pair: tuple[Any, Any], case: str) -> None:
    first, second = (planting.kept(s, write(planting, s, i), case) for s, i in zip(sources, pair, strict=True))
    couple(first, second)


def _number_twins(planting: Planting) -> None:
    """Same words, other numbers: different problems, also where the answer happens to be equal."""
    families = ("perimeter", "areas", "remainder", "digits", "equation", "two_numbers", "digits", "perimeter")
    for i, family in enumerate(families):
        sources = WITHIN_AND_ACROSS[(0, 3, 1, 4, 5, 6, 0, 3)[i]]
        equal_answer = i >= 5
        item = twin = None
        while twin is None:
            item = planting.drawer.math(family=family)
            found = (t for t in _few(_math_like(planting, item)) if (t.answer == item.answer) == equal_answer)
            twin = next((t for t in found if planting.drawer.take_math(t, "pool")), None)
        _keep_both(planting, sources, (item, twin), "equal_answer_twin" if equal_answer else "number_changed_twin")


def _few(items: Iterator[MathItem], count: int = 300) -> Iterator[MathItem]:
    return (item for item, _ in zip(items, range(count), strict=False))


def _question_twins(planting: Planting) -> None:
    """Same numbers, another question: the larger or the smaller of two numbers."""
    for sources in (("numinamath", "numinamath"), ("deepscaler", "still3"), ("numinamath", "omni_math")):
        while True:
            item = planting.drawer.math(family="two_numbers")
            word, other = ("larger", "smaller") if "larger" in item.statement else ("smaller", "larger")
            statement = item.statement.replace(word, other)
            if split_of(statement) == "pool":
                break
        total, gap = item.steps[0].left, item.steps[0].right
        sign = "-" if item.steps[0].operator == "+" else "+"
        double = total - gap if sign == "-" else total + gap
        solution = (
            f"We compute ${total} {sign} {gap} = {double}$, then halve it. The answer is $\\boxed{{{double // 2}}}$."
        )
        twin = replace(item, statement=statement, answer=double // 2, solution=solution)
        _keep_both(planting, sources, (item, twin), "question_changed_twin")


def _code_twins(planting: Planting) -> None:
    """Programs whose texts differ in one word, sign or number."""
    for i, family in enumerate(("extreme", "linear", "counting", "mapping", "branch", "letters")):
        sources = (("leetcode", "leetcode"), ("leetcode", "taco"), ("taco", "taco"))[i % 3]
        _keep_both(planting, sources, _code_pair(planting, family), "code_twin")


def _code_pair(planting: Planting, family: str) -> tuple[CodeItem, CodeItem]:
    """Two new items of a family whose statements differ in one word."""
    drawn: dict[tuple[int, tuple[str, ...]], CodeItem] = {}
    for _ in range(MAX_DRAWS):
        item = make_code(family, planting.rng)
        if split_of(item.statement) != "pool":
            continue
        words = item.statement.split()
        for place in range(len(words)):
            key = (place, (*words[:place], "", *words[place + 1 :]))
            other = drawn.setdefault(key, item)
            if other.fn_name != item.fn_name or other.expression == item.expression:
                continue
            if planting.drawer.take_code(other, item):
                return other, item
    raise RuntimeError(f"no two neighbours in code family {family}")
