"""Which part of the synthetic world a problem belongs to, decided by its own text.

The bundled base model is trained on `pretrain`, the sources of the reinforcement learning pool come from `pool`,
and the bundled benchmarks from `benchmark`: no problem is ever in two of them.
"""

from typing import Literal

from components.core.digest import sha256_text

Split = Literal["pretrain", "pool", "benchmark"]


def split_of(statement: str) -> Split:
    """The split of a statement: 50% pretrain, 30% pool, 20% benchmark. Case and spacing do not matter."""
    share = int(sha256_text(" ".join(statement.lower().split()))[:8], 16) % 100
    if share < 50:
        return "pretrain"
    return "pool" if share < 80 else "benchmark"
