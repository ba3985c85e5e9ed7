"""The greedy leader rule: an item goes only if it is similar to an item that stays.

Unlike clusters by chaining, nothing is removed because of something that was itself removed.
"""

from collections.abc import Callable

import numpy as np

BLOCK_ROWS = 512


def greedy_leaders(
    vectors_ND: np.ndarray, threshold: float, confirm: Callable[[int, int], bool]
) -> dict[int, tuple[int, float]]:
    """Exact search, in the order of rows. Returns removed row -> (the kept row it is like, their cosine).

    A row is removed if a kept row before it has cosine >= `threshold` and `confirm(kept, row)` agrees; the most
    similar such row is named. `vectors_ND` are rows of length 1; memory is BLOCK_ROWS x N floats.
    """
    removed: dict[int, tuple[int, float]] = {}
    for begin in range(0, len(vectors_ND), BLOCK_ROWS):
        block_BD = vectors_ND[begin : begin + BLOCK_ROWS]
        cosines_BN = block_BD @ vectors_ND[: begin + len(block_BD)].T
        for offset, cosines_N in enumerate(cosines_BN):
            row = begin + offset
            near = np.flatnonzero(cosines_N[:row] >= threshold)
            for kept in near[np.argsort(-cosines_N[near], kind="stable")]:
                if int(kept) not in removed and confirm(int(kept), row):
                    removed[row] = (int(kept), float(cosines_N[kept]))
                    break
    return removed
