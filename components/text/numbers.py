"""The numbers that a statement gives: what tells a duplicate from the same template with other numbers."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction

from components.text.normalise import normalise

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
seventeen eighteen nineteen twenty".split()
NUMBER_WORDS = {word: str(i) for i, word in enumerate(_SMALL)} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "dozen": "12", "half": "0.5", "twice": "2",
}  # fmt: skip
_DRAWING = re.compile(r"\[\s*asy\s*\].*?(?:\[\s*/\s*asy\s*\]|\Z)|\\begin\{(asy|tikzpicture)\}.*?\\end\{\1\}", re.S)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def without_drawings(statement: str) -> str:
    """The statement without embedded drawing programs, whose coordinates are not given numbers."""
    return _DRAWING.sub(" ", statement)


def canonical_number(token: str) -> str:
    """`007` as `7`, `2.50` as `2.5`: one spelling a value."""
    whole, _, decimals = token.partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def given_numbers(statement: str) -> tuple[str, ...]:
    """Numbers of a statement in reading order, spelled-out ones included, without those in drawings."""
    tokens = normalise(without_drawings(statement)).split(" ")
    tokens = [NUMBER_WORDS.get(token, token) for token in tokens]
    return tuple(canonical_number(token) for token in tokens if _NUMBER.fullmatch(token))


def share_of_numbers(wanted: Sequence[str], found: Sequence[str]) -> float:
    """Share of the `wanted` numbers that `found` holds too, each as often as it is wanted; 1.0 if none are wanted."""
    if not wanted:
        return 1.0
    return (Counter(wanted) & Counter(found)).total() / len(wanted)


def share_in_order(wanted: Sequence[str], found: Sequence[str]) -> float:
    """As `share_of_numbers`, but only numbers that stand in the same order count: 12 - 5 is not 5 - 12."""
    if not wanted:
        return 1.0
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(wanted)


def answer_key(answer: str) -> str:
    """A cheap key of an answer: equal keys mean equal answers, different keys say nothing (ask the verifier).

    Whole numbers, decimals and simple fractions become one reduced fraction: `025`, `25.0` and `\\frac{50}{2}` agree.
    """
    form = re.sub(r"\\boxed\s*\{(.*)\}\s*$", r"\1", answer.strip().strip("$ "), flags=re.S)
    form = normalise(form).removesuffix(r" \degree")
    plain = re.sub(r"\\frac \{ (\d+) \} \{ (\d+) \}", r"\1/\2", form).replace(" ", "")
    if re.fullmatch(r"-?\d{1,300}(\.\d{1,300})?(/\d{1,300})?", plain):
        head, _, tail = plain.partition("/")
        if not tail:
            return str(Fraction(head))
        if int(tail):
            return str(Fraction(head) / int(tail))
    return form
