"""Exact rational reading of an answer, for the fast path: it reads a plain number or nothing."""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_DIGITS = 4_300
MAX_EXPONENT = 400
_DECIMAL = r"(?:\d+\.?\d*|\.\d+)"
_PLAIN = re.compile(rf"([-+]?)({_DECIMAL})")
_RATIO = re.compile(r"([-+]?)\(?([-+]?\d+)\)?/\(?([-+]?\d+)\)?")
_FRAC = re.compile(r"([-+]?)\\frac(?:\{([-+]?\d+)\}|(\d))(?:\{([-+]?\d+)\}|(\d))")
_MIXED = re.compile(r"([-+]?)(\d+)\\frac\{(\d+)\}\{(\d+)\}")
_SCIENTIFIC = re.compile(
    rf"([-+]?)({_DECIMAL})(?:(?:\\times|\\cdot|\*|x)10\^(?:\{{([-+]?\d+)\}}|([-+]?\d+))|[eE]([-+]?\d+))"
)
_POWER_OF_TEN = re.compile(r"([-+]?)10\^(?:\{([-+]?\d+)\}|(\d))")


@dataclass(frozen=True)
class ExactNumber:
    """A rational. `decimals` counts the digits after a decimal point, None for integers and fractions."""

    value: Fraction
    decimals: int | None = None
    significant_digits: int = 0


def read_number(text: str) -> ExactNumber | None:
    """Read a normalised answer without spaces as one rational, or None. Never raises, never slow."""
    if len(text) > 2 * MAX_DIGITS:
        return None
    for pattern, reader in _READERS:
        match = pattern.fullmatch(text)
        if match:
            try:
                return reader(match)
            except (ValueError, ZeroDivisionError):
                return None
    return None


def _sign(text: str) -> int:
    return -1 if text == "-" else 1


def _plain(match: re.Match[str]) -> ExactNumber:
    digits = match.group(2)
    value = _sign(match.group(1)) * Fraction(digits.rstrip("."))
    if "." not in digits.rstrip("."):
        return ExactNumber(value)
    return ExactNumber(value, len(digits.split(".")[1]), len(digits.replace(".", "").lstrip("0")))


def _ratio(match: re.Match[str]) -> ExactNumber:
    return ExactNumber(_sign(match.group(1)) * Fraction(int(match.group(2)), int(match.group(3))))


def _frac(match: re.Match[str]) -> ExactNumber:
    above, below = match.group(2) or match.group(3), match.group(4) or match.group(5)
    return ExactNumber(_sign(match.group(1)) * Fraction(int(above), int(below)))


def _mixed(match: re.Match[str]) -> ExactNumber:
    whole, above, below = (int(g) for g in match.groups()[1:])
    return ExactNumber(_sign(match.group(1)) * (whole + Fraction(above, below)))


def _scientific(match: re.Match[str]) -> ExactNumber:
    exponent = int(match.group(3) or match.group(4) or match.group(5))
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError("exponent too large for the fast path")
    mantissa = match.group(2)
    value = _sign(match.group(1)) * Fraction(mantissa.rstrip(".")) * Fraction(10) ** exponent
    fraction_digits = len(mantissa.split(".")[1]) if "." in mantissa else 0
    return ExactNumber(value, fraction_digits - exponent, len(mantissa.replace(".", "").lstrip("0")))


def _power_of_ten(match: re.Match[str]) -> ExactNumber:
    exponent = int(match.group(2) or match.group(3))
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError("exponent too large for the fast path")
    return ExactNumber(_sign(match.group(1)) * Fraction(10) ** exponent)


_READERS = (
    (_PLAIN, _plain),
    (_FRAC, _frac),
    (_RATIO, _ratio),
    (_MIXED, _mixed),
    (_SCIENTIFIC, _scientific),
    (_POWER_OF_TEN, _power_of_ten),
)


def numbers_equal(gold: ExactNumber, prediction: ExactNumber) -> bool:
    """Equality of rationals. A decimal may also be the other number rounded or cut to at least 6 significant digits
    (the precision at which Math-Verify compares floats)."""
    if gold.value == prediction.value:
        return True
    for decimal, other in ((gold, prediction), (prediction, gold)):
        if decimal.decimals is not None and decimal.decimals >= 0 and decimal.significant_digits >= 6:
            unit = Fraction(1, 10**decimal.decimals)
            if abs(decimal.value - other.value) < unit and _at_most_as_precise(decimal, other):
                return True
    return False


def _at_most_as_precise(decimal: ExactNumber, other: ExactNumber) -> bool:
    return other.decimals is None or other.decimals > (decimal.decimals or 0)
