"""A step process must not outlive the `or1 run` that started it, which cannot stop its children when it is killed."""

import logging
import os
import signal
import threading
import time

log = logging.getLogger(__name__)

CHECK_EVERY_S = 2.0
GRACE_S = 20.0


def follow_run_process() -> None:
    """End this process soon after the process OR1_RUN_PID has gone: first in order, then by force. Nothing outside a
    local run. What the step had done so far is in its checkpoints; its half-written outputs have no final name."""
    pid = os.environ.get("OR1_RUN_PID")
    if pid and pid.isdigit():
        threading.Thread(target=_watch, args=(int(pid),), daemon=True).start()


def _watch(pid: int) -> None:
    while _is_alive(pid):
        time.sleep(CHECK_EVERY_S)
    log.error("the run that started this step has gone; stopping")
    os.kill(os.getpid(), signal.SIGTERM)  # libraries with child processes stop them on this one
    time.sleep(GRACE_S)
    os._exit(1)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
