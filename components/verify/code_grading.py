"""Judge one program by its tests: runs the cases in a sandbox, compares here, and says why."""

import time
from typing import Any

from components.core.errors import InfraError
from components.core.records import Verdict
from components.verify.assertion_tests import CallForm, holds
from components.verify.code_tests import CallCase, Case, CodeTests, InvalidTests, StdinCase, read_tests
from components.verify.config import VerifierConfig
from components.verify.output_match import stdout_matches, value_matches
from components.verify.sandbox import Limits, RunEnd, Sandbox
from components.verify.typed_values import NotPlain, decode, encode

PASSED, WRONG_ANSWER, RUNTIME_ERROR = "passed", "wrong_answer", "runtime_error"
TIME_LIMIT, MEMORY_LIMIT, OUTPUT_LIMIT, NOT_RUN = "time_limit", "memory_limit", "output_limit", "not_run"
_EXCERPT_CHARS = 200


class CodeGrader:
    """Grades programs with one sandbox. `grade` raises InfraError when nobody can tell."""

    def __init__(self, sandbox: Sandbox, config: VerifierConfig) -> None:
        self.sandbox = sandbox
        self.config = config

    def grade(self, program: str, raw_tests: Any) -> Verdict:
        """Correct when every test passes; `reason` names the first that does not, with what was expected and got."""
        try:
            tests = read_tests(raw_tests)
        except InvalidTests as error:
            return Verdict("invalid", str(error), program)
        if len(program) > self.config.max_program_chars:
            return Verdict("wrong", "program_too_long", program[: self.config.max_program_chars])
        run = _Run(self.sandbox, self.config, program, tests)
        run.run()
        failure = next((i for i, status in enumerate(run.statuses) if status != PASSED), None)
        if failure is None:
            return Verdict("correct", "", program, tuple(run.statuses))
        reason = f"{run.statuses[failure]}: test {failure + 1} of {len(tests.cases)}: {run.details[failure]}"
        return Verdict("wrong", reason, program, tuple(run.statuses))


class _Run:
    """The statuses of all cases of one program."""

    def __init__(self, sandbox: Sandbox, config: VerifierConfig, program: str, tests: CodeTests) -> None:
        self.sandbox, self.config, self.program, self.tests = sandbox, config, program, tests
        self.statuses = [NOT_RUN] * len(tests.cases)
        self.details = [""] * len(tests.cases)
        self.tolerance = config.float_tolerance if tests.float_tolerance is None else tests.float_tolerance
        self.deadline = time.monotonic() + config.item_timeout_s

    def run(self) -> None:
        if isinstance(self.tests.cases[0], StdinCase):
            self._run_scripts()
        elif self.config.isolate_function_calls:
            for index in range(len(self.statuses)):
                if self._run_calls([index]) and self.config.stop_at_first_failure:
                    return
        else:
            pending = list(range(len(self.statuses)))
            while pending:
                self._run_calls(pending)
                failed = any(status not in (PASSED, NOT_RUN) for status in self.statuses)
                if failed and self.config.stop_at_first_failure:
                    return
                pending = [i for i in pending if self.statuses[i] == NOT_RUN]

    def _limits(self) -> Limits:
        left = self.deadline - time.monotonic()
        cpu = self.tests.time_limit_s or self.config.test_timeout_s
        wall = min(cpu * self.config.wall_clock_factor + 1, max(left, 0.01))
        memory = self.tests.memory_limit_mb or self.config.memory_limit_mb
        return Limits(cpu, wall, max(left, 0.01), memory, self.config.output_limit_mb, self.config.process_limit)

    def _set(self, index: int, status: str, detail: str = "") -> bool:
        """Record a status; True when it is a failure."""
        self.statuses[index], self.details[index] = status, detail
        return status != PASSED

    def _run_scripts(self) -> None:
        for index, case in enumerate(self.tests.cases):
            assert isinstance(case, StdinCase)
            if time.monotonic() > self.deadline:
                failed = self._set(index, TIME_LIMIT, "the time for all tests is used up")
            else:
                failed = self._judge_script(index, case)
            if failed and self.config.stop_at_first_failure:
                return

    def _judge_script(self, index: int, case: StdinCase) -> bool:
        end = self.sandbox.run_script(self.program, case.stdin, self._limits())
        self.deadline += end.waited_for_cpu_s  # a busy machine takes nothing from the item's time
        status = _status_of(end)
        if status != PASSED:
            return self._set(index, status, _detail(end))
        if stdout_matches(case.expected, end.stdout, self.tolerance):
            return self._set(index, PASSED)
        return self._set(index, WRONG_ANSWER, _contrast(case.stdin, case.expected, end.stdout))

    def _run_calls(self, indices: list[int]) -> bool:
        """Run these cases in one process; True when one failed. Those after an early end stay NOT_RUN."""
        if time.monotonic() > self.deadline:
            return any([self._set(index, TIME_LIMIT, "the time for all tests is used up") for index in indices])
        messages = [_message(self.tests.cases[index]) for index in indices]
        replies = self.sandbox.run_calls(self.program, messages, self._limits(), self.tests.import_prefix)
        position, failed = 0, False
        for reply in replies:
            if isinstance(reply, RunEnd):
                if position < len(indices):
                    status = _status_of(reply)
                    ended = RUNTIME_ERROR if status == PASSED else status
                    failed = self._set(indices[position], ended, _detail(reply) or "the program ended before returning")
                break
            place, result = reply
            if place < 0:
                if "error" in result:
                    for index in indices:
                        self._set(index, _error_status(result), str(result["error"])[:_EXCERPT_CHARS])
                    failed = True
                    position = len(indices)
                continue
            index = indices[place]
            position = place + 1
            failed = self._judge_result(index, self.tests.cases[index], result) or failed
            if failed and self.config.stop_at_first_failure:
                break
        replies.close()  # type: ignore[attr-defined]
        return failed

    def _judge_result(self, index: int, case: Case, result: dict[str, Any]) -> bool:
        if "error" in result:
            return self._set(index, _error_status(result), str(result["error"])[:_EXCERPT_CHARS])
        if not isinstance(case, CallCase | CallForm):
            return self._set(index, *((PASSED,) if "completed" in result else (RUNTIME_ERROR, "malformed result")))
        try:
            value = decode(result["value"])
        except (KeyError, ValueError, TypeError, RecursionError, OverflowError):
            return self._set(index, RUNTIME_ERROR, "malformed result")
        if _value_passes(case, value, self.tolerance):
            return self._set(index, PASSED)
        expected = case.expected[0] if isinstance(case, CallCase) else case.expected
        return self._set(index, WRONG_ANSWER, _contrast(case.args, expected, value))


