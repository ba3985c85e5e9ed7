"""Is it really the same problem? Similar wording alone cannot tell a duplicate from a twin with other numbers."""

from functools import lru_cache

from components.core.records import Problem
from components.text.agreement import agreeing_tests, cases, entry_point
from components.text.numbers import answer_key, given_numbers
from components.verify.math_answers import answers_equal


def same_answers(left: Problem, right: Problem) -> bool:
    """Whether any answer of one problem equals any of the other. Cheap keys first, then the verifier."""
    keys = {answer_key(a) for a in left.answers}, {answer_key(a) for a in right.answers}
    if keys[0] & keys[1] or left.answers == right.answers:
        return True
    return any(_equal(a, b) for a in left.answers for b in right.answers)


@lru_cache(maxsize=100_000)
def _equal(left: str, right: str) -> bool:
    return answers_equal(left, right) or answers_equal(right, left)


def number_key(problem: Problem) -> str:
    """The given numbers in sorted order, as text: equal for duplicates, different for most twins."""
    return _number_key(problem.statement)


@lru_cache(maxsize=200_000)
def _number_key(statement: str) -> str:
    return " ".join(sorted(given_numbers(statement)))


def confirmed(left: Problem, right: Problem, min_shared_tests: int, same_text: bool) -> bool:
    """Whether two similar problems are one.

    Math: same given numbers and same answer. Code: same function name, and tests that agree or a reference solution in
    common; where tests cannot tell, nearly the same text (`same_text`) with the same numbers.
    """
    if left.domain != right.domain:
        return False
    if left.domain == "math":
        return number_key(left) == number_key(right) and same_answers(left, right)
    names = {entry_point(p.tests or {}) for p in (left, right)} - {""}
    if len(names) > 1:
        return False
    agree = agreeing_tests(left.tests or {}, right.tests or {}, min_shared_tests)
    if agree is None:
        agree = bool(_programs(left) & _programs(right)) or (same_text and number_key(left) == number_key(right))
    return agree


def marks(problem: Problem) -> set[str]:
    """Tests and reference programs of a code problem as texts. Two problems without a common one are never confirmed
    as reworded duplicates, so their meaning need not be compared."""
    tests = {f"{given} -> {expected}" for given, expected in cases(problem.tests or {}).items()}
    return tests | _programs(problem)


def _programs(problem: Problem) -> set[str]:
    return {text for solution in problem.solutions if (text := "".join(solution.split()))}
