"""Faults of the row itself: no text at all, or marked as faulty by its source."""

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, code, math
from components.text.normalise import normalise

_GOOD_MARKS = frozenset({"yes", "valid", "true", "complete", "1", "", "none", "nan"})
_MARK_COLUMNS = ("problem_is_valid", "solution_is_valid")


def check_empty(problem: Problem, config: FilterConfig) -> str | None:
    return None if normalise(problem.statement) else f"statement: {problem.statement!r}"


def check_marked(problem: Problem, config: FilterConfig) -> str | None:
    """NuminaMath-1.5 says of each row whether its problem and its solution are valid and complete."""
    for column in _MARK_COLUMNS:
        mark = problem.metadata.get(column)
        if mark is not None and str(mark).strip().lower() not in _GOOD_MARKS:
            return f"{column}: {mark}"
    return None


EMPTY_STATEMENT = Rule(
    "empty_statement",
    ("math", "code"),
    check_empty,
    kept=(math("3+4"), code("Double it.")),
    dropped=(math(" \n"), math("$$ $$"), code("")),
)
MARKED_INVALID = Rule(
    "marked_invalid",
    ("math",),
    check_marked,
    kept=(
        math("3+4", problem_is_valid="Yes", solution_is_valid="Yes"),
        math("3+4"),
        math("3+4", problem_is_valid=None),
    ),
    dropped=(
        math("3+4", problem_is_valid="Incomplete"),
        math("3+4", problem_is_valid="Yes", solution_is_valid="Problem not solved"),
    ),
)
