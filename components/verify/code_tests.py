"""Tests of a code problem: our own explicit kinds and the sources' shapes, all read into one list of cases.

Own kinds: stdin_stdout, function_call, assertions, check_function. Also read as they are: TACO and APPS
(`inputs`, `outputs`, `fn_name`), Skywork-OR1 (the same with JSON lines; `assert_case`; `import_prefix`, `test_code`),
LeetCodeDataset (`test`, `entry_point`, `prompt`), LiveCodeBench (lists of input, output, testtype; public and encoded
private cases), and lists of input and output.
"""

import ast
import json
from dataclasses import dataclass
from typing import Any

from components.verify.assertion_tests import CallForm, read_assertion
from components.verify.private_tests import decode_private_tests

KINDS = ("stdin_stdout", "function_call", "assertions", "check_function")


class InvalidTests(ValueError):
    """The tests can't be used; the message is the reason of the verdict."""


@dataclass(frozen=True)
class StdinCase:
    """Run the program on `stdin`; its output must match `expected`."""

    stdin: str
    expected: str


@dataclass(frozen=True)
class CallCase:
    """Call `fn_name` with `args`; the result must equal one of `expected` (JSON values)."""

    fn_name: str
    args: tuple[Any, ...]
    expected: tuple[Any, ...]


@dataclass(frozen=True)
class SnippetCase:
    """Statements that must run without an error in the program's namespace."""

    source: str


Case = StdinCase | CallCase | CallForm | SnippetCase


@dataclass(frozen=True)
class CodeTests:
    """All cases of a problem and the limits it asks for."""

    kind: str
    cases: tuple[Case, ...]
    import_prefix: str = ""
    time_limit_s: float | None = None
    memory_limit_mb: int | None = None
    float_tolerance: float | None = None


def read_tests(raw: Any) -> CodeTests:
    """Read tests in any known shape. Raises InvalidTests, also for an empty list: no tests prove nothing."""
    tests = _parsed(raw)
    try:
        read = _read_list(tests, "") if isinstance(tests, list) else _read_mapping(tests)
    except InvalidTests:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, SyntaxError, RecursionError) as error:
        raise InvalidTests(f"malformed_tests: {type(error).__name__}: {error}"[:200]) from error
    if not read.cases:
        raise InvalidTests("no_tests")
    return read


def _parsed(raw: Any) -> Any:
    if isinstance(raw, str):
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InvalidTests("malformed_tests: not JSON") from error
    if raw is None:
        raise InvalidTests("no_tests")
    return raw


def _read_mapping(given: Any) -> CodeTests:
    if not isinstance(given, dict):
        raise InvalidTests(f"malformed_tests: {type(given).__name__} instead of a mapping or list")
    tests = {name: value for name, value in given.items() if value is not None}  # null keys come from merged tables
    kind = tests.get("kind")
    if kind is not None and kind not in KINDS:
        raise InvalidTests(f"unknown_kind: {str(kind)[:40]}")
    if "input_output" in tests and "inputs" not in tests and isinstance(tests["input_output"], str):
        return read_tests(tests["input_output"])
    if "tests" in tests and kind is None:
        return _read_list(_parsed(tests["tests"]), str(tests.get("fn_name", "")))
    kind = kind or _kind_of(tests)
    cases, prefix = _CASE_READERS[kind](tests)
    return CodeTests(
        kind,
        tuple(cases),
        prefix,
        _positive(tests, "time_limit_s"),
        int(limit) if (limit := _positive(tests, "memory_limit_mb")) else None,
        float(tests["float_tolerance"]) if "float_tolerance" in tests else None,
    )


def _kind_of(tests: dict[str, Any]) -> str:
    if "public_test_cases" in tests or "private_test_cases" in tests:
        return "livecodebench"
    if "import_prefix" in tests or "test_code" in tests or ("test" in tests and "entry_point" in tests):
        return "check_function"
    if "functional" in tests:
        return "functional"
    if "inputs" in tests or "input" in tests:
        return "function_call" if tests.get("fn_name") else "stdin_stdout"
    if "assert_case" in tests or "assertions" in tests or "test_list" in tests:
        return "assertions"
    raise InvalidTests(f"unknown_kind: keys {sorted(tests)[:6]}")


def _positive(tests: dict[str, Any], name: str) -> float | None:
    if name not in tests:
        return None
    value = float(tests[name])
    if not 0 < value < 1e6:
        raise InvalidTests(f"malformed_tests: {name} is {tests[name]!r}")
    return value


def _pairs(tests: dict[str, Any]) -> list[tuple[Any, Any]]:
    inputs, outputs = tests.get("inputs", tests.get("input")), tests.get("outputs", tests.get("output"))
    if not isinstance(inputs, list) or not isinstance(outputs, list) or len(inputs) != len(outputs):
        raise InvalidTests("malformed_tests: inputs and outputs must be lists of equal length")
    return list(zip(inputs, outputs, strict=True))


def _stdin_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    return [StdinCase(_lines(given), _lines(expected)) for given, expected in _pairs(tests)], ""


def _lines(value: Any) -> str:
    """TACO gives some inputs and outputs as lists of lines."""
    return "\n".join(map(_lines, value)) if isinstance(value, list) else value if isinstance(value, str) else str(value)


def _call_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    name = str(tests.get("fn_name") or "")
    if not name and tests.get("kind"):
        raise InvalidTests("malformed_tests: fn_name is missing")
    pairs = _pairs(tests)
    wrapped = "kind" not in tests and all(isinstance(output, list) and len(output) == 1 for _, output in pairs)
    return [CallCase(name, _arguments(given), _expected(output, wrapped)) for given, output in pairs], ""


