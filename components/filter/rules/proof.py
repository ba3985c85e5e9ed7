"""Proof problems have no answer to check (paper, section 6.1)."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math, seen

_PROVE = re.compile(
    r"(?:^|[.!?:;,$\]})]\s+|\n\s*|\b(?:then|please|and|to|also) )(?:prove|disprove|show|demonstrate|verify)"
    r"(?: or disprove)?\b(?:,? (?:also |by \w+ )?(?:that|the following|the inequality|the identity|if|there|for)\b|"
    r"[:\\$ ])[^.?]*",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"\b(?:find|determine|compute|calculate|evaluate|what|how (?:many|much|long|far|old)|which|minimum|maximum|"
    r"solve for)\b|\?",
    re.IGNORECASE,
)


def check(problem: Problem, config: FilterConfig) -> str | None:
    kind = str(problem.metadata.get("question_type") or "")
    if kind.lower() == "proof":
        return f"question_type: {kind}"
    if any(answer.strip().strip(".").lower() == "proof" for answer in problem.answers):
        return "answer: proof"
    match = _PROVE.search(problem.statement)
    return None if match is None or _ASK.search(problem.statement) else seen(match)


RULE = Rule(
    "proof",
    ("math",),
    check,
    kept=(
        math("Find all n with n^2=49 and n>0, and prove that there are no others."),
        math("A show starts at 3 and lasts 4 hours. When does it end?"),
        math("It can be shown that x is whole. Find x if 2x=14."),
    ),
    dropped=(
        math("Prove that the square root of 2 is irrational."),
        math("Let a, b be odd. Show that a+b is even."),
        math("Consider a triangle with equal sides.", question_type="proof"),
        math("Let a be even. Then a^2 is even.", "proof"),
    ),
)
