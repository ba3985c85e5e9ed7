"""A web address in a math statement: what stands there is not in the text (paper, section 6.1)."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math, seen

_URL = re.compile(r"(?:https?|ftp)\s*:\s*//\S+|\bwww\.\w[\w.-]+\S*|\b[\w-]+\.(?:com|org|net|edu)/\S+", re.IGNORECASE)


def check(problem: Problem, config: FilterConfig) -> str | None:
    return seen(_URL.search(problem.statement))


RULE = Rule(
    "external_url",
    ("math",),
    check,
    kept=(
        math("The ratio a:b is 3:4 and a+b=14. Find b-a."),
        math("A firm sells at www prices: w, w and w, with w=3. What is the total?"),
    ),
    dropped=(
        math("Use the grid at https://example.org/grid.png to count the squares."),
        math("Count the dots. ![dots](http://cdn.example.com/a.jpg)"),
        math("See www.example.net for the rules, then find the number of moves."),
    ),
)