def _arguments(given: Any) -> tuple[Any, ...]:
    """A list of arguments, or text with one JSON value a line (LiveCodeBench, Skywork)."""
    if isinstance(given, str):
        return tuple(json.loads(line) for line in given.split("\n") if line.strip())
    if not isinstance(given, list):
        raise InvalidTests("malformed_tests: the input of a call must be a list of arguments")
    return tuple(given)


def _expected(output: Any, wrapped: bool) -> tuple[Any, ...]:
    """APPS and TACO wrap every output of a call in a list of one; some rows do not, so both readings count there."""
    if isinstance(output, str):
        try:
            return (json.loads(output), output) if not wrapped else (json.loads(output),)
        except ValueError:
            return (output,)
    return (output, output[0]) if wrapped else (output,)


def _own_call_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    """Our own function_call kind: values mean themselves, text is text."""
    if not all(isinstance(given, list) for given, _ in _pairs(tests)) or "kind" not in tests:
        return _call_cases(tests)
    name = str(tests.get("fn_name") or "")
    if not name:
        raise InvalidTests("malformed_tests: fn_name is missing")
    return [CallCase(name, tuple(given), (output,)) for given, output in _pairs(tests)], ""


def _assertion_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    given = tests.get("assertions", tests.get("assert_case", tests.get("test_list", [])))
    sources = [given] if isinstance(given, str) else list(given)
    cases: list[Case] = []
    for source in sources:
        body = ast.parse(source).body
        form = read_assertion(body[0], {}) if len(body) == 1 else None
        cases.append(form or SnippetCase(source))
    return cases, str(tests.get("import_prefix", ""))


def _check_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    code = tests.get("test_code", tests.get("test", ""))
    prefix = str(tests.get("import_prefix", tests.get("prompt", "")))
    if not str(code).strip():
        return [], prefix
    ast.parse(prefix)
    return _harness_cases(str(code), str(tests.get("entry_point", ""))), prefix


def _functional_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    return _harness_cases(str(tests["functional"]), ""), ""


def _harness_cases(code: str, entry_point: str) -> list[Case]:
    """A LeetCode check function: one case for each assertion where its body holds nothing else, else one for all."""
    body = ast.parse(code).body
    checks = [node for node in body if isinstance(node, ast.FunctionDef)]
    check = checks[0] if len(checks) == 1 and len(checks[0].args.args) == 1 else None
    for node in body:
        call = node.value if isinstance(node, ast.Expr) else None
        if check and isinstance(call, ast.Call) and ast.unparse(call.func) == check.name and call.args:
            entry_point = ast.unparse(call.args[0])
    others = [node for node in body if node is not check and not isinstance(node, ast.Expr)]
    if check is None or others or not all(isinstance(node, ast.Assert) for node in check.body):
        called = check is None or any(isinstance(node, ast.Expr) for node in body)
        call_text = "" if called or check is None else f"\n{check.name}({entry_point})\n"
        return [SnippetCase(code + call_text)] if _has_assertion(body) else []
    if not entry_point:
        raise InvalidTests("malformed_tests: entry_point is missing")
    name = check.args.args[0].arg
    return [
        read_assertion(node, {name: entry_point}) or SnippetCase(f"{name} = {entry_point}\n{ast.unparse(node)}")
        for node in check.body
    ]


def _has_assertion(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Assert) for statement in body for node in ast.walk(statement))


def _livecodebench_cases(tests: dict[str, Any]) -> tuple[list[Case], str]:
    metadata = _parsed(tests.get("metadata", "{}") or "{}")
    name = str(tests.get("fn_name") or metadata.get("func_name") or "")
    cases = list(_read_list(_parsed(tests.get("public_test_cases") or "[]"), name).cases)
    private = tests.get("private_test_cases")
    if private:
        decoded = decode_private_tests(private) if isinstance(private, str) else private
        cases += _read_list(decoded, name).cases if isinstance(decoded, list) else read_tests(decoded).cases
    if len({isinstance(case, StdinCase) for case in cases}) > 1:
        raise InvalidTests("mixed_test_types")
    return cases, ""


def _read_list(rows: Any, fn_name: str) -> CodeTests:
    """A list of {input, output, testtype?} (also nested {stdin}, {stdout}) or of assertion lines."""
    if not isinstance(rows, list):
        raise InvalidTests("malformed_tests: not a list")
    if rows and all(isinstance(row, str) for row in rows):
        return CodeTests("assertions", tuple(_assertion_cases({"assertions": rows})[0]))
    cases: list[Case] = []
    for row in rows:
        given, expected = row["input"], row["output"]
        if isinstance(given, dict):
            given, expected = given["stdin"], expected["stdout"]
        name = str(row.get("fn_name") or (row.get("metadata") or {}).get("func_name") or fn_name)
        if row.get("testtype") == "functional" or (row.get("testtype") is None and fn_name):
            cases.append(CallCase(name, _arguments(given), _expected(expected, False)[:1]))
        else:
            cases.append(StdinCase(_lines(given), _lines(expected)))
    kinds = {isinstance(case, StdinCase) for case in cases}
    if len(kinds) > 1:
        raise InvalidTests("mixed_test_types")  # a known corruption: another problem's tests were appended
    return CodeTests("stdin_stdout" if kinds == {True} else "function_call", tuple(cases))


_CASE_READERS = {
    "stdin_stdout": _stdin_cases,
    "function_call": _own_call_cases,
    "assertions": _assertion_cases,
    "check_function": _check_cases,
    "functional": _functional_cases,
    "livecodebench": _livecodebench_cases,
}
