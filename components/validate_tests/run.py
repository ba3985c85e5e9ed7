"""Run each code problem's own solutions on all its tests (paper 6.1)."""

import logging
import time
from dataclasses import dataclass, field, replace

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
from components.validate_tests.config import ValidateTestsConfig
from components.verify.answers import extract_code
from components.verify.catalog import Grader
from components.verify.code_tests import InvalidTests, read_tests
from components.verify.requests import GradeRequest

log = logging.getLogger(__name__)

_CHUNK = 200


@dataclass
class _Candidate:
    """A problem on its way: which solutions were tried, and with what result."""

    problem: Problem
    programs: list[str]
    tried: list[Verdict] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        passed = any(v.status == "correct" for v in self.tried)
        return not passed and len(self.tried) < len(self.programs)


def run(config: ValidateTestsConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Code problems in; kept ones have answer_status verified (or unverified where there was nothing to run). Raises
    InfraError when the sandbox keeps failing."""
    problems = [p for p in read_problems(inputs["problems"]) if p.domain == "code"]
    kept: list[Problem] = []
    dropped: list[Dropped] = []
    started = time.monotonic()
    with Grader(config.verifier) as grader:
        for start in range(0, len(problems), _CHUNK):
            for fate in _validate(problems[start : start + _CHUNK], config, grader):
                (kept if isinstance(fate, Problem) else dropped).append(fate)  # type: ignore[arg-type]
            _log_progress(min(start + _CHUNK, len(problems)), len(problems), started)
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    verified = sum(p.answer_status == "verified" for p in kept)
    return count_rows(len(problems), kept, dropped) | {"verified": verified, "unverified": len(kept) - verified}


def _validate(problems: list[Problem], config: ValidateTestsConfig, grader: Grader) -> list[Problem | Dropped]:
    """Round by round: the next untried solution of every problem that has not passed yet."""
    fates: dict[int, Problem | Dropped] = {}
    candidates: dict[int, _Candidate] = {}
    for place, problem in enumerate(problems):
        programs = _programs(problem, config)
        fate = _fate_without_running(problem, programs, config)
        if fate is None:
            candidates[place] = _Candidate(problem, programs)
        else:
            fates[place] = fate
    while opened := [c for c in candidates.values() if c.is_open]:
        asked = [GradeRequest("code", tests=c.problem.tests, code=c.programs[len(c.tried)]) for c in opened]
        for candidate, verdict in zip(opened, grader.grade(asked), strict=True):
            candidate.tried.append(verdict)
    fates |= {place: _fate(candidate) for place, candidate in candidates.items()}
    return [fates[place] for place in range(len(problems))]


def _programs(problem: Problem, config: ValidateTestsConfig) -> list[str]:
    """The programs of the solutions; some sources fence them."""
    texts = [extract_code(s) or s for s in problem.solutions if s.strip()]
    return list(dict.fromkeys(texts))[: config.max_solutions]


def _fate_without_running(
    problem: Problem, programs: list[str], config: ValidateTestsConfig
) -> Problem | Dropped | None:
    try:
        read_tests(problem.tests)
    except InvalidTests as error:
        reason = "no_tests" if str(error) == "no_tests" else "invalid_tests"
        return drop(problem, "validate_tests", reason, detail=str(error))
    if programs:
        return None
    if config.require_solution:
        return drop(problem, "validate_tests", "no_solution")
    return replace(problem, answer_status="unverified")


def _fate(candidate: _Candidate) -> Problem | Dropped:
    problem, tried = candidate.problem, candidate.tried
    if tried[-1].status == "correct":
        return replace(problem, answer_status="verified")
    failure = next((v for v in tried if v.status == "infra_error"), None)
    if failure:
        raise InfraError(
            f"validate_tests: row {problem.row_id[:12]} of {problem.source.name} not checked: {failure.reason}"
        )
    return drop(
        problem,
        "validate_tests",
        "solution_fails_tests",
        solutions_tried=len(tried),
        solutions_given=len(problem.solutions),
        first_failures=[v.reason for v in tried],
    )


def _log_progress(done: int, total: int, started: float) -> None:
    rate = done / max(time.monotonic() - started, 1e-9)
    log.info("validate_tests: %d of %d rows (%.1f rows/s, %.0f s left)", done, total, rate, (total - done) / rate)


STAGE = Stage(
    "validate_tests", ValidateTestsConfig, run, inputs=(Port("problems"),), outputs=(Port("kept"), Port("dropped"))
)
