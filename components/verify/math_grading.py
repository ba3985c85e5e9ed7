"""Judge one math answer by its golds: in-process where that decides, else in a worker that may be killed."""

from components.core.errors import InfraError
from components.core.records import Verdict
from components.verify.config import VerifierConfig
from components.verify.frames import PipeClosed, PipeTimeout
from components.verify.math_answers import quick_verdict
from components.verify.worker_process import WallTimeout, WorkerProcess

_MAX_STRETCH = 20.0
"""A comparison may take this many times its CPU limit of wall clock on a busy machine."""


class MathGrader:
    """Grades answers with one symbolic worker, started when first needed. `grade` raises InfraError when nobody can
    tell."""

    def __init__(self, config: VerifierConfig) -> None:
        self.config = config
        self._worker = WorkerProcess("components.verify.math_worker", (str(config.math_memory_limit_mb),))

    def grade(self, golds: tuple[str, ...], prediction: str) -> Verdict:
        """Correct when the prediction matches any gold. `reason` says which tier decided."""
        undecided, reason = [], "different_answer"
        for gold in golds:
            quick = quick_verdict(gold, prediction, self.config.max_answer_chars)
            if quick.equal:
                return Verdict("correct", quick.reason, prediction)
            if quick.equal is None:
                undecided.append(gold)
            elif quick.reason not in ("exact", "empty_answer"):
                reason = quick.reason
        for gold in undecided:
            equal, symbolic_reason = self._compare(gold, prediction)
            if equal:
                return Verdict("correct", "symbolic", prediction)
            reason = symbolic_reason or reason
        return Verdict("wrong", reason, prediction)

    def _compare(self, gold: str, prediction: str) -> tuple[bool, str]:
        """One symbolic comparison. A crash is tried once more in a fresh worker."""
        for attempt in range(2):
            try:
                self._worker.send({"gold": gold, "prediction": prediction})
                limit = self.config.math_timeout_s
                reply = self._worker.receive_within(limit, limit * _MAX_STRETCH)
                if "error" in reply:
                    return False, f"not_comparable: {reply['error']}"[:120]
                return bool(reply["equal"]), ""
            except PipeTimeout:
                self._worker.kill()
                return False, "verifier_timeout"
            except WallTimeout:
                self._worker.kill()
                raise InfraError("machine too busy: the math worker got too little CPU time") from None
            except (PipeClosed, ValueError, KeyError) as error:
                complaint = self._worker.complaint()
                self._worker.kill()
                if attempt:
                    raise InfraError(f"math worker died twice on one answer ({complaint[-200:] or error})") from error
        raise AssertionError("unreachable")

    def close(self) -> None:
        self._worker.kill()
