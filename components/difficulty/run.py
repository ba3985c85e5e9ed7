"""How often does the base model solve each problem? Keep what it solves sometimes (paper, section 6.2).

All responses and verdicts are written, so that grading can be repeated without sampling.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from components.core.files import write_table
from components.core.model_files import read_model_json
from components.core.records import (
    Completion,
    Dropped,
    Problem,
    count_rows,
    drop,
    read_problems,
    write_completions,
    write_dropped,
    write_problems,
)
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.difficulty.config import DifficultyConfig
from components.sample.catalog import context_tokens
from components.sample.engine import SamplingParameters, seed_of
from components.sample.rollouts import Task, load_tokenizer, prepare_task, run_tasks, seed_order
from components.verify.config import VERIFIER_VERSION

log = logging.getLogger(__name__)

PASS_RATE_SCHEMA = pa.schema(
    [
        ("problem_id", pa.string()),
        ("row_id", pa.string()),
        ("domain", pa.string()),
        ("num_correct", pa.int64()),
        ("num_graded", pa.int64()),
        ("num_infra_errors", pa.int64()),
        ("model_digest", pa.string()),
        ("temperature", pa.float64()),
        ("max_response_tokens", pa.int64()),
        ("verifier", pa.string()),
    ]
)


@dataclass(frozen=True)
class Tally:
    """Verdicts of one problem's responses, counted."""

    num_correct: int
    num_graded: int
    """Correct and wrong ones: what nobody could judge leaves both counts."""
    num_infra_errors: int
    num_invalid: int

    @classmethod
    def of(cls, statuses: Sequence[str]) -> "Tally":
        count = Counter(statuses)
        graded = count["correct"] + count["wrong"]
        return cls(count["correct"], graded, count["infra_error"], count["invalid"])


def run(config: DifficultyConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    problems, folder = read_problems(inputs["problems"]), inputs["model"]
    dropped: dict[str, Dropped] = {d.row_id: d for d in _not_sampled(problems, config)}
    tasks = _tasks([p for p in problems if p.row_id not in dropped], folder, config, dropped)
    completions = run_tasks(config.sampler, folder, config.verifier, tasks, _parameters(config))
    tallies = {t.problem.row_id: Tally.of([c.status for c in row]) for t, row in zip(tasks, completions, strict=True)}
    kept = []
    for problem in problems:
        tally = tallies.get(problem.row_id)
        if tally is None:
            continue
        if reason := reason_to_drop(tally, config):
            dropped[problem.row_id] = _dropped(problem, reason, tally)
        else:
            kept.append(with_pass_rate(problem, tally))
    ordered = [dropped[p.row_id] for p in problems if p.row_id in dropped]
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], ordered)
    write_completions(outputs["completions"], [c for row in completions for c in row])
    write_table(outputs["pass_rates"], _pass_rates(tasks, tallies, folder, config), PASS_RATE_SCHEMA)
    return {**count_rows(len(problems), kept, ordered), **_summary(tallies, completions)}


def reason_to_drop(tally: Tally, config: DifficultyConfig) -> str:
    """Empty for a problem that stays."""
    if tally.num_graded == 0:
        return "not_gradable" if tally.num_invalid else "undecided"
    if tally.num_correct < config.min_correct:
        return "all_wrong" if tally.num_correct == 0 else "too_hard"
    if tally.num_graded - tally.num_correct < config.min_wrong:
        return "all_correct" if tally.num_correct == tally.num_graded else "too_easy"
    return ""


def with_pass_rate(problem: Problem, tally: Tally) -> Problem:
    rate = tally.num_correct / tally.num_graded
    return replace(problem, pass_rate=rate, num_correct=tally.num_correct, num_graded=tally.num_graded)


def _dropped(problem: Problem, reason: str, tally: Tally) -> Dropped:
    return drop(
        problem,
        "difficulty",
        reason,
        problem_id=problem.problem_id,
        num_correct=tally.num_correct,
        num_graded=tally.num_graded,
        num_infra_errors=tally.num_infra_errors,
    )


def _not_sampled(problems: Sequence[Problem], config: DifficultyConfig) -> list[Dropped]:
    """What lies outside the subset of a domain. The order is a hash, so a larger subset contains a smaller one."""
    dropped = []
    for domain, limit in (("math", config.max_problems_math), ("code", config.max_problems_code)):
        ordered = sorted(
            (p for p in problems if p.domain == domain),
            key=lambda p: (seed_order(config.seed, p.problem_id), p.row_id),
        )
        if limit is not None:
            dropped += [drop(p, "difficulty", "not_sampled", max_problems=limit) for p in ordered[limit:]]
    return dropped


def _tasks(
    problems: Sequence[Problem], folder: Path, config: DifficultyConfig, dropped: dict[str, Dropped]
) -> list[Task]:
    """A task for each problem whose prompt leaves room for a whole response; the others go to `dropped`."""
    if not problems:
        return []
    tokenizer, context = load_tokenizer(folder), context_tokens(config.sampler, folder)
    rollouts = {"math": config.rollouts_math, "code": config.rollouts_code}
    tasks = []
    for problem in problems:
        seed = seed_of(config.seed, problem.problem_id)
        task = prepare_task(problem, tokenizer, config.prompt, rollouts[problem.domain], seed)
        if task.num_prompt_tokens + config.sampling.max_response_tokens > context:
            evidence = {"prompt_tokens": task.num_prompt_tokens, "context_tokens": context}
            dropped[problem.row_id] = drop(problem, "difficulty", "too_long", **evidence)
        else:
            tasks.append(task)
    return tasks


def _parameters(config: DifficultyConfig) -> SamplingParameters:
    return SamplingParameters(**config.sampling.model_dump())


def _pass_rates(
    tasks: Sequence[Task], tallies: dict[str, Tally], folder: Path, config: DifficultyConfig
) -> list[dict[str, Any]]:
    digest = read_model_json(folder).digest
    rows = []
    for task in tasks:
        tally = tallies[task.problem.row_id]
        rows.append(
            {
                "problem_id": task.problem.problem_id,
                "row_id": task.problem.row_id,
                "domain": task.problem.domain,
                "num_correct": tally.num_correct,
                "num_graded": tally.num_graded,
                "num_infra_errors": tally.num_infra_errors,
                "model_digest": digest,
                "temperature": config.sampling.temperature,
                "max_response_tokens": config.sampling.max_response_tokens,
                "verifier": VERIFIER_VERSION,
            }
        )
    return rows


def _summary(tallies: dict[str, Tally], completions: Sequence[Sequence[Completion]]) -> dict[str, Any]:
    flat = [c for row in completions for c in row]
    total, graded = len(flat), sum(t.num_graded for t in tallies.values())
    return {
        "rollouts": total,
        "infra_errors": sum(t.num_infra_errors for t in tallies.values()),
        "accuracy": sum(t.num_correct for t in tallies.values()) / graded if graded else 0.0,
        "response_tokens_mean": sum(c.num_tokens for c in flat) / total if total else 0.0,
        "truncated_share": sum(c.finish_reason == "length" for c in flat) / total if total else 0.0,
    }


STAGE = Stage(
    "difficulty",
    DifficultyConfig,
    run,
    inputs=(Port("problems"), Port("model", "model")),
    outputs=(Port("kept"), Port("dropped"), Port("completions"), Port("pass_rates")),
)
