"""The whole statement stands twice in a row (paper, section 6.3: faulty problems)."""

from difflib import SequenceMatcher

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, code, math
from components.text.normalise import tokens

PREFIX_TOKENS = 6
MIN_SIMILARITY = 0.9


def check(problem: Problem, config: FilterConfig) -> str | None:
    found = tokens(problem.statement)
    prefix = found[:PREFIX_TOKENS]
    for start in range(max(PREFIX_TOKENS, int(0.4 * len(found))), int(0.6 * len(found)) + 1):
        if found[start : start + PREFIX_TOKENS] != prefix:
            continue
        matcher = SequenceMatcher(None, found[:start], found[start:], autojunk=False)
        if matcher.quick_ratio() >= MIN_SIMILARITY and matcher.ratio() >= MIN_SIMILARITY:
            return f"the text starts again at token {start} of {len(found)}: {' '.join(prefix)}"
    return None


_ONCE = "A box holds 12 red and 5 blue pens. How many more red pens than blue pens are in it?"

RULE = Rule(
    "repeated_statement",
    ("math", "code"),
    check,
    kept=(
        math(_ONCE),
        math("Ann has 3 red pens and 4 blue pens. Ann has 5 red books and 9 blue books. How many things are red?"),
        code("Print yes. Print yes."),
    ),
    dropped=(math(f"{_ONCE} {_ONCE}"), math(f"{_ONCE}\n\n{_ONCE.upper().replace('.', ' .')}")),
)
