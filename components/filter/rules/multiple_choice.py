"""Multiple choice: a letter can be guessed, and the answer column often holds only the letter."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math

_STYLE = r"\\(?:text|textbf|mathrm|mathbf|rm|bf)"
_ROUND = re.compile(rf"(?<![A-Za-z])[(（]\s*(?:{_STYLE}\s*\{{?\s*)?[(（]?([A-E])\b\s*\}}?\s*[)）]\s*\}}?")
_STYLED = re.compile(rf"{_STYLE}\s*\{{\s*\(?([A-E])\)?[.)]?\s*\}}")
_BARE = re.compile(
    r"(?:^|[\n$]|\s{2,}|\\\\|\\quad|[;.?:)]\s|\*\*)\s*\$?(?:\\text(?:bf)?\{|\\mathrm\{|\\bf )?"
    r"\(?([A-E])(?:\\ ?|~)?[.)、:．]\}?(?:\*\*)?(?=\s|\$|\\|[-\d])"
)


def options(text: str) -> str:
    """The labels of the options that stand in the text, e.g. `ABCD`; empty if there are fewer than three in order."""
    for pattern in (_ROUND, _STYLED, _BARE):
        labels = "".join(match.group(1) for match in pattern.finditer(text))
        for wanted in ("ABCDE", "ABCD", "ABC"):
            if wanted in labels:
                return wanted
    return ""


def has_options(text: str) -> bool:
    return bool(options(text))


def check(problem: Problem, config: FilterConfig) -> str | None:
    kind = str(problem.metadata.get("question_type") or "")
    if kind.lower() in ("mcq", "multiple-choice", "multiple_choice", "multiple choice"):
        return f"question_type: {kind}"
    labels = options(problem.statement)
    return f"options {', '.join(labels)}" if labels else None


RULE = Rule(
    "multiple_choice",
    ("math",),
    check,
    kept=(
        math("Points A, B and C lie on a line with AB=3 and BC=4. Find AC."),
        math("Let P(A)=0.2, P(B)=0.3 and P(C)=0.5 be chances. Find P(A)+P(B)."),
        math("Trains from A. go to B. and from B. to C. in 3 and 4 hours. How long does it take in all?"),
    ),
    dropped=(
        math("What is 3+4? (A) 6 (B) 7 (C) 8 (D) 9"),
        math("What is 3+4?\nA. 6\nB. 7\nC. 8\nD. 9", "B"),
        math(r"What is 3+4? $\textbf{(A)}\ 6 \qquad \textbf{(B)}\ 7 \qquad \textbf{(C)}\ 8$"),
        math("What is 3+4? - **A)** 6 - **B)** 7 - **C)** 8"),
        math("Which number is prime?", "B", question_type="MCQ"),
    ),
)
