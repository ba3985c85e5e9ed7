"""Which problems a stage samples from: fitting prompts, without the held-out and the solved ones.

The mix stage marks development problems (`metadata.split`) and how often an epoch shows a problem (`metadata.repeat`).
A table without such marks is repeated once, and a share of it is held out by hash when validation is on.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.core.errors import DataError
from components.core.records import Problem
from components.sample.rollouts import load_tokenizer
from components.train.config import TrainConfig
from components.train.plan import hold_out, row_keys, solved_problems
from components.train.rollout import TrainProblem, prepare

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProblemPool:
    """Problems of one stage, and how many rows went where."""

    training: list[TrainProblem]
    held_out: list[TrainProblem]
    """Each problem once."""
    counts: dict[str, int]


def choose_problems(
    config: TrainConfig, problems: Sequence[Problem], exposures: Sequence[Mapping[str, Any]], model_folder: Path
) -> ProblemPool:
    """Leave out rows with over-long prompts, put held-out problems aside, leave out solved ones. Raises DataError."""
    tokenizer = load_tokenizer(model_folder)
    rows = [problem for problem in problems for _ in range(int(problem.metadata.get("repeat", 1)))]
    prepared = prepare(rows, row_keys(rows), tokenizer, config.prompt)
    fitting = [p for p in prepared if len(p.prompt_ids) <= config.max_prompt_tokens]
    aside = _held_out_ids(config, [p.problem for p in fitting])
    unique = {p.problem.problem_id: p for p in fitting if p.problem.problem_id in aside}
    held_out = list(unique.values())[: config.validation.num_problems]
    candidates = [p for p in fitting if p.problem.problem_id not in aside]
    solved = solved_problems(exposures) if config.drop_solved else set()
    training = [p for p in candidates if p.problem.problem_id not in solved]
    counts = {
        "problems_in": len(problems),
        "rows_with_repeats": len(rows),
        "problems_too_long": len(prepared) - len(fitting),
        "problems_held_out": len(fitting) - len(candidates),
        "problems_solved_before": len(candidates) - len(training),
        "problems_trained": len(training),
    }
    log.info("%s: %s", config.label, ", ".join(f"{name} {value}" for name, value in counts.items()))
    if not training:
        raise DataError(
            f"{config.label}: no problems are left to train on ({counts}); give more problems, a larger "
            "max_prompt_tokens, or set drop_solved to false"
        )
    return ProblemPool(training, held_out, counts)


def _held_out_ids(config: TrainConfig, problems: Sequence[Problem]) -> set[str]:
    marked = {p.problem_id for p in problems if p.metadata.get("split") == "development"}
    if marked or any("split" in p.metadata for p in problems):
        return marked
    if not config.validation.every_steps:
        return set()
    return hold_out([p.problem_id for p in problems], config.validation.num_problems, config.seed)
