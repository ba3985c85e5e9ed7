"""Make the training set: order, quotas, weights and the development split (paper, section 6)."""

import logging
from collections import Counter
from dataclasses import replace

from components.core.digest import sha256_text
from components.core.errors import DataError
from components.core.files import write_json
from components.core.records import Dropped, Problem, count_rows, drop, read_problems, write_problems
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.mix.config import MixConfig
from components.mix.data_card import data_card

log = logging.getLogger(__name__)

HASH_DIGITS = 12


def run(config: MixConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Write the training set and its card. Raises DataError when no training problem is left.

    Rows over a quota have no port of their own: the card lists their row ids.
    """
    problems = read_problems(inputs["problems"])
    kept, over_quota = mix(problems, config)
    if not any(p.metadata["split"] == "train" for p in kept):
        raise DataError(
            f"mix: none of {len(problems)} problems is left to train on; loosen the steps before, or lower the setting "
            "'development_share'"
        )
    write_problems(outputs["kept"], kept)
    write_json(outputs["data_card"], data_card(kept, over_quota, config))
    split = Counter(p.metadata["split"] for p in kept)
    counts = count_rows(len(problems), kept, over_quota)
    return {**counts, "train": split["train"], "development": split["development"]}


def mix(problems: list[Problem], config: MixConfig) -> tuple[list[Problem], list[Dropped]]:
    """Kept rows in training order with `metadata.repeat` and `metadata.split`, and rows over a quota.

    The order is by a hash of seed and row, so it does not depend on the order of the input.
    """
    shuffled = sorted(problems, key=lambda p: (_hash(config.seed, "order", p.row_id), p.row_id))
    kept: list[Problem] = []
    over_quota: list[Dropped] = []
    taken: Counter[str] = Counter()
    for problem in shuffled:
        limit = config.max_problems_by_domain.get(problem.domain)
        if limit is not None and taken[problem.domain] >= limit:
            over_quota.append(drop(problem, "mix", "over_quota", setting="max_problems_by_domain", limit=limit))
        elif config.max_problems and len(kept) >= config.max_problems:
            over_quota.append(drop(problem, "mix", "over_quota", setting="max_problems", limit=config.max_problems))
        else:
            taken[problem.domain] += 1
            kept.append(_placed(problem, config))
    log.info("mix: %d problems kept, %d over quota", len(kept), len(over_quota))
    return kept, over_quota


def _placed(problem: Problem, config: MixConfig) -> Problem:
    """The split depends on the problem, not on the row: copies of one problem are on the same side."""
    share = int(_hash(config.seed, "split", problem.problem_id), 16) / 16**HASH_DIGITS
    split = "development" if share < config.development_share else "train"
    extra = {"repeat": config.repeats.get(problem.domain, 1), "split": split}
    return replace(problem, metadata={**problem.metadata, **extra})


def _hash(seed: int, purpose: str, identity: str) -> str:
    return sha256_text(f"{seed} {purpose} {identity}")[:HASH_DIGITS]


STAGE = Stage("mix", MixConfig, run, inputs=(Port("problems"),), outputs=(Port("kept"), Port("data_card", kind="json")))
