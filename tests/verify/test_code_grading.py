"""Programs run as written; outputs compared as LiveCodeBench does; statuses and details."""
# ruff: noqa: E501  (programs and tests are one-line literals)

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.core.records import Verdict
from components.verify.catalog import Grader
from components.verify.config import VerifierConfig
from components.verify.requests import GradeRequest

SHARED = Path(__file__).parents[2].parent / "shared"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(VerifierConfig(num_workers=1, test_timeout_s=4.0)) as grader:
        yield grader


def stdin(*pairs: tuple[str, str], **options: Any) -> dict[str, Any]:
    return {"kind": "stdin_stdout", "inputs": [p[0] for p in pairs], "outputs": [p[1] for p in pairs], **options}


def calls(*pairs: tuple[list[Any], Any], **options: Any) -> dict[str, Any]:
    inputs, outputs = [p[0] for p in pairs], [p[1] for p in pairs]
    return {"kind": "function_call", "fn_name": "f", "inputs": inputs, "outputs": outputs, **options}


def judge(grader: Grader, code: str, tests: Any) -> Verdict:
    return grader.grade([GradeRequest("code", tests=tests, code=code)])[0]


AS_WRITTEN = {
    "buffered stdin": "import sys\nr = sys.stdin.buffer.readline\nn = int(r())\nprint(sum(map(int, r().split())))",
    "global": "n = int(input())\nt = 0\ndef add(x):\n    global t\n    t += x\nfor x in input().split(): add(int(x))\nprint(t)",
    "main guard": "def main():\n    input()\n    print(sum(map(int, input().split())))\nif __name__ == '__main__':\n    main()",
    "exit": "import sys\ninput()\nprint(sum(map(int, input().split())))\nsys.exit(0)\nprint('no')",
    "thread": (
        "import sys, threading\nsys.setrecursionlimit(10**6)\nthreading.stack_size(1 << 26)\n"
        "def depth(n): return 0 if n == 0 else 1 + depth(n - 1)\n"
        "def main():\n    input()\n    assert depth(50000) == 50000\n    print(sum(map(int, input().split())))\n"
        "t = threading.Thread(target=main)\nt.start()\nt.join()"
    ),
    "open(0)": "print(sum(map(int, open(0).read().split()[1:])))",
    "os.read": "import os\nprint(sum(map(int, os.read(0, 10**6).split()[1:])))",
    "os.write": "import os\ninput()\nos.write(1, str(sum(map(int, input().split()))).encode())",
    "deep recursion": (
        "def depth(n): return 0 if n == 0 else 1 + depth(n - 1)\ninput()\ndepth(20000)\nprint(sum(map(int, input().split())))"
    ),
    "class recursion": (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\ninput()\n"
        "print(sum(A(int(v)).x for v in input().split()))"
    ),
    "atexit": "import atexit\ninput()\nv = sum(map(int, input().split()))\natexit.register(lambda: print(v))",
}


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_programs_run_as_written(grader: Grader, name: str) -> None:
    verdict = judge(grader, AS_WRITTEN[name], stdin(("3\n1 2 3\n", "6"), ("1\n-4\n", "-4\n")))
    assert verdict.status == "correct", verdict.reason
    assert verdict.tests == ("passed", "passed")


@pytest.mark.parametrize(
    ("printed", "expected", "passes"),
    [
        ("'1 2 '", "1 2\n", True),
        ("' 1\\n2 \\n\\n'", "1\n2", True),
        ("'1.0 2'", "1 2.00", True),
        ("'1\\n\\n2'", "1\n2", False),
        ("'Yes'", "YES", False),
        ("'0.3333333'", "0.3333334", False),
        ("'nan'", "nan", True),
        ("''", "0", False),
        ("'1e3'", "1000", True),
    ],
)
def test_stdout_comparison(grader: Grader, printed: str, expected: str, passes: bool) -> None:
    assert judge(grader, f"print({printed})", stdin(("", expected))).is_correct is passes


def test_float_tolerance_of_the_test_set(grader: Grader) -> None:
    assert judge(grader, "print(0.3333333, 'ok')", stdin(("", "0.3333334 ok"), float_tolerance=1e-6)).is_correct
    tests = calls(([1], [0.1]), float_tolerance=1e-6)
    assert judge(grader, "def f(x): return [0.1000000001]", tests).is_correct
    assert not judge(grader, "def f(x): return [0.1000000001]", calls(([1], [0.1]))).is_correct


@pytest.mark.parametrize(
    "code",
    [
        "def f(a, b): return a + b",
        "class Solution:\n    def f(self, a: int, b: int) -> int: return a + b",
        "class Solution:\n    def f(self, a: List[int], b: Optional[int]): return sum([a, b])",
        "def f(a, b): return b if a == 0 else 1 + f(a - 1, b)",
        "print('noise')\ndef f(a, b):\n    print('more noise')\n    return a + b",
    ],
)
def test_function_calls(grader: Grader, code: str) -> None:
    assert judge(grader, code, calls(([1, 2], 3), ([0, 0], 0))).tests == ("passed", "passed")


