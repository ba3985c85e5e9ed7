"""From samples to micro-batches: balance over ranks, token budgets, padded or packed layout.

B rows and T columns of a micro-batch, N response tokens in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

Layout = Literal["padded", "packed"]


@dataclass(frozen=True, eq=False)
class TrainSequence:
    """One sampled response as the loss sees it. Lengths are those that the engine reported (end token included)."""

    prompt_ids: np.ndarray
    """int64, at least one token."""
    response_ids: np.ndarray
    """int64, at least one token."""
    advantage: float
    rollout_logprobs: np.ndarray
    """float32, one a response token: the engine's own."""
    old_logprobs: np.ndarray | None = None
    """float32: the policy's own before the step's first update. None when on-policy: then they equal the new ones."""

    def __len__(self) -> int:
        return len(self.prompt_ids) + len(self.response_ids)


@dataclass(frozen=True)
class MicroBatch:
    """Sequences of one forward pass and what a token's loss is multiplied by. No sequences: a dummy that keeps the
    ranks' collectives in step."""

    sequences: tuple[TrainSequence, ...]
    scale: float


@dataclass(frozen=True)
class MicroTensors:
    """A micro-batch as tensors."""

    input_ids_BT: torch.Tensor
    position_ids_BT: torch.Tensor | None
    index_N: torch.Tensor
    """Flat positions (row * T + column) whose hidden state predicts a response token."""
    targets_N: torch.Tensor
    advantages_N: torch.Tensor
    rollout_logprobs_N: torch.Tensor
    old_logprobs_N: torch.Tensor | None


def balance(lengths: Sequence[int], num_ranks: int) -> list[list[int]]:
    """Assign items to ranks: longest first to the rank with the fewest tokens. Deterministic; ranks may stay empty."""
    ranks: list[list[int]] = [[] for _ in range(num_ranks)]
    loads = [0] * num_ranks
    for item in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        rank = loads.index(min(loads))
        ranks[rank].append(item)
        loads[rank] += lengths[item]
    return ranks


def split_by_tokens(items: Sequence[int], lengths: Sequence[int], max_tokens: int, layout: Layout) -> list[list[int]]:
    """Group items into micro-batches of at most `max_tokens` (a longer item stands alone).

    Padded: neighbours in length share a micro-batch, padding counted. Packed: first bin with room, longest first.
    """
    bins: list[list[int]] = []
    used: list[int] = []
    for item in sorted(items, key=lambda i: (-lengths[i], i)):
        if layout == "padded":
            fits = bins and (len(bins[-1]) + 1) * lengths[bins[-1][0]] <= max_tokens
            target = len(bins) - 1 if fits else None
        else:
            target = next((b for b, n in enumerate(used) if n + lengths[item] <= max_tokens), None)
        if target is None:
            bins.append([item])
            used.append(lengths[item])
        else:
            bins[target].append(item)
            used[target] += lengths[item]
    return bins


def micro_batches(
    sequences: Sequence[TrainSequence],
    num_ranks: int,
    max_tokens: int,
    layout: Layout,
    nominal_sequences: int | None = None,
) -> list[list[MicroBatch]]:
    """Micro-batches of every rank, equally many on each.

    A token's scale is num_ranks / T_k, T_k all response tokens of `sequences`: FSDP averages over ranks, so the sum
    over everything is the exact token mean. With `nominal_sequences` (the released aggregation) it is
    (sequences here) / (nominal sequences a rank) / (tokens here), as Skywork's dp_actor weighs its micro-batches.
    """
    lengths = [len(s) for s in sequences]
    total = sum(len(s.response_ids) for s in sequences)
    ranks: list[list[MicroBatch]] = []
    for items in balance(lengths, num_ranks):
        rank = []
        for micro in split_by_tokens(items, lengths, max_tokens, layout):
            members = tuple(sequences[i] for i in micro)
            if nominal_sequences is None:
                scale = num_ranks / total
            else:
                tokens = sum(len(s.response_ids) for s in members)
                scale = len(members) * num_ranks / nominal_sequences / tokens
            rank.append(MicroBatch(members, scale))
        ranks.append(rank)
    most = max(len(rank) for rank in ranks)
    return [rank + [MicroBatch((), 0.0)] * (most - len(rank)) for rank in ranks]


def to_tensors(micro: MicroBatch, layout: Layout, device: torch.device | str = "cpu") -> MicroTensors:
    """Lay a micro-batch out. Padded: right padding and a causal mask only, so real tokens never see padding.
    Packed: one row; position ids that start again at 0 tell the model where a sequence begins."""
    sequences = micro.sequences or (_DUMMY,)
    width = max(len(s) for s in sequences) if layout == "padded" else sum(len(s) for s in sequences)
    rows = len(sequences) if layout == "padded" else 1
    input_ids, position_ids = np.zeros(rows * width, np.int64), np.zeros(rows * width, np.int64)
    index, start = [], 0
    for sequence in sequences:
        end = start + len(sequence)
        input_ids[start:end] = np.concatenate([sequence.prompt_ids, sequence.response_ids])
        position_ids[start:end] = np.arange(len(sequence))
        index.append(np.arange(start + len(sequence.prompt_ids) - 1, end - 1))
        start = start + width if layout == "padded" else end

    def tensor(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(device)

    has_old = all(s.old_logprobs is not None for s in sequences)
    return MicroTensors(
        input_ids_BT=tensor(input_ids.reshape(rows, width)),
        position_ids_BT=tensor(position_ids.reshape(rows, width)) if layout == "packed" else None,
        index_N=tensor(np.concatenate(index)),
        targets_N=tensor(np.concatenate([s.response_ids for s in sequences])),
        advantages_N=tensor(np.concatenate([np.full(len(s.response_ids), s.advantage, np.float32) for s in sequences])),
        rollout_logprobs_N=tensor(np.concatenate([s.rollout_logprobs for s in sequences])),
        old_logprobs_N=tensor(np.concatenate([s.old_logprobs for s in sequences])) if has_old else None,
    )


_DUMMY = TrainSequence(np.zeros(1, np.int64), np.zeros(1, np.int64), 0.0, np.zeros(1, np.float32))
