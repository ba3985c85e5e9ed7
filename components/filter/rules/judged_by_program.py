"""Code problems whose output cannot be compared with one expected output."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, code, seen

_ANY = (
    r"(?:print|output|return|report|display|find) (?:out )?any(?: one)?(?: of (?:them|these|the|"
    r"such))?\b(?! (?:number|character|other|"
    r"extra|integer|messages?|text|output|errors?|spaces?|prompt))"
)
_SEVERAL = re.compile(
    rf"\bif (?:there (?:are|is|exists?) )?(?:multiple|several|many|more than one)[^.]{{0,80}}[,.]? *(?:you (?:may|"
    rf"can|should) )?{_ANY}|"
    rf"\b(?:you (?:may|can) )?{_ANY} (?:of (?:them|these)|valid|correct|possible|suitable)|"
    r"\bany (?:valid |correct |possible |of the )?(?:answer|solution|output)s? (?:will|would|is|are|"
    r"shall) (?:be )?(?:accepted|ok|fine|allowed)|"
    r"\b(?:multiple|several) (?:answers|solutions|outputs) are (?:accepted|possible)",
    re.IGNORECASE,
)
_INTERACTIVE = re.compile(
    r"\b(?:this is an? (?:\w+ )?interactive|interactive (?:problem|task|judge)|interact(?:ion|s)? with the (?:judge|"
    r"grader|interactor|jury)|"
    r"flush (?:the )?(?:output|stdout|standard output|buffer)|fflush\(stdout\)|the interactor\b)",
    re.IGNORECASE,
)


def check_special_judge(problem: Problem, config: FilterConfig) -> str | None:
    """Check functions and assertions may accept several outputs; plain expected outputs cannot."""
    if (problem.tests or {}).get("kind") in ("assertions", "check_function"):
        return None
    if problem.metadata.get("special_judge") in (True, "true", "True", 1):
        return "special_judge: true"
    return seen(_SEVERAL.search(problem.statement))


def check_interactive(problem: Problem, config: FilterConfig) -> str | None:
    return seen(_INTERACTIVE.search(problem.statement))


SPECIAL_JUDGE = Rule(
    "special_judge",
    ("code",),
    check_special_judge,
    kept=(
        code("Print the number of ways. There may be any number of spaces."),
        code("If several words have the same length, print the first of them."),
        code(
            "Return any of them.", {"kind": "check_function", "test_code": "assert f(1) in (1, 2)", "entry_point": "f"}
        ),
    ),
    dropped=(
        code("Print a path from 1 to n. If there are multiple paths, print any of them."),
        code("Print two numbers with the given sum. Any valid answer will be accepted."),
        code("Print a colouring of the graph. If several answers exist, you may output any."),
        code("Print the order.", special_judge=True),
    ),
)
INTERACTIVE = Rule(
    "interactive",
    ("code",),
    check_interactive,
    kept=(code("Write an interpreter of a calculator that reads lines."),),
    dropped=(
        code("This is an interactive problem. Guess the number in 10 questions."),
        code("After each question flush the output."),
    ),
)
