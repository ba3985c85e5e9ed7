"""Does an output match? Standard output as LiveCodeBench compares it, returned values as JSON values."""

import math
from decimal import Decimal, InvalidOperation
from typing import Any


def stdout_matches(expected: str, output: str, tolerance: float = 0.0) -> bool:
    """Line by line, blanks at both ends of each line and of the whole ignored. A line matches as text, or as numbers
    of equal value one by one (exactly, unless a tolerance is given). No case folding."""
    if expected == output:
        return True
    wanted, given = _lines(expected), _lines(output)
    if len(wanted) != len(given):
        return False
    return all(w == g or _numbers_match(w, g, tolerance) for w, g in zip(wanted, given, strict=True))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _numbers_match(wanted: str, given: str, tolerance: float) -> bool:
    left, right = wanted.split(), given.split()
    if len(left) != len(right):
        return False
    return all(_number_matches(a, b, tolerance) for a, b in zip(left, right, strict=True))


def _number_matches(wanted: str, given: str, tolerance: float) -> bool:
    try:
        if Decimal(wanted) == Decimal(given):
            return True
        return tolerance > 0 and math.isclose(float(wanted), float(given), rel_tol=tolerance, abs_tol=tolerance)
    except (InvalidOperation, ValueError, OverflowError):
        # words among numbers may stand unchanged only where a tolerance makes the line comparison fuzzy
        return tolerance > 0 and wanted == given


def value_matches(expected: Any, value: Any, tolerance: float = 0.0) -> bool:
    """Python equality between a JSON value and a returned value. A tuple counts as a list at the top (the JSON has no
    tuples), integer keys as their text, floats within the tolerance."""
    try:
        if isinstance(value, tuple) and isinstance(expected, list):
            value = list(value)
        return _equal(expected, value, tolerance)
    except RecursionError:
        return False


def _equal(expected: Any, value: Any, tolerance: float) -> bool:
    if isinstance(expected, list) and isinstance(value, list):
        return len(expected) == len(value) and all(
            _equal(e, v, tolerance) for e, v in zip(expected, value, strict=True)
        )
    if isinstance(expected, dict) and isinstance(value, dict):
        keyed = {str(k) if type(k) is int else k: v for k, v in value.items()}
        wanted = {str(k) if type(k) is int else k: v for k, v in expected.items()}
        return keyed.keys() == wanted.keys() and all(_equal(wanted[k], keyed[k], tolerance) for k in wanted)
    if isinstance(expected, int | float) and isinstance(value, int | float):
        if expected == value:
            return True
        return tolerance > 0 and math.isclose(expected, value, rel_tol=tolerance, abs_tol=tolerance)
    return bool(expected == value)
