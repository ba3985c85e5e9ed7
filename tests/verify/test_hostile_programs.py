"""Programs that try to hang, flood, forge or escape: none passes, none hurts another item, nothing is left behind."""
# ruff: noqa: E501  (the programs are one-line literals)

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.core.records import Verdict
from components.verify.catalog import Grader
from components.verify.config import VerifierConfig
from components.verify.requests import GradeRequest

ECHO = {"kind": "stdin_stdout", "inputs": ["5\n"], "outputs": ["5"]}
CALL = {"kind": "function_call", "fn_name": "f", "inputs": [[1], [2]], "outputs": [10, 20]}
NODE = {"kind": "assertions", "assertions": ["assert f(1) == 10", "assert [f(2)] == sorted([20])"]}
GOOD_ECHO, GOOD_CALL = "print(input())", "def f(x): return 10 * x"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    limits = VerifierConfig(
        num_workers=1,
        test_timeout_s=1.0,
        wall_clock_factor=1.0,
        memory_limit_mb=256,
        output_limit_mb=2,
        process_limit=16,
    )
    with Grader(limits) as grader:
        yield grader


def judge(grader: Grader, code: str, tests: Any) -> Verdict:
    return grader.grade([GradeRequest("code", tests=tests, code=code)])[0]


SCRIPTS = {
    "busy loop": ("while True: pass", "time_limit"),
    "sleep": ("import time\ntime.sleep(1000)", "time_limit"),
    "ignored signals": (
        "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except Exception: pass\nwhile True: pass",
        "time_limit",
    ),
    "memory": ("x = [bytearray(1 << 24) for _ in range(1000)]", "memory_limit"),
    "output": ("while True: print('x' * 100000)", "output_limit"),
    "silent exit": ("import os\nos._exit(0)", "wrong_answer"),
    "infinite recursion": ("def f(n): return f(n + 1)\nf(0)", "runtime_error"),
    "closed stdout": ("import os\nos.close(1)\nprint(5)", "runtime_error"),
    "killed parent": ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)", None),
    "forks": (
        "import os, time\nfor _ in range(200):\n    try:\n        if os.fork() == 0: time.sleep(1000)\n"
        "    except OSError: break\nprint('x')",
        "wrong_answer",
    ),
    "daemon": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\nprint('x')",
        "wrong_answer",
    ),
    "large file": ("open('big', 'wb').write(b'x' * (1 << 26))", "runtime_error"),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_end_with_their_status(grader: Grader, name: str) -> None:
    code, status = SCRIPTS[name]
    verdict = judge(grader, code, ECHO)
    assert verdict.status == "wrong", verdict
    assert status is None or verdict.tests == (status,), verdict.reason
    assert judge(grader, GOOD_ECHO, ECHO).is_correct


CALLS = {
    "hostile equality": "class E(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\ndef f(x): return E(3)",
    "equal to all": "class E:\n    def __eq__(self, o): return True\ndef f(x): return E()",
    "list of equal to all": "class E(list):\n    def __eq__(self, o): return True\ndef f(x): return E()",
    "pretended class": (
        "class E:\n    __class__ = int\n    def __eq__(self, o): return True\n    def __index__(self): return 10\ndef f(x): return E()"
    ),
    "exit while loading": "import sys\ndef f(x): return 0\nsys.exit(0)",
    "exit in the call": "import os\ndef f(x): os._exit(0)",
    "patched builtins": "import builtins\nbuiltins.isinstance = lambda *a: True\ndef f(x): return 3",
    "forged frames": (
        'import os, struct\ndef f(x):\n    body = b\'{"completed": ""}\'\n    for fd in range(3, 256):\n'
        "        try: os.write(fd, struct.pack('>I', len(body)) + body)\n        except OSError: pass\n    os._exit(0)"
    ),
    "garbage on every pipe": (
        "import os\ndef f(x):\n    for fd in range(3, 256):\n        try: os.write(fd, b'\\xff' * 4096)\n        except OSError: pass\n    return 0"
    ),
    "endless": "def f(x):\n    while True: pass",
    "huge value": "def f(x): return 'x' * (1 << 23)",
    "deep value": "def f(x):\n    v = []\n    for _ in range(10**5): v = [v]\n    return v",
    "self-containing value": "def f(x):\n    v = []\n    v.append(v)\n    return v",
    "huge integer": "def f(x): return 1 << (1 << 24)",
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("tests", [CALL, NODE], ids=["calls", "assertions"])
def test_no_forged_result_passes(grader: Grader, name: str, tests: dict[str, Any]) -> None:
    assert judge(grader, CALLS[name], tests).status == "wrong"
    assert judge(grader, GOOD_CALL, tests).is_correct


def test_what_a_program_sees(grader: Grader, tmp_path: Path) -> None:
    isolation = grader.isolation()
    (tmp_path / "secret").write_text("gold")
    tmp_path.chmod(0o755)
    (tmp_path / "secret").chmod(0o644)
    probes = {
        "network": "import socket\ns = socket.create_connection(('192.0.2.1', 80), 0.5)\nprint(5)",
        "files": f"print(5 if open({str(tmp_path / 'secret')!r}).read() else 0)",
        "user": "import os\nprint(5 if os.getuid() == 0 else 0)",
    }
    for name, code in probes.items():
        if isolation[name]:
            assert judge(grader, code, ECHO).status == "wrong", name
    environment = (
        "import os\nprint(5 if set(os.environ) <= {'PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_CTYPE'} else os.environ)"
    )
    assert judge(grader, environment, ECHO).is_correct
    assert judge(grader, "open('mine', 'w').write('5')\nprint(open('mine').read())", ECHO).is_correct
    assert judge(grader, "import os\nprint(5 if os.listdir('.') == [] else 0)", ECHO).is_correct


def test_a_killed_runner_is_replaced(grader: Grader) -> None:
    assert judge(grader, GOOD_CALL, CALL).is_correct
    process = grader._all_slots[0].sandbox._worker._process
    assert process is not None
    process.kill()
    process.wait()
    assert judge(grader, GOOD_ECHO, ECHO).is_correct


def test_nothing_is_left_behind() -> None:
    before = set(glob.glob("/tmp/or1-*"))
    marker = f"marker_{os.getpid()}"
    daemon = f"import os, time\n{marker} = 1\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\nprint(5)"
    with Grader(VerifierConfig(num_workers=1)) as grader:
        assert judge(grader, daemon, ECHO).is_correct
        runner = grader._all_slots[0].sandbox._worker._process
        assert runner is not None
        assert Path(f"/proc/{runner.pid}/task/{runner.pid}/children").read_text().split() == []
    assert not Path(f"/proc/{runner.pid}").exists()
    assert set(glob.glob("/tmp/or1-*")) <= before
