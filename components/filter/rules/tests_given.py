"""The tests of a code problem: there are some, they are whole, and they name what they call (paper, section 6.1)."""

import re
from typing import Any

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, code

KINDS = ("stdin_stdout", "function_call", "assertions", "check_function")


def check_empty(problem: Problem, config: FilterConfig) -> str | None:
    if problem.metadata.get("tests_error"):
        return None
    tests = problem.tests or {}
    cases = {"assertions": tests.get("assertions"), "check_function": tests.get("test_code")}.get(
        str(tests.get("kind")), tests.get("inputs") or tests.get("outputs")
    )
    blank = not cases or (isinstance(cases, str) and not cases.strip())
    return f"no tests of kind {tests.get('kind', '(none)')}" if blank else None


def check_broken(problem: Problem, config: FilterConfig) -> str | None:
    if error := problem.metadata.get("tests_error"):
        return f"unreadable: {str(error)[:160]}"
    tests = problem.tests or {}
    kind = tests.get("kind")
    if kind not in KINDS:
        return f"unknown kind: {kind}"
    if kind == "assertions":
        return _not_texts(tests.get("assertions"), "assertions")
    if kind == "check_function":
        return None if isinstance(tests.get("test_code"), str) else "test_code is not text"
    return _broken_cases(kind, tests.get("inputs"), tests.get("outputs"))


def _broken_cases(kind: str, inputs: Any, outputs: Any) -> str | None:
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        return f"inputs are {type(inputs).__name__}, outputs are {type(outputs).__name__}"
    if len(inputs) != len(outputs):
        return f"{len(inputs)} inputs, {len(outputs)} outputs"
    if kind == "stdin_stdout":
        return _not_texts(inputs, "inputs") or _not_texts(outputs, "outputs")
    wrong = next((i for i, arguments in enumerate(inputs) if not isinstance(arguments, list)), None)
    return None if wrong is None else f"input {wrong} is not a list of arguments: {str(inputs[wrong])[:80]}"


def _not_texts(values: Any, what: str) -> str | None:
    if not isinstance(values, list):
        return f"{what} are {type(values).__name__}"
    wrong = next((i for i, value in enumerate(values) if not isinstance(value, str)), None)
    return None if wrong is None else f"{what} {wrong} is not text: {str(values[wrong])[:80]}"


def check_entry_point(problem: Problem, config: FilterConfig) -> str | None:
    tests = problem.tests or {}
    name = {"function_call": tests.get("fn_name"), "check_function": tests.get("entry_point")}.get(
        tests.get("kind", "")
    )
    if tests.get("kind") not in ("function_call", "check_function"):
        return None
    if not isinstance(name, str) or not name.strip():
        return f"tests of kind {tests['kind']} name no function"
    last = name.strip().removesuffix(")").removesuffix("(").rpartition(".")[2]
    if problem.starter_code.strip() and not re.search(rf"\b{re.escape(last)}\b", problem.starter_code):
        return f"the starter code does not define {last}"
    return None


_CALL = {"kind": "function_call", "fn_name": "f", "inputs": [[2]], "outputs": [4]}
_CHECK = {"kind": "check_function", "test_code": "def check(c): assert c(2) == 4", "entry_point": "Solution().f"}

TESTS_EMPTY = Rule(
    "tests_empty",
    ("code",),
    check_empty,
    kept=(code("Double it."), code("Double it.", _CALL), code("Double it.", _CHECK)),
    dropped=(
        code("Double it.", {}),
        code("Double it.", {"kind": "stdin_stdout", "inputs": [], "outputs": []}),
        code("Double it.", {"kind": "assertions", "assertions": []}),
        code("Double it.", {"kind": "check_function", "test_code": " ", "entry_point": "f"}),
    ),
)
TESTS_BROKEN = Rule(
    "tests_broken",
    ("code",),
    check_broken,
    kept=(code("Double it."), code("Double it.", {"kind": "assertions", "assertions": ["assert f(2) == 4"]})),
    dropped=(
        code("Double it.", {"kind": "stdin_stdout", "inputs": ["1", "2"], "outputs": ["2"]}),
        code("Double it.", {"kind": "stdin_stdout", "inputs": [1], "outputs": ["2"]}),
        code("Double it.", {**_CALL, "inputs": [2]}),
        code("Double it.", {"kind": "riddle", "inputs": ["1"], "outputs": ["2"]}),
        code("Double it.", {}, tests_error="not JSON at character 14"),
    ),
)
MISSING_ENTRY_POINT = Rule(
    "missing_entry_point",
    ("code",),
    check_entry_point,
    kept=(
        code("Double it."),
        code("Double it.", _CALL, "def f(x):"),
        code("Double it.", _CHECK, "class Solution:\n  def f(self, x):"),
    ),
    dropped=(
        code("Double it.", {**_CALL, "fn_name": ""}),
        code("Double it.", {**_CHECK, "entry_point": None}),
        code("Double it.", _CALL, "def double(x):"),
    ),
)
