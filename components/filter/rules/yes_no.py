"""A yes or no answer is right half the time by guessing."""

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math
from components.text.normalise import normalise

_TWO_WAY = frozenset(
    {"yes", "no", "true", "false", "correct", "incorrect", "possible", "impossible", "never", "always"}
)


_GOES_ON = frozenset({"it", "there", "they", "he", "she", "you", "we", "this", "that"})


def check(problem: Problem, config: FilterConfig) -> str | None:
    for answer in problem.answers:
        first, *rest = normalise(answer).split(" ")
        if first in _TWO_WAY and len(rest) <= 5 and (not rest or rest[0] in _GOES_ON):
            return f"answer: {answer[:80]}"
    return None


RULE = Rule(
    "yes_no",
    ("math",),
    check,
    kept=(
        math("Is there a number with 2x=14? If so, which?", "7"),
        math("Who is right, Noa or Yves?", "Noa"),
        math("Find n.", "No such n exists"),
    ),
    dropped=(
        math("Is 91 a prime number?", "No"),
        math("Can a knight visit all squares?", r"\text{Yes}"),
        math("Decide whether the claim holds.", "False."),
        math("Is it possible?", "Yes, it is possible"),
    ),
)
