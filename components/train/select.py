"""Which groups and samples enter the loss: rejection of groups that teach nothing, truncation masks, lost samples.

Only whole groups leave, and nothing here depends on the number of workers. Shapes: P prompts, G samples of each.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from components.train.advantage import group_advantages

TruncationMask = Literal["none", "before", "after"]


@dataclass(frozen=True)
class Selection:
    """What a step trains on."""

    advantages_PG: np.ndarray
    """float64; 0 where a sample has no part in the policy gradient."""
    in_loss_PG: np.ndarray
    """bool: samples whose tokens are counted by the token mean and the entropy bonus."""
    kept_P: np.ndarray
    """bool: groups that stay."""
    rejected: dict[str, int]
    """Groups that left, by reason: all_wrong, all_correct, equal_rewards, only_masked_differ, too_few_graded."""


def select(
    rewards_PG: np.ndarray,
    graded_PG: np.ndarray,
    truncated_PG: np.ndarray,
    truncation_mask: TruncationMask = "none",
    reject_zero_advantage: bool = True,
    masked_tokens_in_mean: bool = False,
) -> Selection:
    """Select from rewards (float), graded (bool: false for an infrastructure error) and truncated (bool).

    A sample that could not be graded leaves its group. `before`: truncated samples leave the group's statistics and
    get advantage 0. `after`: they count in the statistics and get advantage 0. Masked samples leave the token mean
    unless `masked_tokens_in_mean`. A group needs two samples with a say. Paper sections 3.1 and 3.2.3.
    """
    masked_PG = truncated_PG & graded_PG if truncation_mask != "none" else np.zeros_like(graded_PG)
    in_statistics_PG = graded_PG & ~masked_PG if truncation_mask == "before" else graded_PG
    advantages_PG = group_advantages(rewards_PG, in_statistics_PG)
    advantages_PG[masked_PG] = 0.0
    kept_P = np.zeros(len(rewards_PG), bool)
    rejected: dict[str, int] = {}
    for row in range(len(rewards_PG)):
        reason = _reason_to_reject(rewards_PG[row, in_statistics_PG[row]], advantages_PG[row], reject_zero_advantage)
        kept_P[row] = not reason
        if reason:
            rejected[reason] = rejected.get(reason, 0) + 1
    in_loss_PG = graded_PG & kept_P[:, None]
    if not masked_tokens_in_mean:
        in_loss_PG = in_loss_PG & ~masked_PG
    return Selection(np.where(kept_P[:, None], advantages_PG, 0.0), in_loss_PG, kept_P, rejected)


def _reason_to_reject(rewards: np.ndarray, advantages_G: np.ndarray, reject_zero_advantage: bool) -> str:
    """Why a group leaves, from the rewards in its statistics; empty when it stays."""
    if len(rewards) < 2:
        return "too_few_graded"
    if not reject_zero_advantage or advantages_G.any():
        return ""
    if rewards.max() != rewards.min():
        return "only_masked_differ"
    return {0.0: "all_wrong", 1.0: "all_correct"}.get(float(rewards[0]), "equal_rewards")
