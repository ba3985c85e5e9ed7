"""The fork server of the code sandbox: `python -m components.verify.program_runner SCRATCH_MB`.

It shuts itself in (see `isolation`), imports what programs usually need, then forks one child for each test or group
of calls, watches it, kills it with everything it started, and reports. It never sees an expected output. Requests and
replies are frames on standard input and output; a {"stop": id} request ends a group of calls early.
"""

import gc
import os
import random
import select
import shutil
import signal
import struct
import sys
import time
from typing import Any

from components.verify import program_child
from components.verify.frames import PipeClosed, read_frame, write_frame
from components.verify.isolation import Isolation

_ERROR_TAIL_BYTES = 2_000
_HEAVY_MODULES = ("numpy",)
_MAX_STRETCH = 30.0
"""On a busy machine a wall-clock limit is stretched by the time spent waiting for a CPU, to at most this factor."""


class Child:
    """One running program: its process, its streams in memory files, its clocks."""

    def __init__(self, server: "Server", job: dict[str, Any], stdin: str) -> None:
        self.limits = job["limits"]
        self.output_fd, self.error_fd = os.memfd_create("stdout"), os.memfd_create("stderr")
        self.folder = server.isolation.private_folder()
        stdin_fd = os.memfd_create("stdin")
        _write_all(stdin_fd, stdin.encode("utf-8", "surrogatepass"))
        os.lseek(stdin_fd, 0, os.SEEK_SET)
        self.result_fd, writing_fd = program_child.result_pipe()
        self.started = time.monotonic()
        self.pid = server.isolation.fork()
        if self.pid == 0:
            _run_in_child(server, job, self, stdin_fd, writing_fd)
        os.close(stdin_fd)
        os.close(writing_fd)
        self.exit_fd = _open_pidfd(self.pid)
        self.status: int | None = None
        self.cpu_s = 0.0
        self.waited_for_cpu_s = 0.0
        self.proc_fd = server.isolation.proc_fd

    def has_ended(self) -> bool:
        if self.status is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.status, self.cpu_s = status, usage.ru_utime + usage.ru_stime
        return self.status is not None

    def cpu_now_s(self) -> float:
        """CPU seconds of all its threads (the clock id of another process, see clock_getcpuclockid(3))."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def waited_s(self) -> float:
        """How long it was ready to run but got no CPU so far: a busy machine, not a slow program."""
        if self.status is None:
            self.waited_for_cpu_s = _runqueue_wait_s(self.proc_fd, self.pid)
        return self.waited_for_cpu_s

    def kill(self) -> None:
        """Kill the process and all it started, and reap it."""
        if self.status is None:
            self.waited_s()
            for target in (self.pid, -self.pid):
                try:
                    os.kill(target, signal.SIGKILL)
                except OSError:
                    pass
            _, self.status, usage = os.wait4(self.pid, 0)
            self.cpu_s = usage.ru_utime + usage.ru_stime

    def close(self) -> None:
        self.kill()
        _kill_orphans(self.pid)
        for fd in (self.output_fd, self.error_fd, self.result_fd, self.exit_fd):
            if fd is not None:
                os.close(fd)
        shutil.rmtree(self.folder, ignore_errors=True)


class _WallClock:
    """Wall-clock time of a program, less the time for which a busy machine gave it no CPU (up to a limit)."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.started = time.monotonic()
        self.waited_before = child.waited_s()

    def left_s(self, limit_s: float) -> float:
        wall = time.monotonic() - self.started
        if wall < limit_s:
            return limit_s - wall
        if wall > limit_s * _MAX_STRETCH:
            return 0.0
        return limit_s - (wall - (self.child.waited_s() - self.waited_before))


