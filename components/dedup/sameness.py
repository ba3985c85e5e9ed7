"""Is it really the same problem? Similar wording alone cannot tell a duplicate from a twin with other numbers."""

from functools import lru_cache
from typing import Any

from components.core.digest import canonical_json
from components.core.records import Problem
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


def confirmed(left: Problem, right: Problem, min_shared_tests: int) -> bool:
    """Whether two similar problems are one. Math: same given numbers, same answer. Code: see `agreeing_tests`."""
    if left.domain != right.domain:
        return False
    if left.domain == "math":
        return number_key(left) == number_key(right) and same_answers(left, right)
    agree = agreeing_tests(left.tests or {}, right.tests or {}, min_shared_tests)
    return number_key(left) == number_key(right) if agree is None else agree


def agreeing_tests(left: dict[str, Any], right: dict[str, Any], min_shared_tests: int) -> bool | None:
    """True if the tests show one problem, False if they show two, None if they cannot tell.

    Two problems with different function names are two. An input that both have but with different outputs makes them
    two; enough common inputs with equal outputs make them one, as does one program text that checks both.
    """
    names = entry_point(left), entry_point(right)
    if all(names) and names[0] != names[1]:
        return False
    cases = _cases(left), _cases(right)
    shared = sorted(cases[0].keys() & cases[1].keys())
    if any(cases[0][key] != cases[1][key] for key in shared):
        return False
    wanted = min(min_shared_tests, len(cases[0]), len(cases[1]))
    return True if wanted and len(shared) >= wanted else None


def entry_point(tests: dict[str, Any]) -> str:
    """The name of the function that the tests call; empty for programs that read standard input."""
    name = tests.get("fn_name") or tests.get("entry_point") or ""
    return str(name).removesuffix(")").removesuffix("(").rpartition(".")[2]


def _cases(tests: dict[str, Any]) -> dict[str, str]:
    """Input -> expected output as text. Programs that check (assertions, a check function) are their own input."""
    if tests.get("kind") == "assertions":
        return {"".join(str(a).split()): "" for a in tests.get("assertions") or ()}
    if tests.get("kind") == "check_function":
        return {"".join(str(tests.get("test_code", "")).split()): ""}
    pairs = zip(tests.get("inputs") or (), tests.get("outputs") or (), strict=False)
    return {_as_text(given): _as_text(expected) for given, expected in pairs}


def _as_text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else canonical_json(value)
