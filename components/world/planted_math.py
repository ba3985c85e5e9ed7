"""Planted math rows that stand alone: each breaks (or only seems to break) one rule."""

from collections.abc import Callable
from typing import Any

from components.world.fate import Planting, surrounded
from components.world.items import MathItem
from components.world.planted_texts import (
    ELSEWHERE,
    FIGURES,
    NON_ASCII_NAMES,
    PROOFS,
    TRANSLATOR_NOTE,
    UNVERIFIABLE,
    long_story,
    renaming,
)  # fmt: skip
from components.world.writers import ANSWER_COLUMN, MATH_WRITERS, STATEMENT_COLUMN

WITH_SOLUTION = ("numinamath", "deepscaler", "omni_math")


def plant_math(planting: Planting) -> None:
    """All cases of this file."""
    for plant in (_statements, _answer_kinds, _answers, _solutions, _text_that_stays, _selection, _broken_rows):
        plant(planting)


def edited(planting: Planting, source: str, edit: Callable[[str], str]) -> dict[str, Any]:
    """A fresh row whose statement was edited before the split was checked."""
    return MATH_WRITERS[source](planting.drawer.math(edit=edit), planting.rng)


def replaced(planting: Planting, source: str, statement: str) -> dict[str, Any]:
    """A fresh row with another statement altogether."""
    return MATH_WRITERS[source](planting.drawer.math(), planting.rng) | {STATEMENT_COLUMN[source]: statement}


def _statements(planting: Planting) -> None:
    sources = ("numinamath", "deepscaler", "still3", "omni_math", "numinamath", "aime_history")
    for i, source in enumerate(sources):
        row = edited(planting, source, surrounded("", f" The full text is at https://example.org/problems/{i + 1}."))
        planting.dropped(source, row, "external_url", ("filter",), ("external_url",))
    for template, source in zip(FIGURES, sources, strict=False):
        row = edited(planting, source, template.format)
        planting.dropped(source, row, "figure_reference", ("filter",), ("figure_reference",))
    for source in sources[:4]:
        row = edited(planting, source, lambda s: f"{s}\n\n{s}")
        planting.dropped(source, row, "repeated_statement", ("filter",), ("repeated_statement",))
    for source in sources[:3]:
        row = edited(planting, source, surrounded("", TRANSLATOR_NOTE))
        planting.dropped(source, row, "translator_note", ("filter",), ("translator_note",))
    for source in sources[:4]:
        row = edited(planting, source, surrounded(long_story(planting.rng)))
        planting.dropped(source, row, "too_long", ("filter",), ("too_long",))
    for text, source in zip(ELSEWHERE, sources, strict=False):
        planting.dropped(
            source, replaced(planting, source, text), "missing_reference", ("filter",), ("missing_reference",)
        )


def _answer_kinds(planting: Planting) -> None:
    """Questions whose answer is not one checkable value."""
    rng = planting.rng
    for i, template in enumerate(PROOFS):
        row = replaced(planting, "numinamath", template.format(n=7 + 2 * i))
        row |= {"answer": "proof", "question_type": "proof", "solution": "The claim follows by induction."}
        planting.dropped("numinamath", row, "proof", ("filter",), ("proof", "non_verifiable_answer"))
    for source in ("numinamath", "deepscaler", "omni_math", "still3"):
        first, second = (_asking(planting) for _ in range(2))
        row = replaced(planting, source, f"(a) {first.statement} (b) {second.statement}")
        row[ANSWER_COLUMN[source]] = f"(a) {first.answer} (b) {second.answer}"
        if "solution" in row:
            row["solution"] = f"{first.solution} {second.solution}"
        planting.dropped(source, row, "multi_part", ("filter",), ("multi_part", "non_verifiable_answer"))
    for i, source in enumerate(("numinamath", "deepscaler", "still3", "omni_math")):
        number = 91 + 10 * i
        row = replaced(planting, source, f"Is {number} a multiple of 7? Answer with yes or no.")
        row[ANSWER_COLUMN[source]] = "Yes" if number % 7 == 0 else "No"
        if "solution" in row:
            row["solution"] = f"Divide by seven. The answer is $\\boxed{{\\text{{{row['answer']}}}}}$."
        planting.dropped(source, row, "yes_no", ("filter",), ("yes_no", "non_verifiable_answer"))
    for source in ("numinamath", "numinamath", "deepscaler", "still3"):
        item = planting.drawer.math()
        options = sorted({item.answer, item.answer + 2, item.answer + 5, abs(item.answer - 3)})
        letter = "ABCD"[options.index(item.answer)]
        listed = " ".join(f"$\\textbf{{({name})}}\\ {value}$" for name, value in zip("ABCD", options, strict=True))
        row = MATH_WRITERS[source](item, rng) | {STATEMENT_COLUMN[source]: f"{item.statement} {listed}"}
        row[ANSWER_COLUMN[source]] = letter
        row |= {"question_type": "MCQ"} if source == "numinamath" else {}
        planting.dropped(source, row, "multiple_choice", ("filter",), ("multiple_choice", "non_verifiable_answer"))


def _asking(planting: Planting) -> MathItem:
    """An item that ends in a question mark."""
    return next(item for item in iter(planting.drawer.math, None) if item.statement.endswith("?"))


