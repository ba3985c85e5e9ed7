"""Math through the Grader: order, reasons, isolation of items, kills, lazy start."""

import pytest

from components.core.errors import InfraError
from components.core.records import Verdict
from components.verify.catalog import Grader
from components.verify.config import VerifierConfig
from components.verify.frames import PipeClosed
from components.verify.math_grading import MathGrader
from components.verify.requests import GradeRequest

SLOW = r"\prod_{k=1}^{9000} (k^{9}+1)"


def math(response: str, *golds: str, **options: object) -> GradeRequest:
    return GradeRequest("math", response, golds, **options)  # type: ignore[arg-type]


def test_a_batch_keeps_its_order_and_needs_no_worker_where_the_fast_path_decides() -> None:
    requests = [math(rf"\boxed{{{n}}}", "7") for n in range(12)]
    with Grader(VerifierConfig()) as grader:
        verdicts = grader.grade(requests)
        assert all(slot.math._worker.starts == 0 for slot in grader._all_slots)
    assert [v.is_correct for v in verdicts] == [n == 7 for n in range(12)]
    assert verdicts[7] == Verdict("correct", "string", "7")


def test_status_and_reason_of_each_way_to_fail() -> None:
    requests = [
        math(r"x</think>\boxed{7}", "7", thinking_required=True),
        math(r"\boxed{7}", "7", thinking_required=True),
        math(r"x</think>\boxed{7}", "7", thinking_required=True, finish_reason="length"),
        math("nothing here that would be an answer, only words and more words", "7"),
        math(r"\boxed{7}"),
        math(r"\boxed{7}", " "),
        math(r"\boxed{8}", "6", "8"),
        math("x" * 2_100_000, "7"),
    ]
    with Grader(VerifierConfig()) as grader:
        verdicts = grader.grade(requests)
    assert [(v.status, v.reason) for v in verdicts] == [
        ("correct", "string"),
        ("wrong", "thinking_not_closed"),
        ("wrong", "truncated"),
        ("wrong", "no_answer"),
        ("invalid", "no_gold"),
        ("invalid", "no_gold"),
        ("correct", "string"),
        ("wrong", "response_too_long"),
    ]


def test_released_behaviour_grades_truncated_responses() -> None:
    cut = math("so far it would be 42, hmm let me check because", "42", thinking_required=True, finish_reason="length")
    with Grader(VerifierConfig(truncated_is_wrong=False)) as grader:
        assert grader.grade([cut])[0].is_correct
    with Grader(VerifierConfig()) as grader:
        assert grader.grade([cut])[0].reason == "truncated"


def test_require_box() -> None:
    with Grader(VerifierConfig(require_box=True)) as grader:
        verdicts = grader.grade([math("The answer is 7.", "7"), math(r"\boxed{7}", "7")])
    assert [v.is_correct for v in verdicts] == [False, True]


def test_a_comparison_without_end_is_killed_and_the_next_is_right() -> None:
    requests = [math(rf"\boxed{{{SLOW}}}", "1"), math(r"\boxed{x^2+2x+1}", "(x+1)^2"), math(r"\boxed{y}", "x+2")]
    with Grader(VerifierConfig(num_workers=1, math_timeout_s=3.0)) as grader:
        verdicts = grader.grade(requests)
        assert grader._all_slots[0].math._worker.starts >= 2
    assert verdicts[0] == Verdict("wrong", "verifier_timeout", SLOW)
    assert [v.status for v in verdicts[1:]] == ["correct", "wrong"]


def test_a_crashed_worker_is_replaced_once_then_the_failure_is_ours() -> None:
    grader = MathGrader(VerifierConfig())
    try:
        assert grader.grade((r"\frac{\sqrt{3}}{3}",), r"\frac{1}{\sqrt{3}}").is_correct
        first = grader._worker._process
        assert first is not None
        first.kill()
        first.wait()
        assert grader.grade((r"\sqrt{8}",), r"2\sqrt{2}").is_correct
        grader._worker.module = "components.verify.no_such_module"
        grader._worker.kill()
        with pytest.raises(InfraError, match="did not start"):
            grader.grade((r"\sqrt{12}",), r"2\sqrt{3}")
        with pytest.raises(PipeClosed):
            grader._worker.receive(0.1)
    finally:
        grader.close()
