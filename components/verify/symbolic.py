"""The symbolic tier: Math-Verify on cleaned answers, with the checks that its rounding needs.

Slow and able to hang: call it in a process that may be killed (`math_worker`). Imports sympy at first use.
"""

import logging
from functools import lru_cache
from typing import Any

from components.verify.answer_text import braces_balance, normalise_answer
from components.verify.math_answers import split_answers

_LOOSE_RELATIVE = 1e-5
_EXACT_DIGITS = 40


def symbolically_equal(gold: str, prediction: str) -> bool:
    """Whether Math-Verify takes both as the same (gold first), after our spelling and with our number check.

    Lists without brackets must match item by item: "125 and 512" is not answered by 512.
    """
    golds, predictions = split_answers(normalise_answer(gold)), split_answers(normalise_answer(prediction))
    if len(golds) != len(predictions):
        return _equal_texts(normalise_answer(gold), normalise_answer(prediction))
    if len(golds) == 1:
        return _equal_texts(golds[0], predictions[0])
    return _matches_in_some_order(golds, predictions)


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
