"""The verifier's side of the code sandbox: run one program on one input, or on a list of calls."""

import itertools
import json
import logging
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from components.core.errors import InfraError
from components.verify.frames import PipeClosed, PipeTimeout
from components.verify.worker_process import WorkerProcess

log = logging.getLogger(__name__)

_SLACK_S = 30.0
_MAX_STRETCH = 30.0
"""The runner stretches wall-clock limits on a busy machine by up to this."""
_SCRATCH_MB = 256


@dataclass(frozen=True)
class Limits:
    """Limits of one program run. `cpu_s` holds for a test, `total_wall_s` for all calls of a run."""

    cpu_s: float
    wall_s: float
    total_wall_s: float
    memory_mb: int
    output_mb: int
    processes: int

    def to_message(self, num_tests: int) -> dict[str, Any]:
        total_cpu_s = min(self.cpu_s * num_tests, self.total_wall_s) + 1
        return {
            "cpu_s": self.cpu_s,
            "wall_s": self.wall_s,
            "total_wall_s": self.total_wall_s,
            "total_cpu_s": total_cpu_s,
            "memory_mb": self.memory_mb,
            "output_mb": self.output_mb,
            "processes": self.processes,
        }


@dataclass(frozen=True)
class RunEnd:
    """How a run ended. `reason`: '' by itself, time_limit (CPU), wall_limit, output_limit, ended_early, stopped."""

    reason: str
    exit_code: int
    stdout: str
    stderr: str
    cpu_s: float
    wall_s: float
    waited_for_cpu_s: float

    @property
    def was_starved(self) -> bool:
        """Time ran out mostly because other processes had the CPUs: says nothing about the program."""
        return self.reason == "wall_limit" and self.waited_for_cpu_s > 0.5 * self.wall_s


class Sandbox:
    """One fork server. Not for two threads at once. Raises InfraError where the server itself fails; the next call
    starts a new one."""

    def __init__(self) -> None:
        self._worker = WorkerProcess("components.verify.program_runner", (str(_SCRATCH_MB),))
        self._ids = itertools.count()

    @property
    def isolation(self) -> dict[str, bool]:
        """Which measures are in force (starts the server if need be)."""
        self._worker.start()
        return dict(self._worker.greeting.get("isolation", {}))

    def run_script(self, program: str, stdin: str, limits: Limits) -> RunEnd:
        """Run a whole program as `__main__` with `stdin`."""
        job = {"id": next(self._ids), "kind": "script", "program": program, "stdin": stdin}
        try:
            self._worker.send({**job, "limits": limits.to_message(1)})
            return _run_end(self._receive(limits.wall_s))
        except (PipeClosed, PipeTimeout, ValueError, KeyError) as error:
            raise self._failure(error) from error

    def run_calls(
        self, program: str, tests: list[dict[str, Any]], limits: Limits, import_prefix: str = ""
    ) -> Iterator[tuple[int, dict[str, Any]] | RunEnd]:
        """Load a program once and make the calls in order. Yields (index, result) for each one that came back (index
        -1: loading), then a RunEnd. Closing the iterator early ends the run."""
        identity, secret = next(self._ids), secrets.token_hex(8)
        job = {"id": identity, "kind": "calls", "program": program, "tests": tests, "import_prefix": import_prefix}
        finished = False
        try:
            self._worker.send({**job, "secret": secret, "limits": limits.to_message(len(tests))})
            while not finished:
                message = self._receive(limits.wall_s)
                finished = "done" in message
                yield _run_end(message) if finished else (message["index"], _result(message["result"], secret))
        except GeneratorExit:
            if not finished:
                self._stop(identity, limits)
            raise
        except (PipeClosed, PipeTimeout, ValueError, KeyError) as error:
            raise self._failure(error) from error

    def _stop(self, identity: int, limits: Limits) -> None:
        """Ask the server to end the run, and read what is still on its way."""
        try:
            self._worker.send({"stop": identity})
            while "done" not in self._receive(limits.wall_s):
                pass
        except (PipeClosed, PipeTimeout, ValueError, InfraError):
            self.close()

    def _receive(self, wall_s: float) -> dict[str, Any]:
        message: dict[str, Any] = self._worker.receive(wall_s * _MAX_STRETCH + _SLACK_S)
        return message

    def _failure(self, error: Exception) -> InfraError:
        complaint = self._worker.complaint()
        self.close()
        return InfraError(f"code sandbox: the runner failed ({type(error).__name__}: {complaint[-200:] or error})")

    def close(self) -> None:
        self._worker.kill()


def _run_end(message: dict[str, Any]) -> RunEnd:
    fields = ("reason", "exit_code", "stdout", "stderr", "cpu_s", "wall_s", "waited_for_cpu_s")
    return RunEnd(**{name: message[name] for name in fields})


def _result(body: str, secret: str) -> dict[str, Any]:
    """A frame as the program's process sent it: distrusted."""
    try:
        result = json.loads(body)
    except (ValueError, RecursionError):
        return {"error": "malformed result"}
    if not isinstance(result, dict):
        return {"error": "malformed result"}
    if "completed" in result and result["completed"] != secret:
        return {"error": "malformed result"}
    return result
