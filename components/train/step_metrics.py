"""The numbers of one step under the names of metrics.jsonl: means over the whole batch and all ranks."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from components.train.config import TrainConfig
from components.train.rollout import Rollouts
from components.train.select import Selection

log = logging.getLogger(__name__)
Row = dict[str, Any]
UPDATE_METRICS = (
    "train/loss",
    "train/gradient_norm",
    "train/clip_fraction",
    "train/policy_entropy",
    "train/kl",
    "train/tokens",
    "train/logprob_mismatch_mean",
    "train/logprob_mismatch_max",
)
"""`policy_entropy` is the exact one over the vocabulary; `logprob_mismatch` compares the engine with the trainer."""


class Clock:
    """Seconds by part of a step."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(("time/rollout_s", "time/train_s", "time/other_s"), 0.0)
        self._last = time.monotonic()

    def lap(self, part: str) -> None:
        """Book the time since the last lap on `part`."""
        now = time.monotonic()
        self.seconds[part] += now - self._last
        self._last = now


def rollout_metrics(rollouts: Rollouts, selection: Selection) -> Row:
    """Accuracy before rejection, lengths, truncation, and what became of the groups."""
    tokens_PG = rollouts.tokens_PG
    rejected = selection.rejected
    return {
        "train/accuracy_before_rejection": rollouts.accuracy(),
        "train/accuracy_math": rollouts.accuracy("math"),
        "train/accuracy_code": rollouts.accuracy("code"),
        "train/response_tokens_mean": float(tokens_PG.mean()),
        "train/response_tokens_total": int(tokens_PG.sum()),
        "train/truncated_share": float(rollouts.truncated_PG.mean()),
        "train/groups_kept": int(selection.kept_P.sum()),
        "train/groups_total": len(rollouts.problems),
        "train/groups_all_wrong": rejected.get("all_wrong", 0),
        "train/groups_all_correct": rejected.get("all_correct", 0),
        "train/infra_errors": int((~rollouts.graded_PG).sum()),
    }


def update_metrics(sums: Mapping[str, float]) -> Row:
    """Token means from the sums over all ranks of one update."""
    tokens = sums["tokens"]
    return {
        "train/loss": sums["loss"],
        "train/gradient_norm": sums["gradient_norm"],
        "train/clip_fraction": sums["clipped"] / tokens,
        "train/policy_entropy": sums["entropy"] / tokens,
        "train/kl": sums["kl"] / tokens,
        "train/tokens": int(tokens),
        "train/logprob_mismatch_mean": sums["mismatch"] / tokens,
        "train/logprob_mismatch_max": sums["mismatch_max"],
    }


def merge_updates(rows: Sequence[Row]) -> Row:
    """One row from a step's updates: the mean, the sum of tokens, the largest mismatch; None without any."""
    merged: Row = dict.fromkeys(UPDATE_METRICS)
    if rows:
        merged.update({name: float(np.mean([row[name] for row in rows])) for name in UPDATE_METRICS})
        merged["train/tokens"] = sum(row["train/tokens"] for row in rows)
        merged["train/logprob_mismatch_max"] = max(row["train/logprob_mismatch_max"] for row in rows)
    return merged


def exposure_rows(rollouts: Rollouts, selection: Selection, stage: int, step: int) -> list[Row]:
    """One row for each problem visited: its pass rate before rejection, and whether its group was used."""
    return [
        {
            "row_id": item.problem.row_id,
            "problem_id": item.problem.problem_id,
            "stage": stage,
            "step": step,
            "num_correct": int(rollouts.rewards_PG[p][rollouts.graded_PG[p]].sum()),
            "num_graded": int(rollouts.graded_PG[p].sum()),
            "used": bool(selection.kept_P[p]),
        }
        for p, item in enumerate(rollouts.problems)
    ]


def log_progress(config: TrainConfig, row: Row, done: int, seconds_left: float) -> None:
    """One line a step."""
    seconds = row["time/rollout_s"] + row["time/train_s"] + row["time/other_s"]
    held_out = "" if row["dev/accuracy"] is None else f", held-out {row['dev/accuracy']:.3f}"
    log.info(
        "%s step %d/%d: accuracy %s%s, entropy %s, alpha %s, groups %d/%d, %d tokens, "
        "%.1f s (sample %.1f, train %.1f), %.1f min left",
        config.label, done, config.num_steps, _number(row["train/accuracy_before_rejection"]), held_out,
        _number(row["train/entropy"]), _number(row["train/entropy_alpha"], 5), row["train/groups_kept"],
        row["train/groups_total"], row["train/response_tokens_total"], seconds, row["time/rollout_s"],
        row["time/train_s"], seconds_left / 60,
    )  # fmt: skip
    if not row["train/groups_kept"]:
        log.warning("%s step %d: no group teaches anything, so no update", config.label, done)


def _number(value: float | None, digits: int = 3) -> str:
    return "none" if value is None else f"{value:.{digits}f}"
