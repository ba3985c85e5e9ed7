"""Which problems a step trains on: batch k is a pure function of (data set, seed, k), so there is nothing to save.

Each epoch is a permutation by hash; every row comes at most once in it, and the rows that don't fill a last batch
wait for the next permutation. In a stage's first epoch the rows that earlier stages visited least come first: that
carries the sampler's position over stages.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from components.core.digest import sha256_json, sha256_text
from components.core.records import Problem

MAX_HELD_OUT_SHARE = 0.25


@dataclass(frozen=True)
class Plan:
    """Order of the rows of one stage."""

    keys: tuple[str, ...]
    """One a row, unique (see `row_keys`)."""
    num_prompts: int
    seed: int
    visits: Mapping[str, int] = field(default_factory=dict)
    """Key -> how often earlier stages visited the row."""

    @cached_property
    def digest(self) -> str:
        """Of the data set and what orders it."""
        return sha256_json([self.keys, self.seed, sorted(self.visits.items())])

    @property
    def batch_size(self) -> int:
        return min(self.num_prompts, len(self.keys))

    @property
    def batches_per_epoch(self) -> int:
        return len(self.keys) // self.batch_size

    def batch(self, k: int) -> list[int]:
        """Rows of batch k (from 0) of the stage; fewer than num_prompts only if the data set is smaller."""
        epoch, position = divmod(k, self.batches_per_epoch)
        start = position * self.batch_size
        return self._order(epoch)[start : start + self.batch_size]

    def _order(self, epoch: int) -> list[int]:
        orders: dict[int, list[int]] = self.__dict__.setdefault("_orders", {})
        if epoch not in orders:
            orders.clear()

            def place(row: int) -> tuple[int, str]:
                visits = self.visits.get(self.keys[row], 0) if epoch == 0 else 0
                return visits, sha256_text(f"{self.digest}|{epoch}|{self.keys[row]}")

            orders[epoch] = sorted(range(len(self.keys)), key=place)
        return orders[epoch]


def row_keys(problems: Sequence[Problem]) -> list[str]:
    """A unique key for each row: its problem id, and which copy it is (the mix may repeat a problem)."""
    copies: dict[str, int] = {}
    keys = []
    for problem in problems:
        copy = copies.get(problem.problem_id, 0)
        copies[problem.problem_id] = copy + 1
        keys.append(f"{problem.problem_id}#{copy}")
    return keys


def hold_out(problem_ids: Collection[str], count: int, seed: int) -> set[str]:
    """The problem ids that validation keeps for itself: by hash, the same in every stage of a run, never more than
    a quarter of the problems."""
    unique = sorted(set(problem_ids), key=lambda p: sha256_text(f"held-out|{seed}|{p}"))
    return set(unique[: min(count, int(len(unique) * MAX_HELD_OUT_SHARE))])


def solved_problems(exposures: Sequence[Mapping[str, Any]]) -> set[str]:
    """Problem ids whose last visit was solved by every graded sample, from rows in the order they were written.

    The last visit counts over all earlier stages; a problem never visited stays (the paper leaves both open, section
    3.1). The pass rates are those before rejection.
    """
    last: dict[str, bool] = {}
    for row in exposures:
        if row["num_graded"]:
            last[row["problem_id"]] = row["num_correct"] == row["num_graded"]
    return {problem_id for problem_id, solved in last.items() if solved}


def count_visits(exposures: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> dict[str, int]:
    """Key -> visits. Visits of a problem are dealt to its copies in order."""
    visits: dict[str, int] = {}
    copies: dict[str, list[str]] = {}
    for key in keys:
        copies.setdefault(key.rpartition("#")[0], []).append(key)
    seen: dict[str, int] = {}
    for row in exposures:
        mine = copies.get(row["problem_id"])
        if mine:
            turn = seen.get(row["problem_id"], 0)
            seen[row["problem_id"]] = turn + 1
            visits[mine[turn % len(mine)]] = visits.get(mine[turn % len(mine)], 0) + 1
    return visits
