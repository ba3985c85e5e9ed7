"""A reference to something that is not there: an earlier problem, a list that should follow, a cut-off text."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math, seen
from components.filter.rules.multiple_choice import has_options

_ELSEWHERE = re.compile(
    r"\b(?:the |in |from |of )(?:previous|preceding|earlier) (?:problem|question|exercise|example)s?\b|"
    r"\b(?:see|using|use|from|in|of|by) (?:problem|question|exercise|example|theorem|lemma|section|"
    r"chapter) \(?\d+(?:\.\d+)*\b|"
    r"\b(?:your|the) answers? (?:to|from|in) (?:part|problem|question|number|no\.) ?\(?\w{1,3}\)?(?=[\s.,;:?)])|"
    r"\b(?:read|according to|based on) the (?:passage|article|text|story) (?:above|below)|"
    r"\bin the table (?:below|above)\b|\bthe table (?:below|above)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\bwhich (?:one )?of the following\b[^?]*\?", re.IGNORECASE)
_CUT_OFF = re.compile(
    r"\b(?:the|an|of|and|or|where|with|by|for|from|(?:following|then|true|false)\s*:?)\s*$", re.IGNORECASE
)
_TABLE = re.compile(
    r"\\begin\s*\{(?:tabular|array)\}|\|\s*:?-{2,}|\n\s*\||<t[dr]\b|&.*\\\\|(?:\n\s*[\d,. ]+){2}", re.IGNORECASE
)
_LISTED = re.compile(r"\([ivx]+\)|(?:^|\n)\s*(?:\(?[1-9]\)?[.)]|[-*•])\s|\\item|①|\([1-9]\)")


def check(problem: Problem, config: FilterConfig) -> str | None:
    text = problem.statement.strip()
    for match in _ELSEWHERE.finditer(text):
        if "table" not in match.group().lower() or not _TABLE.search(text):
            return seen(match)
    which = _WHICH.search(text)
    if which and not has_options(text) and not _LISTED.search(text) and not re.search(r"[:;,]", which.group()):
        return f"nothing follows: {seen(which)}"
    cut = _CUT_OFF.search(text)
    return f"the text breaks off: …{text[-60:]}" if cut else None


RULE = Rule(
    "missing_reference",
    ("math",),
    check,
    kept=(
        math("Which of the following numbers is prime: 21, 33, 37, 39?"),
        math("The last question of a test is worth 5 points and the first is worth 2. What is the sum?"),
        math("In the table below\n| x | 1 |\n|---|---|\nwhat is x?"),
        math("How many of the numbers 1 to 20 are prime or even? Give the number that they amount to."),
        math("Evaluate $\\int_0^1 x\\,dx$ to three places and multiply by 14, where $x$ is real"),
        math("If 2x=14, then x equals:"),
        math("The value of 3+4 is"),
    ),
    dropped=(
        math("Under the conditions of the previous problem, find the largest n."),
        math("Which of the following fractions is the largest?"),
        math("Use the table below to find the mean height."),
        math("A sequence is given by the"),
        math("Let T be your answer to problem 3. Find T+1."),
        math("Find the value of the following:"),
        math("If x and y are unequal positive numbers, then:"),
    ),
)
