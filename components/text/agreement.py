"""What the tests of two code problems say about whether they are one problem."""

from typing import Any

from components.core.digest import canonical_json


def agreeing_tests(left: dict[str, Any], right: dict[str, Any], min_shared_tests: int = 2) -> bool | None:
    """True if the tests show one problem, False if they show two, None if they cannot tell.

    An input that both have with different expected outputs makes two. Half of the smaller set of inputs in common, and
    at least `min_shared_tests`, with equal outputs make one (edge cases such as an empty list are in many sets), as
    does one program text that checks both.
    """
    found = cases(left), cases(right)
    shared = sorted(found[0].keys() & found[1].keys())
    if any(found[0][key] != found[1][key] for key in shared):
        return False
    fewest = min(len(found[0]), len(found[1]))
    wanted = min(fewest, max(min_shared_tests, (fewest + 1) // 2))
    return True if wanted and len(shared) >= wanted else None


def entry_point(tests: dict[str, Any]) -> str:
    """The name of the function that the tests call; empty for programs that read standard input."""
    name = tests.get("fn_name") or tests.get("entry_point") or ""
    return str(name).removesuffix(")").removesuffix("(").rpartition(".")[2]


def cases(tests: dict[str, Any]) -> dict[str, str]:
    """Input -> expected output as text. Programs that check (assertions, a check function) are their own input."""
    if tests.get("kind") == "assertions":
        return {"".join(str(a).split()): "" for a in tests.get("assertions") or ()}
    if tests.get("kind") == "check_function":
        return {"".join(str(tests.get("test_code", "")).split()): ""}
    pairs = zip(tests.get("inputs") or (), tests.get("outputs") or (), strict=False)
    return {_as_text(given): _as_text(expected) for given, expected in pairs}


def _as_text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else canonical_json(value)
