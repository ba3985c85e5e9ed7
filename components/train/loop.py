"""The training loop of one stage: sample, grade, select, control, update, hand on the weights, record."""

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from components.core.errors import InfraError
from components.sample.engine import Engine, SamplingParameters, seed_of
from components.train.batch import MicroBatch, TrainSequence, micro_batches
from components.train.config import TrainConfig
from components.train.entropy import EntropyController
from components.train.loss import LossSettings
from components.train.plan import Plan
from components.train.ray_backend import TrainerRanks
from components.train.rollout import Rollouts, TrainProblem, roll_out
from components.train.select import Selection, select
from components.train.step_metrics import (
    Clock,
    Row,
    exposure_rows,
    log_progress,
    merge_updates,
    rollout_metrics,
    update_metrics,
)
from components.train.sync import push_weights

log = logging.getLogger(__name__)
MAX_BAD_UPDATES = 3


@dataclass
class Progress:
    """Where a stage stands; JSON values only, so that a checkpoint can hold it."""

    step: int = 0
    """Steps since the first stage began."""
    stage_step: int = 0
    """Steps of this stage that are done."""
    bad_updates: int = 0
    """Updates in a row whose gradient was not finite."""
    best: dict[str, Any] | None = None
    """step, stage_step and accuracy of the best validation so far."""
    metrics: list[Row] = field(default_factory=list)
    exposures: list[Row] = field(default_factory=list)
    """Rows of this stage."""


@dataclass
class StageLoop:
    """One stage at work. `after_step` is called with the loop after each step (checkpoints)."""

    config: TrainConfig
    plan: Plan
    problems: Sequence[TrainProblem]
    held_out: Sequence[TrainProblem]
    engines: Engine
    grader: Any
    ranks: TrainerRanks
    controller: EntropyController
    progress: Progress
    after_step: Callable[["StageLoop", bool], None]

    def run(self) -> None:
        """All remaining steps."""
        started, first = time.monotonic(), self.progress.stage_step
        while self.progress.stage_step < self.config.num_steps:
            row, validated_best = self.step()
            done = self.progress.stage_step
            left = (time.monotonic() - started) / (done - first) * (self.config.num_steps - done)
            log_progress(self.config, row, done, left)
            self.after_step(self, validated_best)

    def step(self) -> tuple[Row, bool]:
        """One step of MAGIC (paper algorithm, section 3). Returns the metrics row, and whether validation improved."""
        clock = Clock()
        batch = [self.problems[row] for row in self.plan.batch(self.progress.stage_step)]
        rollouts = self.roll_out(batch, "train", self.config.group_size)
        clock.lap("time/rollout_s")
        selection = self.select(rollouts)
        sequences = kept_sequences(rollouts, selection)
        entropy = sampled_entropy(sequences)
        coefficient, alpha = self.controller.coefficient, None
        clock.lap("time/other_s")
        update: Row = merge_updates([])
        if entropy is not None:
            alpha = self.controller.alpha(entropy)
            update = self.update(sequences, alpha)
            self.controller.update(entropy)
            clock.lap("time/train_s")
            push_weights(self.engines, self.ranks.weights())
        self.progress.stage_step += 1
        self.progress.step += 1
        self.progress.exposures += exposure_rows(rollouts, selection, self.config.stage_index, self.progress.step)
        accuracy, is_best = self.validate()
        clock.lap("time/other_s")
        row = {
            "step": self.progress.step,
            "stage": self.config.stage_index,
            **rollout_metrics(rollouts, selection),
            "train/entropy": entropy,
            "train/entropy_coefficient": coefficient,
            "train/entropy_alpha": alpha,
            **update,
            "train/learning_rate": self.config.learning_rate,
            "dev/accuracy": accuracy,
            **clock.seconds,
        }
        self.progress.metrics.append(row)
        return row, is_best

    def roll_out(self, problems: Sequence[TrainProblem], purpose: str, num_samples: int) -> Rollouts:
        """Sample and grade; the seeds depend on seed, step, purpose and problem only. Raises InfraError when too many
        samples could not be graded."""
        config = self.config
        parameters = SamplingParameters(config.temperature, 1.0, config.max_response_tokens)
        # Validation draws with the same seeds every time, so that two validations differ by the weights alone.
        moment = self.progress.step if purpose == "train" else 0
        seeds = [seed_of(config.seed, purpose, moment, p.key) for p in problems]
        rollouts = roll_out(self.engines, self.grader, problems, seeds, num_samples, parameters)
        lost = 1.0 - float(rollouts.graded_PG.mean())
        if lost > config.max_infra_error_share:
            raise InfraError(
                f"step {self.progress.step + 1}: {lost:.0%} of the samples could not be graded (infrastructure errors, "
                f"at most max_infra_error_share {config.max_infra_error_share:.0%}); look at the verifier's pool"
            )
        return rollouts

    def select(self, rollouts: Rollouts) -> Selection:
        config = self.config
        return select(
            rollouts.rewards_PG, rollouts.graded_PG, rollouts.truncated_PG,
            config.truncation_mask, config.reject_zero_advantage, config.masked_tokens_in_mean,
        )  # fmt: skip

    def update(self, groups: Sequence[Sequence[TrainSequence]], alpha: float) -> Row:
        """The step's optimizer updates, all with the same alpha. Returns their metrics, averaged."""
        config = self.config
        settings = LossSettings(config.clip_low, config.clip_high, alpha, config.kl_coefficient, config.kl_estimator)
        updates = [self._micro_batches(part) for part in split_groups(groups, config.num_updates)]
        if config.num_updates > 1:
            updates = [attach_old_logprobs(micros, self.ranks.logprobs(micros)) for micros in updates]
        rows = []
        for micros in updates:
            sums = self.ranks.update(micros, settings)
            rows.append(update_metrics(sums))
            self._require_finite(sums)
        finite = [r for r in rows if math.isfinite(r["train/gradient_norm"]) and math.isfinite(r["train/loss"])]
        return merge_updates(finite)

    def _micro_batches(self, groups: Sequence[Sequence[TrainSequence]]) -> list[list[MicroBatch]]:
        config = self.config
        nominal = None
        if config.aggregation == "released":
            nominal = config.num_prompts * config.group_size // config.num_updates
        sequences = [s for group in groups for s in group]
        return micro_batches(
            sequences, config.num_trainer_ranks, config.max_tokens_per_micro_batch, self.ranks.layout, nominal
        )

    def _require_finite(self, sums: Row) -> None:
        if math.isfinite(sums["gradient_norm"]):
            self.progress.bad_updates = 0
            return
        self.progress.bad_updates += 1
        log.warning("step %d: the gradient is not finite; this update is left out", self.progress.step + 1)
        if self.progress.bad_updates >= MAX_BAD_UPDATES:
            raise InfraError(
                f"step {self.progress.step + 1}: {MAX_BAD_UPDATES} updates in a row had a gradient that is not finite; "
                "lower learning_rate or look at the last checkpoint"
            )

    def validate(self) -> tuple[float | None, bool]:
        """Held-out accuracy when it is due, and whether it is the best so far (the earliest of equals)."""
        config, done = self.config.validation, self.progress.stage_step
        due = config.every_steps and (done % config.every_steps == 0 or done == self.config.num_steps)
        if not due or not self.held_out:
            return None, False
        accuracy = self.roll_out(self.held_out, "held-out", config.num_samples).accuracy()
        best = self.progress.best
        if accuracy is None or (best and accuracy <= best["accuracy"]):
            return accuracy, False
        self.progress.best = {"step": self.progress.step, "stage_step": done, "accuracy": accuracy}
        return accuracy, True

    def state(self) -> Row:
        """What a checkpoint holds beside the tensors."""
        return {"progress": asdict(self.progress), "controller": self.controller.state(), "plan": self.plan.digest}


