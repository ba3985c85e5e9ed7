"""What happens inside the forked process of one program. Standard library only; it never returns.

A stdin program runs as written, as `__main__`. For calls, the program is loaded once, then each test calls its
target; results leave through a pipe of their own, so that what the program prints can't be taken for a result.
"""

import ast
import atexit
import builtins
import os
import struct
import sys
import threading
import types
from typing import Any

from components.verify.frames import write_frame
from components.verify.typed_values import NotPlain, decode, encode

_RECURSION_LIMIT = 100_000
_PRELUDE = """
import sys, os, re, math, string, random, bisect, heapq, itertools, functools, collections, operator, copy, datetime
import statistics, decimal, fractions, json, time, cmath
from typing import *
from functools import *
from collections import *
from itertools import *
from heapq import *
from bisect import *
from string import *
from operator import *
from math import *
from decimal import Decimal
from fractions import Fraction
try:
    from sortedcontainers import SortedList, SortedDict, SortedSet
except ImportError:
    pass
inf = float("inf")
"""


def build_prelude() -> dict[str, Any]:
    """Names that LeetCode-style code may use without importing them."""
    namespace: dict[str, Any] = {}
    exec(_PRELUDE, namespace)
    namespace["pow"] = builtins.pow  # math.pow would turn integers into floats
    return {name: value for name, value in namespace.items() if name != "__builtins__"}


def prepare(stdin_fd: int, stdout_fd: int, stderr_fd: int, folder: str) -> None:
    """Standard streams, session, working folder and environment of the program."""
    os.setsid()
    for source, target in ((stdin_fd, 0), (stdout_fd, 1), (stderr_fd, 2)):
        os.dup2(source, target)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8"})
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="replace", closefd=False)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # type: ignore[misc]
    sys.argv = ["program.py"]
    sys.setrecursionlimit(_RECURSION_LIMIT)
    sys.set_int_max_str_digits(0)


def run_script(program: str) -> None:
    """Run `program` as a whole and exit with the code Python itself would give."""
    code = 0
    try:
        module = _main_module({}, "__main__")
        exec(compile(program, "program.py", "exec", dont_inherit=True), module.__dict__)
    except SystemExit as leaving:
        code = _exit_code(leaving)
    except BaseException:
        _report_exception()
        code = 1
    _finish(code)


def run_calls(job: dict[str, Any], prelude: dict[str, Any], result_fd: int) -> None:
    """Load the program, run the tests in order, and send one frame each: {"value"} or {"error"}."""
    secret = job.get("secret", "")
    try:
        namespace = _load(job, prelude)
    except SystemExit:
        _leave_with(result_fd, {"error": "SystemExit while the program was loaded"})
    except BaseException as error:
        kind = "syntax_error: " if isinstance(error, SyntaxError) else ""
        _leave_with(result_fd, {"error": f"{kind}{_one_line(error)}", "load": True})
    write_frame(result_fd, {"loaded": True})
    for test in job["tests"]:
        write_frame(result_fd, _run_test(test, namespace, secret))
    os._exit(0)


def _leave_with(result_fd: int, message: dict[str, Any]) -> None:
    write_frame(result_fd, message)
    os._exit(0)


