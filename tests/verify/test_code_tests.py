"""Reading tests: our kinds, the sources' shapes, and what is refused."""
# ruff: noqa: E501  (programs and tests are one-line literals)

import base64
import json
import pickle
import zlib
from typing import Any

import pytest

from components.verify.assertion_tests import CallForm
from components.verify.code_tests import CallCase, InvalidTests, SnippetCase, StdinCase, read_tests

STDIN = (StdinCase("1\n", "2"), StdinCase("3\n", "4"))


@pytest.mark.parametrize(
    "raw",
    [
        {"kind": "stdin_stdout", "inputs": ["1\n", "3\n"], "outputs": ["2", "4"]},
        {"inputs": ["1\n", "3\n"], "outputs": ["2", "4"], "fn_name": None, "import_prefix": None},
        json.dumps({"inputs": ["1\n", "3\n"], "outputs": ["2", "4"]}),
        [{"input": "1\n", "output": "2", "testtype": "stdin"}, {"input": "3\n", "output": "4", "testtype": "stdin"}],
        [{"type": "stdin_stdout", "input": "1\n", "output": "2"}, {"input": "3\n", "output": "4"}],
        [{"input": {"stdin": a}, "output": {"stdout": b}} for a, b in (("1\n", "2"), ("3\n", "4"))],
    ],
)
def test_shapes_of_stdin_tests(raw: Any) -> None:
    assert read_tests(raw).cases == STDIN


def test_shapes_of_function_calls() -> None:
    own = {"kind": "function_call", "fn_name": "f", "inputs": [[1, [2]], ["a", 0]], "outputs": [3, ["b"]]}
    assert read_tests(own).cases == (CallCase("f", (1, [2]), (3,)), CallCase("f", ("a", 0), (["b"],)))
    skywork = {"fn_name": "f", "inputs": ["1\n[2]"], "outputs": ["3"]}
    assert read_tests(skywork).cases[0] == CallCase("f", (1, [2]), (3, "3"))
    apps = {"fn_name": "f", "inputs": [[1], [2]], "outputs": [[True], [False]]}
    assert read_tests(apps).cases[0] == CallCase("f", (1,), ([True], True))
    livecodebench = {
        "public_test_cases": json.dumps([{"input": "[1]\n2", "output": "3", "testtype": "functional"}]),
        "metadata": json.dumps({"func_name": "f"}),
    }
    assert read_tests(livecodebench).cases == (CallCase("f", ([1], 2), (3,)),)


def test_assertions_become_calls_where_they_can() -> None:
    lines = ["assert f(2) == 4", "assert f(3, k=[1]) is None", "assert not f(0)", "assert abs(f(1) - 2) < 1e-6"]
    cases = read_tests({"kind": "assertions", "assertions": lines}).cases
    assert cases[0] == CallForm("f", (2,), {}, "==", 4)
    assert cases[1] == CallForm("f", (3,), {"k": [1]}, "is", None)
    assert cases[2] == CallForm("f", (0,), {}, "false", None)
    assert cases[3] == SnippetCase(lines[3])
    assert read_tests({"assert_case": lines}).cases == cases


def test_leetcode_check_functions() -> None:
    code = "def check(candidate):\n    assert candidate(n = 1) == [1]\n    assert same(candidate(2), node([2]))\n"
    own = {"kind": "check_function", "test_code": code, "entry_point": "Solution().f", "import_prefix": "x = 1\n"}
    read = read_tests(own)
    assert read.import_prefix == "x = 1\n"
    assert read.cases[0] == CallForm("Solution().f", (), {"n": 1}, "==", [1])
    assert isinstance(read.cases[1], SnippetCase) and "Solution().f" in read.cases[1].source
    dataset = {"test": code, "entry_point": "Solution().f", "prompt": "x = 1\n"}
    assert read_tests(dataset) == read
    assert read_tests({"functional": code + "\ncheck(Solution().f)"}).cases == read.cases


def encoded(value: Any) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


def test_private_tests_decode_without_running_anything() -> None:
    rows = [{"input": "1\n", "output": "2", "testtype": "stdin"}]
    raw = {"public_test_cases": json.dumps(rows), "private_test_cases": encoded(json.dumps(rows)), "metadata": "{}"}
    assert read_tests(raw).cases == (StdinCase("1\n", "2"),) * 2

    class Hostile:
        def __reduce__(self) -> Any:
            return (print, ("ran",))

    with pytest.raises(InvalidTests, match="malformed_tests"):
        read_tests({"private_test_cases": encoded(Hostile())})


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, "no_tests"),
        ([], "no_tests"),
        ({"kind": "stdin_stdout", "inputs": [], "outputs": []}, "no_tests"),
        ({"kind": "assertions", "assertions": []}, "no_tests"),
        ({"kind": "check_function", "test_code": "", "entry_point": "f", "import_prefix": ""}, "no_tests"),
        ({"kind": "check_function", "test_code": "def check(candidate):\n    pass", "entry_point": "f"}, "no_tests"),
        ({"kind": "telepathy"}, "unknown_kind"),
        ({"a": 1}, "unknown_kind"),
        ({"kind": "stdin_stdout", "inputs": ["1"], "outputs": []}, "equal length"),
        ({"kind": "function_call", "inputs": [[1]], "outputs": [1]}, "fn_name"),
        ({"kind": "assertions", "assertions": ["assert ("]}, "malformed_tests"),
        ({"kind": "stdin_stdout", "inputs": ["1"], "outputs": ["1"], "time_limit_s": -1}, "time_limit_s"),
        ("not json", "malformed_tests"),
        (7, "malformed_tests"),
        (
            [
                {"input": "1", "output": "1", "testtype": "stdin"},
                {"input": "1", "output": "1", "testtype": "functional"},
            ],
            "mixed_test_types",
        ),
    ],
)
def test_unusable_tests_are_named(raw: Any, reason: str) -> None:
    with pytest.raises(InvalidTests, match=reason):
        read_tests(raw)