def _answers(planting: Planting) -> None:
    """Answers that are missing, empty, not checkable, or spelled in another way."""
    rng, draw = planting.rng, planting.drawer.math
    missing: tuple[tuple[str, str | None], ...] = (
        ("numinamath", "notfound"), ("numinamath", "notfound"), ("deepscaler", None), ("still3", None),
    )  # fmt: skip
    cases = [("missing_answer", *pair) for pair in missing]
    cases += [("empty_answer", s, a) for s, a in (("numinamath", ""), ("deepscaler", "  "), ("still3", ""))]
    cases += [("non_verifiable_answer", s, a) for s, a in zip(("still3", *WITH_SOLUTION), UNVERIFIABLE, strict=True)]
    for case, source, answer in cases:
        row = MATH_WRITERS[source](draw(), rng) | {ANSWER_COLUMN[source]: answer}
        if "solution" in row:
            row["solution"] = "The working is left to the reader."
        reasons = (case,) if case == "non_verifiable_answer" else ("empty_answer", "non_verifiable_answer")
        planting.dropped(source, row, case, ("filter",), reasons)
    spellings: tuple[Callable[[int], str], ...] = (
        lambda n: f"${n}$", lambda n: f"\\boxed{{{n}}}", lambda n: f"\\frac{{{2 * n}}}{{2}}", lambda n: f"{n}.0",
    )  # fmt: skip
    for spell, source in zip(spellings, ("numinamath", "deepscaler", "omni_math", "numinamath"), strict=True):
        item = draw()
        row = MATH_WRITERS[source](item, rng) | {"answer": spell(item.answer)}
        planting.kept(source, row, "answer_spelled_otherwise")


def _solutions(planting: Planting) -> None:
    """Solutions that contradict the answer, say nothing, or are not there."""
    rng, draw = planting.rng, planting.drawer.math
    for i, source in enumerate((*WITH_SOLUTION, *WITH_SOLUTION)):
        item = draw()
        row = MATH_WRITERS[source](item, rng) | {"answer": str(item.answer + 1 + i)}
        planting.dropped(source, row, "answer_contradicts_solution", ("answers",), ("answer_contradicts_solution",))
    for source in (*WITH_SOLUTION, "deepscaler"):
        planting.kept(source, MATH_WRITERS[source](draw(), rng) | {"solution": ""}, "no_solution_math")
    for source in WITH_SOLUTION:
        row = MATH_WRITERS[source](draw(), rng) | {"solution": "The working is left to the reader."}
        planting.kept(source, row, "solution_without_answer")


def _text_that_stays(planting: Planting) -> None:
    """Unusual text that is no reason to drop a row; markup must reach no report unescaped."""
    sources = ("numinamath", "deepscaler", "still3", "omni_math", "aime_history")
    for i, name in enumerate(NON_ASCII_NAMES):
        source = sources[i % len(sources)]
        item = planting.drawer.math(edit=renaming(name), family=("buying", "giving", "ages")[i % 3])
        planting.kept(source, MATH_WRITERS[source](item, planting.rng), "non_ascii")
    markup = ("<script>alert('{}')</script>", "<b onclick=alert('{}')>", "</td></table><b>{}</b>")
    for i, tag in enumerate(markup):
        row = edited(planting, "numinamath", surrounded(f"{tag.format(i)} "))
        planting.kept("numinamath", row, "markup_in_statement")
    for i, tag in enumerate(markup[:2]):
        row = edited(planting, "deepscaler", surrounded(f"{tag.format(i)} ", f" See https://example.org/{i}"))
        planting.dropped("deepscaler", row, "markup_with_url", ("filter",), ("external_url",))


def _selection(planting: Planting) -> None:
    """Rows that are left out because of where they come from, or of what their source says of them."""
    rng, draw = planting.rng, planting.drawer.math
    marks = (
        ("problem_is_valid", "Incomplete"),
        ("solution_is_valid", "Problem not solved"),
        ("problem_is_valid", "No"),
    )
    for column, mark in marks:
        row = MATH_WRITERS["numinamath"](draw(), rng) | {column: mark}
        planting.dropped("numinamath", row, "marked_invalid", ("filter",), ("marked_invalid",))
    for subset in ("orca_math", "cn_k12", "synthetic_math", "orca_math", "gsm8k", "metamath"):
        row = MATH_WRITERS["numinamath"](draw(), rng) | {"source": subset}
        planting.dropped("numinamath", row, "subset_not_selected", ("ingest",), ("subset_not_selected",))
    for i in range(5):
        year = (2024, 2024, 2024, 2025, 2025)[i]
        row = MATH_WRITERS["aime_history"](draw(), rng) | {"ID": f"{year}-I-{i + 1}", "Year": year, "Part": "I"}
        planting.dropped("aime_history", row, "year_2024_or_later", ("ingest",), ("year_2024_or_later",))


def _broken_rows(planting: Planting) -> None:
    """Lines and rows that are not what the schema says."""
    rng, draw = planting.rng, planting.drawer.math
    lines: list[tuple[str, dict[str, Any] | str]] = [
        ("numinamath", '{"problem": "This line was cut off in the mid'),
        ("still3", '["a list", "is no row"]'),
        ("omni_math", '{"problem": "What is the last value?", "solution": "", "answer": NaN}'),
        ("deepscaler", '{"problem": "Half of a pair \\ud83d is here.", "answer": "4", "solution": ""}'),
    ]
    numina, omni, aime = (MATH_WRITERS[s](draw(), rng) for s in ("numinamath", "omni_math", "aime_history"))
    lines += [
        ("numinamath", numina | {"problem": 17}),
        ("omni_math", {name: value for name, value in omni.items() if name != "answer"}),
        ("deepscaler", {"problem": None, "answer": "12", "solution": ""}),
        ("still3", {"question": "   ", "answer": "12"}),
        ("aime_history", aime | {"Year": "unknown"}),
    ]
    for source, row in lines:
        planting.dropped(source, row, "invalid_row", ("ingest", "filter"), ("invalid_row", "empty_statement"))