def _main_module(names: dict[str, Any], name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(names)
    module.__dict__["__builtins__"] = builtins
    sys.modules[name] = module
    if name != "__main__":
        sys.modules["__main__"] = module
    return module


def _load(job: dict[str, Any], prelude: dict[str, Any]) -> dict[str, Any]:
    module = _main_module(prelude, "solution")
    namespace = module.__dict__
    if job.get("import_prefix"):
        _run_prefix(job["import_prefix"], namespace)
    exec(compile(job["program"], "program.py", "exec", dont_inherit=True), namespace)
    return namespace


def _run_prefix(prefix: str, namespace: dict[str, Any]) -> None:
    """The source's imports and helpers; an import that this machine lacks is skipped."""
    for statement in ast.parse(prefix).body:
        try:
            exec(compile(ast.Module([statement], []), "prefix.py", "exec"), namespace)
        except ImportError:
            continue


def _run_test(test: dict[str, Any], namespace: dict[str, Any], secret: str) -> dict[str, Any]:
    try:
        if "snippet" in test:
            return _run_snippet(test["snippet"], dict(namespace), secret)
        target = _target(test, namespace)
        arguments = [decode(a) for a in test["args"]]
        keywords = {name: decode(v) for name, v in test.get("kwargs", {}).items()}
        return {"value": encode(target(*arguments, **keywords))}
    except NotPlain as error:
        return {"error": f"result is {error}", "wrong": True}
    except SystemExit:
        return {"error": "SystemExit: the program ended instead of returning"}
    except BaseException as error:
        return {"error": _one_line(error)}


def _target(test: dict[str, Any], namespace: dict[str, Any]) -> Any:
    """The function to call: an expression, or a name looked up in class Solution, then at top level."""
    if test.get("expression"):
        return eval(test["expression"], namespace)
    name, solution = test.get("fn_name") or "", namespace.get("Solution")
    if isinstance(solution, type):
        own = [n for n, member in vars(solution).items() if callable(member) and not n.startswith("_")]
        name = name or (own[0] if len(own) == 1 else "")
        if name and hasattr(solution, name):
            return getattr(solution(), name)
    if name not in namespace:
        raise NameError(f"the program defines no {name or 'function to call'}")
    return namespace[name]


def _run_snippet(snippet: str, namespace: dict[str, Any], secret: str) -> dict[str, Any]:
    """Run assertions that can't be turned into a call. Operands of comparisons must not come with their own idea of
    equality."""
    namespace["__plain__"] = _require_plain
    try:
        exec(compile(_guard(snippet), "test.py", "exec"), namespace)
    except AssertionError as error:
        return {"error": f"AssertionError: {error}"[:300], "wrong": True}
    return {"completed": secret}


class _Guard(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.left = _wrapped(node.left)
        node.comparators = [_wrapped(c) for c in node.comparators]
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.test, ast.Compare):
            node.test = _wrapped(node.test)
        return node


def _wrapped(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("__plain__", ast.Load()), [node], [])


def _guard(snippet: str) -> ast.Module:
    return ast.fix_missing_locations(_Guard().visit(ast.parse(snippet)))


def _require_plain(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    overrides = kind.__eq__ is not object.__eq__ or hasattr(kind, "__bool__") or hasattr(kind, "__len__")
    if kind.__module__ in ("solution", "__main__") and overrides:
        raise AssertionError(f"a {kind.__name__} compares by a rule of the program's own")
    if depth < 20 and issubclass(kind, list | tuple | set | frozenset):
        for item in kind.__iter__(value):
            _require_plain(item, depth + 1)
    return value


def _one_line(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:
        text = ""
    return f"{type(error).__name__}: {text}"[:300]


def _report_exception() -> None:
    kind, error, _ = sys.exc_info()
    try:
        os.write(2, f"\n{kind.__name__ if kind else ''}: {error}".encode("utf-8", "replace")[:1000])
    except BaseException:
        pass


def _exit_code(leaving: SystemExit) -> int:
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return leaving.code & 0xFF
    return 1


def _finish(code: int) -> None:
    """The end of an interpreter: wait for threads, exit handlers, flush, leave."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except BaseException:
        code = code or 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except ValueError:
            pass  # closed by the program
        except BaseException:
            code = code or 1
    os._exit(code)


def result_pipe() -> tuple[int, int]:
    """A pipe whose writing end has an unremarkable number far from 3."""
    reading, writing = os.pipe()
    number = 200 + struct.unpack("B", os.urandom(1))[0] % 50
    os.dup2(writing, number)
    os.close(writing)
    return reading, number
