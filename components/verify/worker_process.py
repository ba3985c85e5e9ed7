"""A child process that answers framed requests, and that may be killed and started again at any time.

Plain `subprocess` with pipes: works in threads and in Ray actors, and shares no memory with the caller.
"""

import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from components.core.errors import InfraError
from components.verify.frames import PipeClosed, PipeTimeout, read_frame, wait_readable, write_frame

log = logging.getLogger(__name__)

START_TIMEOUT_S = 120.0
_ROOT = Path(__file__).resolve().parents[2]


class WallTimeout(Exception):
    """The process got too little CPU to answer in time: says nothing about the request."""


class WorkerProcess:
    """Start lazily, `send` and `receive` frames, `kill` when it misbehaves. Not for use by two threads at once."""

    def __init__(self, module: str, arguments: tuple[str, ...] = (), environment: dict[str, str] | None = None) -> None:
        self.module = module
        self.arguments = arguments
        self.environment = environment or {}
        self.greeting: dict[str, Any] = {}
        """The first frame of the running process."""
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None

    def start(self) -> None:
        """Start if not running. Raises InfraError when the process does not come up."""
        if self._process is not None and self._process.poll() is None:
            return
        self.kill()
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", self.module, *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment() | self.environment,
            start_new_session=True,
        )
        self.starts += 1
        try:
            self.greeting = self.receive(START_TIMEOUT_S)
        except (PipeClosed, PipeTimeout, ValueError) as error:
            complaint = self.complaint()
            self.kill()
            raise InfraError(f"{self.module}: worker did not start ({complaint or error})") from error

    def send(self, message: Any) -> None:
        """Raises InfraError when it can't be started, PipeClosed when it died."""
        self.start()
        assert self._process is not None and self._process.stdin is not None
        write_frame(self._process.stdin.fileno(), message)

    def receive(self, timeout_s: float) -> Any:
        """Raises PipeClosed, PipeTimeout, ValueError."""
        if self._process is None or self._process.stdout is None:
            raise PipeClosed("not running")
        return read_frame(self._process.stdout.fileno(), time.monotonic() + timeout_s)

    def receive_within(self, cpu_s: float, wall_s: float) -> Any:
        """Like `receive`, but the limit is CPU seconds of the process, so that a busy machine does not count against
        what it works on. Raises PipeTimeout when that is used up, WallTimeout after `wall_s` without it."""
        if self._process is None or self._process.stdout is None:
            raise PipeClosed("not running")
        end, cpu_end = time.monotonic() + wall_s, self._cpu_s() + cpu_s
        while True:
            cpu_left = cpu_end - self._cpu_s()
            if wait_readable(self._process.stdout.fileno(), min(end, time.monotonic() + max(cpu_left, 0.01))):
                return self.receive(max(end - time.monotonic(), 1.0))
            if self._cpu_s() >= cpu_end:
                raise PipeTimeout
            if time.monotonic() >= end:
                raise WallTimeout

    def _cpu_s(self) -> float:
        """CPU seconds of the process (its clock id as of clock_getcpuclockid(3)); wall clock where there is none."""
        try:
            return time.clock_gettime((~self._process.pid << 3) | 2) if self._process else 0.0
        except OSError:
            return time.monotonic()

    def complaint(self) -> str:
        """The end of what the process wrote to standard error."""
        if self._errors is None:
            return ""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), 400, max(0, size - 400)).decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """End the process and close its pipes. Does nothing when it is not running."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        pass
            self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _environment() -> dict[str, str]:
    """Nothing of the caller's environment (it may hold secrets) but what Python needs."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    single = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}
    return {
        **kept,
        **single,
        "PYTHONPATH": str(_ROOT),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
    }