def _value_passes(case: CallCase | CallForm, value: Any, tolerance: float) -> bool:
    try:
        if isinstance(case, CallForm):
            if holds(case, value):
                return True
            return tolerance > 0 and case.comparison == "==" and value_matches(case.expected, value, tolerance)
        return any(value_matches(expected, value, tolerance) for expected in case.expected)
    except RecursionError:
        return False


def _message(case: Case) -> dict[str, Any]:
    """What the program's process is told of a case: never an expected value (snippets hold theirs in themselves)."""
    try:
        if isinstance(case, CallCase):
            return {"fn_name": case.fn_name, "args": [encode(a) for a in case.args]}
        if isinstance(case, CallForm):
            kwargs = {name: encode(value) for name, value in case.kwargs.items()}
            return {"expression": case.target, "args": [encode(a) for a in case.args], "kwargs": kwargs}
    except NotPlain as error:
        raise InfraError(f"test arguments can't be sent: {error}") from error
    assert not isinstance(case, StdinCase)
    return {"snippet": case.source}


def _status_of(end: RunEnd) -> str:
    """The status of a run that says nothing against its output. Raises InfraError for a starved one."""
    if end.was_starved:
        raise InfraError(f"machine too busy: a program waited {end.waited_for_cpu_s:.1f} s for a CPU")
    if end.reason in (TIME_LIMIT, "wall_limit"):
        return TIME_LIMIT
    if end.reason == OUTPUT_LIMIT:
        return OUTPUT_LIMIT
    if end.exit_code == 0:
        return PASSED
    if end.exit_code == -24 or (end.exit_code == -9 and end.reason != "stopped"):
        return TIME_LIMIT
    return MEMORY_LIMIT if _last_line(end.stderr).startswith("MemoryError") else RUNTIME_ERROR


def _error_status(result: dict[str, Any]) -> str:
    if result.get("wrong"):
        return WRONG_ANSWER
    return MEMORY_LIMIT if str(result["error"]).startswith("MemoryError") else RUNTIME_ERROR


def _last_line(text: str) -> str:
    return text.strip().rsplit("\n", 1)[-1].strip()


def _detail(end: RunEnd) -> str:
    if end.reason in (TIME_LIMIT, "wall_limit"):
        return "CPU time limit reached" if end.reason == TIME_LIMIT else "wall-clock limit reached"
    code = f"killed by signal {-end.exit_code}" if end.exit_code < 0 else ""
    return _last_line(end.stderr)[:_EXCERPT_CHARS] or code or (f"exit code {end.exit_code}" if end.exit_code else "")


def _contrast(given: Any, expected: Any, got: Any) -> str:
    return f"input {_excerpt(given)}, expected {_excerpt(expected)}, got {_excerpt(got)}"


def _excerpt(value: Any) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        text = f"a {type(value).__name__} too large to show"
    return text if len(text) <= _EXCERPT_CHARS else text[:_EXCERPT_CHARS] + "…"
