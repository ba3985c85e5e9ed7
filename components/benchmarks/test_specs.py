"""Tests of a code problem: the shapes that sources publish, brought to one explicit shape with a `kind`.

{"kind": "stdin_stdout", "inputs": [text, ...], "outputs": [text, ...]}
{"kind": "function_call", "fn_name": name, "inputs": [[argument, ...], ...], "outputs": [value, ...]}
{"kind": "assertions", "assertions": [text, ...]}
{"kind": "check_function", "test_code": text, "entry_point": expression, "import_prefix": text}
"""

import json
from typing import Any

from components.benchmarks.raw_files import JSON_ERRORS, parse_json

KINDS = ("stdin_stdout", "function_call", "assertions", "check_function")
MAX_ERROR_CHARS = 120
Spec = dict[str, Any]


def check_function(test_code: str, entry_point: str, import_prefix: str) -> Spec:
    """LeetCodeDataset: `test_code` defines `check(candidate)`."""
    return {
        "kind": "check_function",
        "test_code": test_code,
        "entry_point": entry_point.strip(),
        "import_prefix": import_prefix,
    }


def spec_or_error(value: Any) -> tuple[Spec | None, str]:
    """The explicit tests and an empty text, or None and what is wrong. None and no error means that there are none."""
    if value is None or value == "":
        return None, ""
    try:
        spec = to_spec(parse_json(value) if isinstance(value, str) else value)
        json.dumps(spec, allow_nan=False)
        return spec, ""
    except (*JSON_ERRORS, KeyError, TypeError) as error:
        return None, str(error)[:MAX_ERROR_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")


def to_spec(value: Any) -> Spec:
    """Explicit tests from any known shape. Raises ValueError saying what is wrong with it."""
    if isinstance(value, dict) and value.get("kind") in KINDS:
        return value
    if isinstance(value, dict) and value.get("test_code") is not None:
        return check_function(value["test_code"], value.get("entry_point") or "", value.get("import_prefix") or "")
    if isinstance(value, dict) and value.get("assert_case") is not None:
        return {"kind": "assertions", "assertions": list(value["assert_case"])}
    if isinstance(value, dict) and value.get("inputs") is not None:
        return _from_lists(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return {"kind": "assertions", "assertions": value}
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return from_cases(value, fn_name="")
    raise ValueError(f"unknown shape of tests: {str(value)[:60]}")


def _from_lists(value: dict[str, Any]) -> Spec:
    """TACO and APPS: parallel lists, and `fn_name` where a function is called."""
    inputs, outputs = value["inputs"], value.get("outputs")
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        raise ValueError("'inputs' and 'outputs' must be lists")
    if len(inputs) != len(outputs):
        raise ValueError(f"{len(inputs)} inputs but {len(outputs)} outputs")
    if not value.get("fn_name"):
        return {"kind": "stdin_stdout", "inputs": [_lines(i) for i in inputs], "outputs": [_lines(o) for o in outputs]}
    if inputs and all(isinstance(item, str) for item in inputs + outputs):
        return call_spec(value["fn_name"], inputs, outputs)
    if not all(isinstance(arguments, list) for arguments in inputs):
        raise ValueError("every input of a function call must be a list of arguments")
    if outputs and all(isinstance(output, list) and len(output) == 1 for output in outputs):
        outputs = [output[0] for output in outputs]  # TACO and APPS wrap most returned values in a list of one
    return {"kind": "function_call", "fn_name": value["fn_name"], "inputs": inputs, "outputs": outputs}


def _lines(value: Any) -> str:
    """Text of one standard input or output; some rows hold it as a list of lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    raise ValueError(f"standard input and output must be text, found {type(value).__name__}")


def call_spec(fn_name: str, inputs: list[str], outputs: list[str]) -> Spec:
    """LiveCodeBench and Skywork: a line of JSON for each argument, JSON for the returned value."""
    return {
        "kind": "function_call",
        "fn_name": fn_name,
        "inputs": [[parse_json(line) for line in text.split("\n") if line.strip()] for text in inputs],
        "outputs": [parse_json(text) for text in outputs],
    }


def from_cases(cases: list[dict[str, Any]], fn_name: str) -> Spec:
    """LiveCodeBench: a list of {input, output, testtype}; all of one type."""
    types = {case.get("testtype", "stdin") for case in cases}
    if len(types) > 1:
        raise ValueError(f"tests of several types in one problem: {', '.join(sorted(map(str, types)))}")
    inputs, outputs = [_lines(case["input"]) for case in cases], [_lines(case["output"]) for case in cases]
    if types == {"functional"}:
        if not fn_name:
            raise ValueError("functional tests without the name of the function")
        return call_spec(fn_name, inputs, outputs)
    if types and types != {"stdin"}:
        raise ValueError(f"unknown testtype '{types.pop()}'")
    return {"kind": "stdin_stdout", "inputs": inputs, "outputs": outputs}
