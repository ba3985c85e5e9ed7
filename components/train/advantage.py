"""Group-relative advantages (GRPO), as Skywork-OR1 computes them.

Shapes: P prompts, G samples of each.
"""

import numpy as np

STD_EPSILON = 1e-6


def group_advantages(rewards_PG: np.ndarray, counts_PG: np.ndarray | None = None) -> np.ndarray:
    """A = (R - mean) / (std + 1e-6) within each group, with the unbiased standard deviation (n - 1).

    `counts_PG` (bool) says which samples belong to the group's statistics; the others get advantage 0. All float64.
    A group whose rewards are all equal gets exactly 0. A group of one gets A = R (mean 0, std 1), as the released
    code has it; an empty one 0.
    """
    counts_PG = np.ones(rewards_PG.shape, bool) if counts_PG is None else counts_PG
    advantages_PG = np.zeros(rewards_PG.shape, np.float64)
    for row, (rewards_G, counts_G) in enumerate(zip(rewards_PG, counts_PG, strict=True)):
        members = rewards_G[counts_G].astype(np.float64)
        if len(members) == 1:
            advantages_PG[row, counts_G] = members / (1.0 + STD_EPSILON)
        elif len(members) and members.max() != members.min():
            centred = members - members.mean()
            advantages_PG[row, counts_G] = centred / (members.std(ddof=1) + STD_EPSILON)
    return advantages_PG