class Server:
    """Reads jobs until the pipe closes."""

    def __init__(self, requests_fd: int, replies_fd: int, scratch_mb: int) -> None:
        self.requests_fd, self.replies_fd = requests_fd, replies_fd
        self.prelude = program_child.build_prelude()
        self.isolation = Isolation()
        self.isolation.enter(scratch_mb)

    def serve(self) -> None:
        gc.collect()
        gc.freeze()
        write_frame(self.replies_fd, {"ready": True, "isolation": self.isolation.report})
        try:
            while True:
                job = read_frame(self.requests_fd)
                if "stop" not in job:
                    self._run(job)
        except PipeClosed:
            pass
        finally:
            self.isolation.leave()

    def _run(self, job: dict[str, Any]) -> None:
        for module in _HEAVY_MODULES:
            if module in job["program"] or module in job.get("import_prefix", ""):
                try:
                    __import__(module)  # once in the server is cheaper than in every child
                except Exception:
                    pass
        child = Child(self, job, job.get("stdin", ""))
        try:
            reason = self._watch_calls(job, child) if job["kind"] == "calls" else self._watch_script(child)
            child.kill()
            write_frame(self.replies_fd, {"id": job["id"], "done": True, **_summary(child, reason)})
        finally:
            child.close()

    def _watch_script(self, child: Child) -> str:
        cpu_limit, wall_limit = float(child.limits["cpu_s"]), float(child.limits["wall_s"])
        clock = _WallClock(child)
        poller = select.poll()
        if child.exit_fd is not None:
            poller.register(child.exit_fd, select.POLLIN)
        poller.register(self.requests_fd, select.POLLHUP)
        while not child.has_ended():
            cpu_left, wall_left = cpu_limit - child.cpu_now_s(), clock.left_s(wall_limit)
            left = min(cpu_left, wall_left)
            if left <= 0:
                return "time_limit" if cpu_left <= 0 else "wall_limit"
            pause = max(left, 0.002) if child.exit_fd is not None else 0.002
            if any(event & select.POLLHUP and fd == self.requests_fd for fd, event in poller.poll(pause * 1000)):
                raise PipeClosed("the verifier is gone")
        return ""

    def _watch_calls(self, job: dict[str, Any], child: Child) -> str:
        """Forward each result as it comes; the limits hold for each call."""
        cpu_limit, wall_limit = float(child.limits["cpu_s"]), float(child.limits["wall_s"])
        item_limit = float(child.limits["total_wall_s"])
        item_clock = clock = _WallClock(child)
        results = _ResultStream(child.result_fd, int(child.limits["output_mb"]) << 20)
        forwarded, cpu_before = -1, 0.0
        poller = select.poll()
        poller.register(child.result_fd, select.POLLIN)
        poller.register(self.requests_fd, select.POLLIN)
        while forwarded < len(job["tests"]):
            cpu_left = cpu_limit - (child.cpu_now_s() - cpu_before)
            wall_left = min(clock.left_s(wall_limit), item_clock.left_s(item_limit))
            left = min(cpu_left, wall_left)
            if left <= 0:
                return "time_limit" if cpu_left <= 0 else "wall_limit"
            for fd, _ in poller.poll(max(left, 0.002) * 1000):
                if fd == self.requests_fd and read_frame(fd).get("stop") == job["id"]:
                    return "stopped"
            for body in results.take():
                forwarded += 1
                if forwarded <= len(job["tests"]):
                    write_frame(self.replies_fd, {"id": job["id"], "index": forwarded - 1, "result": body})
                cpu_before, clock = child.cpu_now_s(), _WallClock(child)
            if results.problem or (results.ended and forwarded < len(job["tests"])):
                return results.problem or "ended_early"
        return ""


class _ResultStream:
    """Frames that come from the child; their content is only looked at by the verifier."""

    def __init__(self, fd: int, max_bytes: int) -> None:
        os.set_blocking(fd, False)
        self.fd, self.max_bytes, self.buffer = fd, max_bytes, bytearray()
        self.ended, self.problem = False, ""

    def take(self) -> list[str]:
        while len(self.buffer) <= self.max_bytes:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                break
            if not data:
                self.ended = True
                break
            self.buffer += data
        found = []
        while len(self.buffer) >= 4:
            (length,) = struct.unpack(">I", self.buffer[:4])
            if length > self.max_bytes:
                self.problem = "output_limit"
                break
            if len(self.buffer) < 4 + length:
                break
            found.append(self.buffer[4 : 4 + length].decode("ascii", "replace"))
            del self.buffer[: 4 + length]
        return found


def _run_in_child(server: Server, job: dict[str, Any], child: Child, stdin_fd: int, result_fd: int) -> None:
    try:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        program_child.prepare(stdin_fd, child.output_fd, child.error_fd, child.folder)
        server.isolation.confine(child.limits, result_fd if job["kind"] == "calls" else 2)
        random.seed(0)  # so that a verdict does not depend on how many programs ran before
        if job["kind"] == "calls":
            program_child.run_calls(job, server.prelude, result_fd)
        else:
            program_child.run_script(job["program"])
    finally:
        os._exit(70)


def _summary(child: Child, reason: str) -> dict[str, Any]:
    output_size = os.fstat(child.output_fd).st_size
    limit = int(child.limits["output_mb"]) << 20
    status = child.status or 0
    output = os.pread(child.output_fd, min(output_size, limit), 0) if reason == "" else b""
    error_size = os.fstat(child.error_fd).st_size
    error = os.pread(child.error_fd, _ERROR_TAIL_BYTES, max(0, error_size - _ERROR_TAIL_BYTES))
    return {
        "reason": "output_limit" if output_size >= limit else reason,
        "exit_code": os.waitstatus_to_exitcode(status),
        "stdout": output.decode("utf-8", "replace"),
        "stderr": error.decode("utf-8", "replace"),
        "cpu_s": round(child.cpu_s, 4),
        "wall_s": round(time.monotonic() - child.started, 4),
        "waited_for_cpu_s": round(child.waited_for_cpu_s, 4),
    }


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _open_pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _runqueue_wait_s(proc_fd: int | None, pid: int) -> float:
    """Second field of schedstat: nanoseconds on a run queue. 0 where the kernel does not tell."""
    try:
        fd = os.open(f"{pid}/schedstat", os.O_RDONLY, dir_fd=proc_fd)
    except (OSError, TypeError):
        return 0.0
    try:
        return int(os.read(fd, 200).split()[1]) / 1e9
    finally:
        os.close(fd)


def _kill_orphans(group: int) -> None:
    """Whatever the program started and left behind is a child of ours now (we are the subreaper)."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
    for _ in range(1000):
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            for orphan in _children():
                try:
                    os.kill(orphan, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.001)


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as stream:
            return [int(pid) for pid in stream.read().split()]
    except (OSError, ValueError):
        return []


def main() -> None:
    requests_fd, replies_fd = os.dup(0), os.dup(1)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    own_root = os.environ.pop("PYTHONPATH", "")
    sys.path[:] = [path for path in sys.path if path and path != own_root]
    Server(requests_fd, replies_fd, int(sys.argv[1])).serve()


if __name__ == "__main__":
    main()
