"""Messages over pipes: four bytes of length, then JSON. Standard library only (sandboxed processes import it)."""

import json
import os
import select
import struct
import time
from typing import Any

MAX_FRAME_BYTES = 256 << 20


class PipeClosed(Exception):
    """The other side is gone."""


class PipeTimeout(Exception):
    """No whole message before the deadline."""


def write_frame(fd: int, message: Any) -> None:
    """Raises PipeClosed. JSON is ASCII so that lone surrogates in a program survive."""
    body = json.dumps(message).encode("ascii")
    data = memoryview(struct.pack(">I", len(body)) + body)
    try:
        while data:
            data = data[os.write(fd, data) :]
    except (BrokenPipeError, OSError) as error:
        raise PipeClosed(str(error)) from error


def read_frame(fd: int, deadline: float | None = None) -> Any:
    """One message. Raises PipeClosed, PipeTimeout (`deadline` on the monotonic clock), or ValueError for bad JSON."""
    (length,) = struct.unpack(">I", _read_exactly(fd, 4, deadline))
    if length > MAX_FRAME_BYTES:
        raise PipeClosed(f"frame of {length} bytes")
    return json.loads(_read_exactly(fd, length, deadline))


def _read_exactly(fd: int, count: int, deadline: float | None) -> bytes:
    parts, missing = [], count
    while missing:
        if deadline is not None and not wait_readable(fd, deadline):
            raise PipeTimeout
        data = os.read(fd, min(missing, 1 << 20))
        if not data:
            raise PipeClosed("end of stream")
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


def wait_readable(fd: int, deadline: float) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(max(0.0, deadline - time.monotonic()) * 1000))
