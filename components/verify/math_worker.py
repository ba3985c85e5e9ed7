"""The process that compares answers symbolically: `python -m components.verify.math_worker MEMORY_MB`.

Reads {"gold": …, "prediction": …} frames from standard input, answers {"equal": bool} or {"error": text}. It is
killed from outside when a comparison takes too long, so no timer runs in here.
"""

import os
import resource
import sys
from typing import Any

from components.verify.frames import PipeClosed, read_frame, write_frame


def serve(requests_fd: int, replies_fd: int) -> None:
    from components.verify.symbolic import symbolically_equal

    symbolically_equal("x+1", "1+x")  # imports sympy and builds the LaTeX grammar
    write_frame(replies_fd, {"ready": True})
    while True:
        try:
            request = read_frame(requests_fd)
        except PipeClosed:
            return
        write_frame(replies_fd, _compare(symbolically_equal, request))


def _compare(symbolically_equal: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"equal": bool(symbolically_equal(request["gold"], request["prediction"]))}
    except MemoryError:
        return {"error": "MemoryError"}
    except BaseException as error:  # Math-Verify's own timeout derives from BaseException
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def main() -> None:
    limit = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    requests_fd, replies_fd = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # anything a library prints must not enter the reply stream
    serve(requests_fd, replies_fd)


if __name__ == "__main__":
    main()
