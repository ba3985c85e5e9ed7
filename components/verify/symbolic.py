"""The symbolic tier: Math-Verify on cleaned answers, with the checks that its rounding needs.

Slow and able to hang: call it in a process that may be killed (`math_worker`). Imports sympy at first use.
"""

import logging
import re
from functools import lru_cache
from typing import Any

from components.verify.answer_text import braces_balance, normalise_answer
from components.verify.math_answers import split_answers

_DEGREES = re.compile(r"\\circ|\u00b0|\\degree|degrees")
_SET_BUILDER = re.compile(r"^\\\{\s*(\w)\s*(?:\||:|\\mid|\\vert)\s*([^|]*[<>=]?[^|]*)\\\}$")
_NAME = re.compile(r"^(?:[a-zA-Z]|\\[a-zA-Z]+)(?:_\{[^{}]*\}|_\w)?\s*(?:\(\s*\w+\s*\))?\s*=(?!=)")
_LOOSE_RELATIVE = 1e-5
_EXACT_DIGITS = 40


def symbolically_equal(gold: str, prediction: str) -> bool:
    """Whether Math-Verify takes both as the same (gold first), after our spelling and with our number check.

    Lists without brackets must match item by item: "125 and 512" is not answered by 512.
    """
    gold, prediction = _in_one_form(gold, prediction)
    golds, predictions = split_answers(gold), split_answers(prediction)
    if len(golds) != len(predictions):
        return _equal_texts(gold, prediction)
    if len(golds) == 1:
        return _equal_texts(golds[0], predictions[0])
    return _matches_in_some_order(golds, predictions)


def _in_one_form(gold: str, prediction: str) -> tuple[str, str]:
    """Both normalised, and brought together where one is written in degrees and the other in radians, as a set with a
    condition and as the condition, or with and without the name of what is asked for."""
    sides = [gold, prediction]
    texts = [normalise_answer(side) for side in sides]
    in_degrees = [bool(_DEGREES.search(side)) for side in sides]
    if in_degrees[0] != in_degrees[1] and "\\pi" in texts[in_degrees.index(False)]:
        place = in_degrees.index(True)
        texts[place] = rf"({_without_name(texts[place])}) \cdot \frac{{\pi}}{{180}}"
    texts = [_SET_BUILDER.sub(r"\2", text) for text in texts]
    named = ["=" in text for text in texts]
    if named[0] != named[1]:
        texts = [_without_name(text) for text in texts]
    return texts[0], texts[1]


def _without_name(text: str) -> str:
    name = _NAME.match(text)
    return text[name.end() :].strip() if name and "=" not in text[name.end() :] else text


def _matches_in_some_order(golds: list[str], predictions: list[str]) -> bool:
    if len(golds) > 20:
        return False
    remaining = list(predictions)
    for gold in golds:
        partner = next((p for p in remaining if p == gold or _equal_texts(gold, p)), None)
        if partner is None:
            return False
        remaining.remove(partner)
    return True


def _equal_texts(gold: str, prediction: str) -> bool:
    from math_verify import verify

    left, right = parse_answer(gold), parse_answer(prediction)
    if not left or not right:
        return False
    if not verify(list(left), list(right), timeout_seconds=None):
        return False
    return _numbers_agree(left[0], right[0])


@lru_cache(maxsize=16_384)
def parse_answer(text: str) -> tuple[Any, ...]:
    """Math-Verify's parse of one answer as the content of a box (parsing a bare gold can change it, paper 7.1).

    Only the LaTeX reader is used, so a number inside LaTeX that does not parse never becomes the answer.
    """
    from math_verify import LatexExtractionConfig, parse

    _quieten()
    if not braces_balance(text):
        return ()
    return tuple(
        parse(
            "\\boxed{" + text + "}",
            extraction_config=[LatexExtractionConfig(boxed_match_priority=0)],
            fallback_mode="no_fallback",
            parsing_timeout=None,
        )
    )


def _numbers_agree(gold: Any, prediction: Any) -> bool:
    """Math-Verify rounds to 6 decimals, which makes all tiny numbers equal. Where both sides are numbers, exact ones
    must agree to 40 digits and decimals to a relative 1e-5."""
    import sympy

    sides = [s.rhs if isinstance(s, sympy.Eq) else s for s in (gold, prediction)]
    if not all(isinstance(s, sympy.Expr) and s.is_number and not s.has(sympy.Symbol) for s in sides):
        return True
    left, right = (sympy.N(s, _EXACT_DIGITS) for s in sides)
    scale = max(abs(left), abs(right))
    if scale == 0 or not scale.is_finite:
        return True
    exact = not any(s.has(sympy.Float) for s in sides)
    if _is_percent_pair(left, right):
        return True
    tolerance = sympy.Float(10) ** -(_EXACT_DIGITS - 10) if exact else _LOOSE_RELATIVE
    return bool(abs(left - right) <= tolerance * scale)


def _is_percent_pair(left: Any, right: Any) -> bool:
    return bool(abs(left - 100 * right) <= 1e-12 * abs(left) or abs(right - 100 * left) <= 1e-12 * abs(right))


@lru_cache(maxsize=1)
def _quieten() -> None:
    """Math-Verify warns about every call without its own timeout; ours is the process boundary."""
    for name in ("math_verify", "math_verify.parser", "math_verify.grader"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