def kept_sequences(rollouts: Rollouts, selection: Selection) -> list[list[TrainSequence]]:
    """The kept groups' samples that count in the loss, group by group."""
    groups = []
    for p in np.flatnonzero(selection.kept_P):
        group = [
            TrainSequence(
                rollouts.problems[p].prompt_ids,
                np.array(sample.token_ids, np.int64),
                float(selection.advantages_PG[p, g]),
                np.array(sample.logprobs, np.float32),
            )
            for g, sample in enumerate(rollouts.samples[p])
            if selection.in_loss_PG[p, g]
        ]
        if group:
            groups.append(group)
    return groups


def sampled_entropy(groups: Sequence[Sequence[TrainSequence]]) -> float | None:
    """e_k: minus the mean log-prob of all tokens that count in the loss (nats a token); None without any."""
    values = [s.rollout_logprobs.astype(np.float64) for group in groups for s in group]
    return -math.fsum(math.fsum(v) for v in values) / sum(len(v) for v in values) if values else None


def split_groups(groups: Sequence[Any], num_parts: int) -> list[list[Any]]:
    """At most `num_parts` mini-batches of whole groups, as even as can be, in order."""
    bounds = [round(i * len(groups) / num_parts) for i in range(num_parts + 1)]
    return [list(groups[a:b]) for a, b in zip(bounds, bounds[1:], strict=False) if b > a]


def attach_old_logprobs(
    micros: Sequence[Sequence[MicroBatch]], logprobs: Sequence[Sequence[Sequence[np.ndarray]]]
) -> list[list[MicroBatch]]:
    """The same micro-batches, each sequence with the policy's log-probs from before the step's first update."""
    return [
        [
            replace(
                micro,
                sequences=tuple(replace(s, old_logprobs=o) for s, o in zip(micro.sequences, old, strict=True)),
            )
            for micro, old in zip(mine, olds, strict=True)
        ]
        for mine, olds in zip(micros, logprobs, strict=True)
    ]
