"""How much of each benchmark problem's wording a row holds, rare pieces weighing more."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence


class CoverageIndex:
    """Pieces (n-grams or words) of B benchmark problems; rows are added one by one, then compared.

    The weight of a piece is log(1 + rows / (1 + rows that hold it)): a phrase that half the pool shares, such as
    "relatively prime positive integers", hardly counts.
    """

    def __init__(self, pieces: Sequence[set[Hashable]]) -> None:
        self.pieces = [frozenset(p) for p in pieces]
        self.owners: dict[Hashable, list[int]] = {}
        for index, own in enumerate(self.pieces):
            for piece in own:
                self.owners.setdefault(piece, []).append(index)
        self.hits: list[frozenset[Hashable]] = []
        self.rows_with: Counter[Hashable] = Counter()
        self._totals: list[float] | None = None

    def add_row(self, pieces: set[Hashable]) -> None:
        found = frozenset(p for p in pieces if p in self.owners)
        self.hits.append(found)
        self.rows_with.update(found)
        self._totals = None

    def weight(self, piece: Hashable) -> float:
        return math.log1p(len(self.hits) / (1 + self.rows_with[piece]))

    def coverage(self, row: int) -> dict[int, float]:
        """Benchmark problem -> share of its weight that the row holds, in (0, 1]; problems without a hit are absent."""
        if self._totals is None:
            self._totals = [math.fsum(self.weight(p) for p in own) for own in self.pieces]
        held: dict[int, list[float]] = {}
        for piece in self.hits[row]:
            for owner in self.owners[piece]:
                held.setdefault(owner, []).append(self.weight(piece))
        return {owner: math.fsum(weights) / self._totals[owner] for owner, weights in sorted(held.items())}
