"""Models vote on whether each problem is clear, complete, well formed and relevant (paper, section 6.3)."""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from components.core.errors import InfraError
from components.core.records import Dropped, Problem, count_rows, drop, read_problems, write_dropped, write_problems
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.judge.config import JudgeConfig
from components.judge.endpoint import cast_vote

log = logging.getLogger(__name__)

PROGRESS_INTERVAL_S = 10.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Votes on one problem by model: True valid, False invalid, None missing."""

    votes: dict[str, list[bool | None]]

    def count(self, kind: bool | None) -> int:
        return sum(vote is kind for cast in self.votes.values() for vote in cast)

    def evidence(self) -> dict[str, Any]:
        by_model = {
            model: {"valid": cast.count(True), "invalid": cast.count(False), "missing": cast.count(None)}
            for model, cast in self.votes.items()
        }
        return {"valid_votes": self.count(True), "invalid_votes": self.count(False), "by_model": by_model}


def run(config: JudgeConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Vote if enabled, else pass all rows; order unchanged."""
    problems = read_problems(inputs["problems"])
    kept, dropped, missing = judge(problems, config) if config.enabled else (problems, [], 0)
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    judged = sum(p.domain in config.domains for p in problems) if config.enabled else 0
    return {**count_rows(len(problems), kept, dropped), "judged": judged, "missing_votes": missing}


def judge(problems: list[Problem], config: JudgeConfig) -> tuple[list[Problem], list[Dropped], int]:
    """Kept rows (votes in `metadata.judge`), dropped rows, and the number of missing votes.

    Raises InfraError when votes are missing and the rest cannot decide.
    """
    judged = [p for p in problems if p.domain in config.domains]
    tallies = {p.row_id: tally for p, tally in zip(judged, collect(judged, config), strict=True)}
    kept, dropped = [], []
    for problem in problems:
        tally = tallies.get(problem.row_id)
        if tally is None:
            kept.append(problem)
        elif tally.count(True) >= config.min_valid_votes:
            kept.append(replace(problem, metadata={**problem.metadata, "judge": tally.evidence()}))
        elif tally.count(True) + tally.count(False) >= config.min_counted_votes:
            dropped.append(drop(problem, "judge", "judged_invalid", **tally.evidence()))
        else:
            raise InfraError(
                f"judge: row {problem.row_id} got only {tally.count(True) + tally.count(False)} readable votes and "
                f"{tally.count(None)} failed; at least {config.min_counted_votes} are needed. Check "
                f"{config.endpoint_url} and run the step again"
            )
    return kept, dropped, sum(tally.count(None) for tally in tallies.values())


def collect(problems: Sequence[Problem], config: JudgeConfig) -> list[Tally]:
    """One tally a problem, in order. Requests run in threads; where each vote belongs does not depend on timing."""
    ballots = [
        (row, model.name, index)
        for row in range(len(problems))
        for model in config.models
        for index in range(model.votes)
    ]
    tallies = [Tally({model.name: [] for model in config.models}) for _ in problems]
    started = last = time.monotonic()
    with ThreadPoolExecutor(config.concurrency) as pool:
        cast = pool.map(lambda b: cast_vote(problems[b[0]], b[1], b[2], config), ballots)
        try:
            for done, ((row, model, _), vote) in enumerate(zip(ballots, cast, strict=True), 1):
                tallies[row].votes[model].append(vote)
                if (now := time.monotonic()) - last > PROGRESS_INTERVAL_S:
                    last, speed = now, done / (now - started)
                    left = (len(ballots) - done) / speed
                    log.info("judge: %d of %d votes, %.1f/s, %.0f s left", done, len(ballots), speed, left)
        except InfraError:
            pool.shutdown(cancel_futures=True)
            raise
    return tallies


STAGE = Stage("judge", JudgeConfig, run, inputs=(Port("problems"),), outputs=(Port("kept"), Port("dropped")))