def test_returned_values(grader: Grader) -> None:
    tests = calls(([0], [1, 2]))
    assert judge(grader, "def f(x): return (1, 2)", tests).is_correct
    assert not judge(grader, "def f(x): return [2, 1]", tests).is_correct
    assert judge(grader, "def f(x): return 2 ** 20000", calls(([0], 2**20000))).is_correct
    assert judge(grader, "def f(x): return {1: 'a'}", calls(([0], {"1": "a"}))).is_correct
    assert judge(grader, "import numpy as np\ndef f(x): return np.int64(3)", calls(([0], 3))).is_correct
    assert judge(grader, "def f(x): return None", calls(([0], None))).is_correct


def test_an_exception_is_never_an_expected_none(grader: Grader) -> None:
    verdict = judge(grader, "def f(x): raise ValueError('not done')", calls(([3], None)))
    assert verdict.tests == ("runtime_error",) and "not done" in verdict.reason


def test_the_first_failure_is_named_and_ends_the_item(grader: Grader) -> None:
    verdict = judge(grader, "def f(x): return x", calls(([1], 1), ([2], 3), ([4], 4)))
    assert verdict.tests == ("passed", "wrong_answer", "not_run")
    assert verdict.reason == "wrong_answer: test 2 of 3: input (2,), expected 3, got 2"
    with Grader(VerifierConfig(num_workers=1, stop_at_first_failure=False)) as full:
        assert judge(full, "def f(x): return x", calls(([1], 1), ([2], 3), ([4], 4))).tests[2] == "passed"
        assert judge(full, "print(input())", stdin(("1", "1"), ("2", "3"), ("4", "4"))).tests[1:] == (
            "wrong_answer",
            "passed",
        )
        ends = "import os\ndef f(x):\n    if x == 2: os._exit(0)\n    return x"
        assert judge(full, ends, calls(([1], 1), ([2], 2), ([4], 4))).tests == ("passed", "runtime_error", "passed")


def test_kinds_of_failure(grader: Grader) -> None:
    verdicts = {
        "syntax": judge(grader, "def f(x: return x", calls(([1], 1))),
        "missing": judge(grader, "def g(x): return x", calls(([1], 1))),
        "exit code": judge(grader, "print(1)\nraise SystemExit(3)", stdin(("", "1"))),
        "crash": judge(grader, "import ctypes\nctypes.string_at(0)", stdin(("", "1"))),
        "no code": grader.grade([GradeRequest("code", "no block", tests=stdin(("", "1")))])[0],
        "empty": judge(grader, "print(1)", stdin()),
    }
    assert verdicts["syntax"].tests == ("runtime_error",) and "SyntaxError" in verdicts["syntax"].reason
    assert "defines no f" in verdicts["missing"].reason
    assert "exit code 3" in verdicts["exit code"].reason
    assert verdicts["crash"].tests == ("runtime_error",)
    assert (verdicts["no code"].status, verdicts["no code"].reason) == ("wrong", "no_code_block")
    assert (verdicts["empty"].status, verdicts["empty"].reason) == ("invalid", "no_tests")


def test_assertions_and_check_functions(grader: Grader) -> None:
    lines = ["assert f(2) == 4", "assert abs(f(0.5) - 0.25) < 1e-9", "assert f(3) in (9, 10)"]
    tests = {"kind": "assertions", "assertions": lines}
    assert judge(grader, "def f(x): return x * x", tests).tests == ("passed",) * 3
    assert judge(grader, "def f(x): return x + 2", tests).tests == ("passed", "wrong_answer", "not_run")
    check = {
        "kind": "check_function",
        "import_prefix": "import no_such_module\nclass Node:\n    def __init__(self, v): self.v = v\ndef node(v): return Node(v)\n",
        "test_code": "def check(candidate):\n    assert candidate(x = 2) == 4\n    assert candidate(node(3).v) == 9\n",
        "entry_point": "Solution().square",
    }
    program = "class Solution:\n    def square(self, x: int) -> int: return x * x"
    assert judge(grader, program, check).tests == ("passed", "passed")
    assert not judge(grader, program.replace("x * x", "2 * x"), check).is_correct


def test_equal_requests_are_run_once_and_order_is_kept(grader: Grader) -> None:
    tests = calls(([1], 1))
    codes = ["def f(x): return x", "def f(x): return -x"] * 20
    verdicts = grader.grade([GradeRequest("code", f"```python\n{c}\n```", tests=tests) for c in codes])
    assert [v.is_correct for v in verdicts] == [True, False] * 20
    assert verdicts[0] is verdicts[2]


def _handed_tests(given: dict[str, Any]) -> dict[str, Any]:
    if given["mode"] == "call":
        return calls(*((t["args"], t["expected"]) for t in given["tests"]), fn_name=given["fn_name"])
    pairs = []
    for test in given["tests"]:
        repeat = test.get("output_repeat")
        pairs.append((test["input"], "\n".join([repeat["line"]] * repeat["count"]) if repeat else test["output"]))
    return stdin(*pairs)


@pytest.mark.skipif(
    not (SHARED / "cases/handed.jsonl").exists(), reason="the handed cases are not beside this checkout"
)
def test_handed_code_cases(grader: Grader) -> None:
    for line in (SHARED / "cases/handed.jsonl").read_text(encoding="utf-8").split("\n"):
        case = json.loads(line) if line else {"area": ""}
        if case["area"] == "code_exec":
            verdict = judge(grader, case["input"]["solution"], _handed_tests(case["input"]))
            assert verdict.is_correct is case["expected"]["passed"], (case["id"], verdict.reason)
            if "status" in case["expected"]:
                assert verdict.tests == (case["expected"]["status"],)
