"""Re-extract the answer from each math problem's own solutions and hold it against the stated one (paper 6.1)."""

import logging
import time
from dataclasses import dataclass, replace

from components.answers.config import AnswersConfig
from components.core.errors import InfraError
from components.core.records import (
    Dropped,
    Problem,
    Verdict,
    count_rows,
    drop,
    read_problems,
    write_dropped,
    write_problems,
)
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.verify.answers import extract_answer, extract_stated_answer
from components.verify.catalog import Grader
from components.verify.requests import GradeRequest

log = logging.getLogger(__name__)

_CHUNK = 500
_EXCERPT_CHARS = 500


def run(config: AnswersConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Math problems in; kept ones have answer_status verified or unverified. Raises InfraError when the verifier's
    own processes keep failing."""
    problems = [p for p in read_problems(inputs["problems"]) if p.domain == "math"]
    kept: list[Problem] = []
    dropped: list[Dropped] = []
    started = time.monotonic()
    with Grader(config.verifier) as grader:
        for start in range(0, len(problems), _CHUNK):
            for fate in _check(problems[start : start + _CHUNK], config, grader):
                (kept if isinstance(fate, Problem) else dropped).append(fate)  # type: ignore[arg-type]
            _log_progress(min(start + _CHUNK, len(problems)), len(problems), started)
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    verified = sum(p.answer_status == "verified" for p in kept)
    return count_rows(len(problems), kept, dropped) | {"verified": verified, "unverified": len(kept) - verified}


@dataclass(frozen=True)
class _Extracted:
    """The answers that the solutions of one problem arrive at."""

    problem: Problem
    answers: tuple[str, ...]


def _check(problems: list[Problem], config: AnswersConfig, grader: Grader) -> list[Problem | Dropped]:
    extracted = [_Extracted(p, _solution_answers(p, config)) for p in problems]
    asked = [GradeRequest("math", answers=e.problem.answers, code=a) for e in extracted for a in e.answers]
    verdicts = iter(grader.grade(asked))
    return [_fate(e, [next(verdicts) for _ in e.answers], config) for e in extracted]


def _solution_answers(problem: Problem, config: AnswersConfig) -> tuple[str, ...]:
    found = []
    for solution in problem.solutions[: config.max_solutions]:
        if config.solution_answer == "stated":
            answer = extract_stated_answer(solution)
        else:
            answer = extract_answer(solution, require_box=config.solution_answer == "boxed")
        if answer:
            found.append(answer)
    return tuple(dict.fromkeys(found))


def _fate(extracted: _Extracted, verdicts: list[Verdict], config: AnswersConfig) -> Problem | Dropped:
    problem = extracted.problem
    if any(v.status == "correct" for v in verdicts):
        return replace(problem, answer_status="verified")
    failure = next((v for v in verdicts if v.status == "infra_error"), None)
    if failure:
        raise InfraError(f"answers: row {problem.row_id[:12]} of {problem.source.name} not checked: {failure.reason}")
    if not any(answer.strip() for answer in problem.answers):
        return drop(problem, "answers", "no_answer")
    if verdicts:
        return drop(
            problem,
            "answers",
            "answer_contradicts_solution",
            answers=list(problem.answers),
            solution_answers=[answer[:_EXCERPT_CHARS] for answer in extracted.answers],
            comparison=verdicts[0].reason,
        )
    if config.require_solution:
        has_solution = any(solution.strip() for solution in problem.solutions)
        return drop(problem, "answers", "no_answer_in_solution" if has_solution else "no_solution")
    return replace(problem, answer_status="unverified")


def _log_progress(done: int, total: int, started: float) -> None:
    rate = done / max(time.monotonic() - started, 1e-9)
    log.info("answers: %d of %d rows (%.0f rows/s, %.0f s left)", done, total, rate, (total - done) / rate)


STAGE = Stage("answers", AnswersConfig, run, inputs=(Port("problems"),), outputs=(Port("kept"), Port("dropped")))
