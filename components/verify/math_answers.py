"""Are two math answers equal? In tiers: string match, exact rationals, then Math-Verify.

The first two tiers (`quick_verdict`) run in-process, never raise and are never wrong: they say yes, no, or undecided.
The last tier is symbolic and can be slow, so batches run it in killable processes (`math_worker`).
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from components.verify.answer_text import braces_balance, compact, join_thousands, normalise_answer, split_top_level
from components.verify.exact_numbers import MAX_DIGITS, ExactNumber, numbers_equal, read_number

_ASSIGNMENT = re.compile(r"^[a-zA-Z](?:_\{?\w\}?)?=(?!.*=)(.+)$")
_UNIT_WORDS = (
    "cm|mm|km|m|meters?|metres?|kilometers?|centimeters?|feet|foot|ft|inch(?:es)?|in|miles?|yards?|degrees?|radians?|"
    "units?|squareunits?|sq(?:uare)?\\.?(?:units?|cm|feet|inches|meters|m)|cubicunits?|dollars?|cents?|hours?|minutes?|"
    "seconds?|s|days?|weeks?|months?|years?|kg|g|grams?|pounds?|liters?|gallons?|mph|km/h|m/s|people|students?|ways|"
    "points?|times|apples?|(?:cm|m|mm|km|ft|in)\\^\\{?[23]\\}?"
)
_UNIT = re.compile(rf"^([-+]?[\d.,/]+|[-+]?\\frac\{{\d+\}}\{{\d+\}})({_UNIT_WORDS})$")
_UNIT_ALIASES = {
    "meter": "m", "metre": "m", "centimeter": "cm", "centimetre": "cm", "kilometer": "km", "kilometre": "km",
    "feet": "ft", "foot": "ft", "inche": "in", "inch": "in", "second": "s", "gram": "g",
}  # fmt: skip
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_TEXT_UNIT = re.compile(
    r"^(\s*\$?\s*-?[\d.,]+)(?:\\[,;:! ]|~|\s)*"
    r"(?:\\(?:text|mathrm|textrm|mbox|rm)\s*\{[^{}\d]*\}(?:\^\{?-?\d\}?)?(?:\\[,;:! ]|\\cdot|[~\s/$.])*)+$"
)
_WORDS_ONLY = re.compile(r"[A-Za-z][A-Za-z '-]{2,}")
_CHOICE = re.compile(r"\(?([A-Z])\)?\.?")
_LIST_WORD = re.compile(r"\s*(?:,\s*)?(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])\s*")
_HUGE_EXPONENT = re.compile(r"\^\s*\{?\s*[-+]?\(?\d{5,}|\d{4,}\s*!|!\s*!\s*!|\*\*\s*\d{5,}")
_TOWER = re.compile(r"\^\s*\{[^{}]*\^\s*\{[^{}]*\^")  # three levels, each inside the other
_NESTED_FACTORIAL = re.compile(r"!\s*\)+\s*!")
_MAX_NESTING = 40


@dataclass(frozen=True)
class QuickVerdict:
    """`equal` is None when only a symbolic comparison can tell."""

    equal: bool | None
    reason: str = ""


def answers_equal(gold: str, prediction: str) -> bool:
    """Whether `prediction` is the same answer as `gold`. The symbolic tier runs in this process without a time limit,
    so use a `Grader` for text from models."""
    quick = quick_verdict(gold, prediction)
    if quick.equal is not None:
        return quick.equal
    from components.verify.symbolic import symbolically_equal

    return symbolically_equal(gold, prediction)


def quick_verdict(gold: str, prediction: str, max_answer_chars: int = 2_000) -> QuickVerdict:
    """Tiers 0 and 1, and the guard against answers too large to look at."""
    if gold.strip() and gold.strip() == prediction.strip():
        return QuickVerdict(True, "string")
    if _INTEGER.fullmatch(gold) and _INTEGER.fullmatch(prediction):
        return QuickVerdict(int(gold) == int(prediction), "exact")
    gold, prediction = _drop_lone_unit(gold, prediction), _drop_lone_unit(prediction, gold)
    if len(prediction) > max_answer_chars or len(gold) > max_answer_chars:
        return QuickVerdict(False, "answer_too_long")
    gold_text, prediction_text = normalise_answer(gold), normalise_answer(prediction)
    if not gold_text or not prediction_text:
        return QuickVerdict(False, "empty_answer")
    gold_key, prediction_key = compact(gold_text), compact(prediction_text)
    if gold_key == prediction_key:
        return QuickVerdict(True, "string")
    absurd = absurdity(prediction_text)
    if absurd:
        return QuickVerdict(False, absurd)
    equal = _quick_single(gold_key, prediction_key)
    if equal is None:
        equal = _quick_words(gold_text, prediction_text)
    if equal is None:
        equal = _quick_several(gold_text, prediction_text)
    return QuickVerdict(equal, "" if equal is None else "exact")


def _drop_lone_unit(text: str, other: str) -> str:
    """`15,000 \\text{ kcal}` -> `15,000`, where the other side is a number without a unit."""
    measured = _TEXT_UNIT.match(text)
    if measured and "\\" not in other and not re.search("[a-zA-Z]", other):
        return measured.group(1).strip().strip("$").rstrip(",. ")
    return text


def absurdity(text: str) -> str:
    """Why an answer is too large to be evaluated, or ''. Cheap: patterns only."""
    if re.search(rf"\d{{{MAX_DIGITS + 1},}}", text):
        return "too_many_digits"
    if _HUGE_EXPONENT.search(text) or _TOWER.search(text) or _NESTED_FACTORIAL.search(text):
        return "number_too_large"
    depth = deepest = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    return "nested_too_deep" if deepest > _MAX_NESTING else ""


def _quick_single(gold: str, prediction: str) -> bool | None:
    """Both are one rational (perhaps with a percent sign, a unit, or `x=` in front)?"""
    left, right = _read_quantity(gold), _read_quantity(prediction)
    if left is None or right is None:
        return None
    (gold_number, gold_percent, gold_unit), (number, percent, unit) = left, right
    if gold_unit and unit and gold_unit != unit:
        return False  # 5 cm is not 5 m; a missing unit is forgiven
    if numbers_equal(gold_number, number):
        return True  # 10% for 10 counts, as in Math-Verify
    if gold_percent != percent:
        scaled = [ExactNumber(n.value / 100) if p else n for n, p, _ in (left, right)]
        return numbers_equal(*scaled)
    return False


@lru_cache(maxsize=65_536)
def _read_quantity(key: str) -> tuple[ExactNumber, bool, str] | None:
    """Number, whether in percent, unit."""
    named = _ASSIGNMENT.match(key)
    if named:
        key = named.group(1)
    percent = key.endswith("%")
    unit = _UNIT.match(key)
    number = read_number(join_thousands(unit.group(1) if unit else key.removesuffix("%")))
    return None if number is None else (number, percent, _unit_name(unit.group(2)) if unit else "")


def _unit_name(unit: str) -> str:
    return _UNIT_ALIASES.get(unit.rstrip("s") or unit, unit.rstrip("s") or unit)


def _quick_words(gold: str, prediction: str) -> bool | None:
    """Both are words ("Yes", "no solution") or one letter of a multiple choice?"""
    choices = _CHOICE.fullmatch(gold), _CHOICE.fullmatch(prediction)
    if choices[0] and choices[1]:
        return choices[0].group(1) == choices[1].group(1)
    if _WORDS_ONLY.fullmatch(gold) and _WORDS_ONLY.fullmatch(prediction):
        same = re.sub(r"[\s'-]", "", gold.casefold()) == re.sub(r"[\s'-]", "", prediction.casefold())
        return True if same else None
    return None


def _quick_several(gold: str, prediction: str) -> bool | None:
    """Lists without brackets ("125 and 512", in any order) and tuples in equal brackets, item by item."""
    golds, predictions = split_answers(gold), split_answers(prediction)
    if len(golds) == 1 and len(predictions) == 1:
        return _quick_tuple(gold, prediction)
    gold_numbers = [_read_quantity(compact(g)) for g in golds]
    numbers = [_read_quantity(compact(p)) for p in predictions]
    if any(n is None for n in (*gold_numbers, *numbers)):
        return None
    left = sorted({n[0].value / (100 if n[1] else 1) for n in gold_numbers if n})
    right = sorted({n[0].value / (100 if n[1] else 1) for n in numbers if n})
    if left == right:
        return True
    return False if len(left) != len(right) else None


def _quick_tuple(gold: str, prediction: str) -> bool | None:
    brackets = gold[0] + gold[-1]
    if brackets not in ("()", "[]") or brackets != prediction[0] + prediction[-1]:
        return None
    golds, predictions = split_top_level(gold[1:-1]), split_top_level(prediction[1:-1])
    if len(golds) < 2 or len(golds) != len(predictions):
        return None
    equal = [
        True if compact(g) == compact(p) else _quick_single(compact(g), compact(p))
        for g, p in zip(golds, predictions, strict=True)
    ]
    if all(equal):
        return True
    return False if False in equal and None not in equal else None


def split_answers(text: str) -> list[str]:
    """The items of an unbracketed list: "1, 2 and 3" -> ["1", "2", "3"]. One item for anything else."""
    if not braces_balance(text):
        return [text]
    joined = join_thousands(text)
    return [part for part in split_top_level(_LIST_WORD.sub(",", joined)) if part] or [text]
