"""The verifier: responses in, verdicts out, in order. One bad item never touches another.

`Grader` owns a few slots, each with one math worker and one code sandbox that start when first needed.
"""

import logging
import os
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Self

from components.core.digest import sha256_json
from components.core.errors import InfraError
from components.core.records import Verdict
from components.verify.answers import after_thinking, extract_answer, extract_code
from components.verify.code_grading import CodeGrader
from components.verify.config import VERIFIER_VERSION, VerifierConfig
from components.verify.math_grading import MathGrader
from components.verify.requests import GradeRequest
from components.verify.sandbox import Sandbox

log = logging.getLogger(__name__)

__all__ = ["VERIFIER_VERSION", "GradeRequest", "Grader"]

_PROGRESS_EVERY_S = 10.0


class _Slot:
    """The processes that one grading thread uses at a time."""

    def __init__(self, config: VerifierConfig) -> None:
        self.math = MathGrader(config)
        self.sandbox = Sandbox()
        self.code = CodeGrader(self.sandbox, config)

    def close(self) -> None:
        self.math.close()
        self.sandbox.close()


class Grader:
    """Grades batches of `GradeRequest`. Use as a context manager or call `close`; may be used by several threads."""

    def __init__(self, config: VerifierConfig) -> None:
        self.config = config
        cpus = os.cpu_count() or 1
        self.num_workers = min(config.num_workers or cpus, cpus)
        self._slots: queue.LifoQueue[_Slot] = queue.LifoQueue()
        self._all_slots = [_Slot(config) for _ in range(self.num_workers)]
        for slot in reversed(self._all_slots):
            self._slots.put(slot)
        self._threads = ThreadPoolExecutor(self.num_workers, thread_name_prefix="grader")
        self._warned = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all worker processes."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        for slot in self._all_slots:
            slot.close()

    def isolation(self) -> dict[str, bool]:
        """Which sandbox measures are in force on this machine."""
        slot = self._slots.get()
        try:
            return slot.sandbox.isolation
        finally:
            self._slots.put(slot)

    def grade(self, requests: Sequence[GradeRequest]) -> list[Verdict]:
        """One verdict for each request, in order. Requests that ask the same are graded once. Never raises for an
        item; a failure of ours becomes status infra_error."""
        verdicts: list[Verdict | None] = [None] * len(requests)
        pending: dict[str, tuple[GradeRequest, list[int]]] = {}
        for index, request in enumerate(requests):
            subject = self._subject(request)
            if isinstance(subject, Verdict):
                verdicts[index] = subject
                continue
            key = sha256_json([request.domain, request.answers, _tests_key(request), subject])
            pending.setdefault(key, (replace(request, code=subject), []))[1].append(index)
        futures = [(self._threads.submit(self._judge, r), indices) for r, indices in pending.values()]
        started = reported = time.monotonic()
        for number, (future, indices) in enumerate(futures, 1):
            verdict = future.result()
            for index in indices:
                verdicts[index] = verdict
            if time.monotonic() - reported > _PROGRESS_EVERY_S:
                reported = time.monotonic()
                rate = number / (reported - started)
                log.info(
                    "graded %d of %d (%.1f/s, %.0f s left)", number, len(futures), rate, (len(futures) - number) / rate
                )
        return [v if v is not None else Verdict("infra_error", "lost") for v in verdicts]

    def _subject(self, request: GradeRequest) -> Verdict | str:
        """The answer or program to judge, or the verdict where there is none."""
        try:
            return self._extract(request)
        except Exception as error:  # the verifier boundary: one item's fault stays its own
            log.exception("extraction failed")
            return Verdict("infra_error", f"extraction failed: {type(error).__name__}")

    def _extract(self, request: GradeRequest) -> Verdict | str:
        config = self.config
        if request.domain == "math" and not any(answer.strip() for answer in request.answers):
            return Verdict("invalid", "no_gold")
        if request.code is not None:
            return request.code
        if len(request.response) > config.max_response_chars:
            return Verdict("wrong", "response_too_long")
        truncated = request.thinking_required and request.finish_reason == "length"
        if truncated and config.truncated_is_wrong:
            return Verdict("wrong", "truncated")
        text = after_thinking(request.response, request.thinking_required and not truncated)
        if text is None:
            return Verdict("wrong", "thinking_not_closed")
        if request.domain == "code":
            return extract_code(text) or Verdict("wrong", "no_code_block")
        return extract_answer(text, config.require_box) or Verdict("wrong", "no_answer")

    def _judge(self, request: GradeRequest) -> Verdict:
        slot = self._slots.get()
        try:
            for attempt in range(self.config.infra_retries + 1):
                try:
                    return self._judge_in(slot, request)
                except InfraError as error:
                    log.warning(
                        "verifier: %s%s", error, "" if attempt == self.config.infra_retries else "; trying again"
                    )
                    reason = str(error)
            return Verdict("infra_error", reason[:300], request.code or "")
        except Exception as error:  # the verifier boundary: one item's fault stays its own
            log.exception("grading failed")
            return Verdict("infra_error", f"{type(error).__name__}: {error}"[:300], request.code or "")
        finally:
            self._slots.put(slot)

    def _judge_in(self, slot: _Slot, request: GradeRequest) -> Verdict:
        subject = request.code or ""
        if request.domain == "math":
            return slot.math.grade(request.answers, subject)
        if not self._warned.is_set():
            self._warned.set()
            missing = [name for name, works in slot.sandbox.isolation.items() if not works]
            if missing:
                log.warning("code sandbox: no isolation of %s on this machine", ", ".join(missing))
        return slot.code.grade(subject, request.tests)


def _tests_key(request: GradeRequest) -> str:
    try:
        return sha256_json(request.tests)
    except (TypeError, ValueError, RecursionError):
        return f"object {id(request.tests)}"
