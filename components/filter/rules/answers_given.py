"""The answer column: empty, or something that no rule checker can compare."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math

_PLACEHOLDERS = frozenset(
    "notfound|not found|n/a|na|unknown|error|see solution|see the solution|see above|answers vary|answers may vary|"
    "varies|todo|"
    "null|nan|undefined answer|not provided|no answer|none provided|omitted|-|?|...".split("|")
)
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
_TEXT = re.compile(r"\\(?:text|mbox|mathrm|textbf)\s*\{")
_IMAGE = re.compile(r"!\[|\\includegraphics|<img|https?://|\[asy\]", re.IGNORECASE)
_MATH_WORDS = frozenset(
    "sin cos tan cot sec csc log ln exp max min mod gcd lcm frac sqrt pi inf and or cm km mm kg".split()
)


def check_empty(problem: Problem, config: FilterConfig) -> str | None:
    return (
        None if any(answer.strip().strip("$ ") for answer in problem.answers) else f"answers: {list(problem.answers)}"
    )


def check_verifiable(problem: Problem, config: FilterConfig) -> str | None:
    """None if at least one answer can be compared by rules."""
    faults = [_fault(answer, config) for answer in problem.answers if answer.strip()]
    return faults[0] if faults and all(faults) else None


def _fault(answer: str, config: FilterConfig) -> str | None:
    text = answer.strip().strip("$ ")
    if text.strip(".! ").lower() in _PLACEHOLDERS or text in ("-", "?", "..."):
        return f"placeholder: {text}"
    if len(text) > config.max_answer_chars:
        return f"{len(text)} characters: {text[:80]}…"
    if text.endswith(("^", "_")):
        return f"breaks off: {text[-80:]}"
    if _IMAGE.search(text):
        return f"an image or link: {text[:80]}"
    words = [w for w in _WORD.findall(_TEXT.sub(" ", text)) if w.lower() not in _MATH_WORDS and not w.isupper()]
    return f"{len(words)} words of prose: {text[:120]}" if len(words) > config.max_answer_words else None


EMPTY_ANSWER = Rule(
    "empty_answer",
    ("math",),
    check_empty,
    kept=(math("What is 3+4?", "7"), math("What is 3-3?", "0"), math("Name it.", "", "7")),
    dropped=(math("What is 3+4?", ""), math("What is 3+4?", " $ $ ")),
)
NON_VERIFIABLE_ANSWER = Rule(
    "non_verifiable_answer",
    ("math",),
    check_verifiable,
    kept=(
        math("Solve.", r"\frac{-b+\sqrt{b^2-4ac}}{2a}"),
        math("Solve.", r"x \in (-\infty, 2) \cup (3, \infty) \text{ or } x = 7"),
        math("Who wins?", "the second player"),
        math("Which letters?", "ABCD, EFGH, IJKL, MNOP, QRST, UVWX"),
    ),
    dropped=(
        math("Explain.", "The sum grows because each new term is larger than the one before it"),
        math("Solve.", "notfound"),
        math("Solve.", "Answers may vary."),
        math("What is the angle?", "150^\n"),
        math("Draw it.", "![graph](g.png)"),
    ),
)
