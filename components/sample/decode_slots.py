"""Decoding slots: a key-value cache in which responses of different lengths decode side by side.

A *group* is one prompt; its keys and values are stored once and read once a step for all its samples (their
queries are stacked), which is where most of the memory traffic of a decode step goes otherwise. A *slot* is one
response and stores its own keys and values only: the prompt's last token, then the response. Active groups and
slots are always the first ones, so a step works on views; a finished one is overwritten by the last active one:
nothing is padded, and a long tail costs only its own rows.

Shape letters: N slots (B of them active), Q groups, J lanes of a group, K key-value heads, G query heads per
key-value head, L prompt positions, S own positions, D head size, T response positions, U a block of uniforms.
"""

from dataclasses import dataclass
from typing import Any

import torch

from components.sample.engine import UNIFORM_BLOCK, uniform_block

GROWTH_TOKENS = 64

Layers = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values [*, K, positions, D] of each layer."""


@dataclass(frozen=True)
class Request:
    """One response to draw: sample `sample` of prompt `prompt`."""

    prompt: int
    sample: int
    seed: int
    limit: int
    """Response tokens at most."""


@dataclass(frozen=True)
class Group:
    """Requests that share a prompt, at most `lanes` of them."""

    token_ids: list[int]
    requests: list[Request]


class Slots:
    """The state of the responses in flight. Serves as `past_key_values` of a decode step."""

    is_compileable = False

    def __init__(self, num_groups: int, lanes: int, device: torch.device) -> None:
        self.lanes, self.device = lanes, device
        self.num_slots, self.num_active = num_groups * lanes, 0
        self.max_groups, self.num_groups = num_groups, 0
        self.prompts: Layers = []
        self.own: Layers = []
        self.requests: list[Request] = []
        self.group_slots: list[int] = []
        """Active slots of each active group."""

        def zeros(*shape: int, dtype: torch.dtype = torch.long) -> torch.Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        self.prompt_length_Q = zeros(num_groups)
        """Cached prompt tokens: all but the last."""
        self.lane_N = zeros(self.num_slots)
        """group * lanes + place in the group."""
        self.generated_N = zeros(self.num_slots)
        """Response tokens drawn; also the number of own positions in the cache."""
        self.limit_N = zeros(self.num_slots)
        self.next_token_N = zeros(self.num_slots)
        """The token that the next step feeds."""
        self.uniforms_NU = zeros(self.num_slots, UNIFORM_BLOCK, dtype=torch.float64)
        self.tokens_NT = zeros(self.num_slots, GROWTH_TOKENS)
        self.logprobs_NT = zeros(self.num_slots, GROWTH_TOKENS, dtype=torch.float32)
        # Host copies of maxima, so that a step needn't read the device to know its shapes.
        self.longest_prompt = self.most_generated = 0

    def add(self, groups: list[Group], layers: Layers) -> None:
        """Start every request of `groups`, whose prompts (without their last tokens) are cached in `layers`, row by
        row and padded on the right."""
        self.longest_prompt = max(self.longest_prompt, layers[0][0].shape[2])
        self._reserve_prompts(layers)
        self._reserve_own(self.most_generated + 1)
        first = self.num_groups
        for buffers, new in zip(self.prompts, layers, strict=True):
            for buffer, rows in zip(buffers, new, strict=True):
                buffer[first : first + len(groups), :, : rows.shape[2]] = rows
        for group in groups:
            self.prompt_length_Q[self.num_groups] = len(group.token_ids) - 1
            for place, request in enumerate(group.requests):
                self._start(request, self.num_groups * self.lanes + place, group.token_ids[-1])
            self.group_slots.append(len(group.requests))
            self.num_groups += 1

    def _start(self, request: Request, lane: int, token: int) -> None:
        slot = self.num_active
        self.requests[slot:] = [request]
        self.lane_N[slot], self.next_token_N[slot], self.limit_N[slot] = lane, token, request.limit
        self.generated_N[slot] = 0
        self.refresh_uniforms(slot)
        self.num_active += 1

    def refresh_uniforms(self, slot: int) -> None:
        block = int(self.generated_N[slot]) // UNIFORM_BLOCK
        self.uniforms_NU[slot] = torch.from_numpy(uniform_block(self.requests[slot].seed, block)).to(self.device)

    def remove(self, slot: int) -> None:
        """Free a slot (the last active one moves there), and its group when that was the group's last."""
        group, last = int(self.lane_N[slot]) // self.lanes, self.num_active - 1
        if slot != last:
            for tensor in self._per_slot():
                tensor[slot] = tensor[last]
            for keys, values in self.own:
                length = int(self.generated_N[last])
                keys[slot, :, :length], values[slot, :, :length] = keys[last, :, :length], values[last, :, :length]
            self.requests[slot] = self.requests[last]
        self.requests.pop()
        self.num_active -= 1
        self.group_slots[group] -= 1
        if self.group_slots[group] == 0:
            self._remove_group(group)

    def _remove_group(self, group: int) -> None:
        last = self.num_groups - 1
        if group != last:
            for buffers in self.prompts:
                for buffer in buffers:
                    buffer[group] = buffer[last]
            self.prompt_length_Q[group] = self.prompt_length_Q[last]
            self.group_slots[group] = self.group_slots[last]
            lane_B = self.lane_N[: self.num_active]
            lane_B[lane_B >= last * self.lanes] -= (last - group) * self.lanes
        self.group_slots.pop()
        self.num_groups -= 1

    def shrink_bounds(self) -> None:
        """Recompute the maxima after removals."""
        self.most_generated = int(self.generated_N[: self.num_active].max()) if self.num_active else 0
        self.longest_prompt = int(self.prompt_length_Q[: self.num_groups].max()) if self.num_groups else 0

    def _per_slot(self) -> list[torch.Tensor]:
        return [
            self.lane_N, self.generated_N, self.limit_N, self.next_token_N,
            self.uniforms_NU, self.tokens_NT, self.logprobs_NT,
        ]  # fmt: skip

    def _reserve_prompts(self, layers: Layers) -> None:
        if not self.prompts:
            self.prompts = [(_empty(k, self.max_groups, 1), _empty(v, self.max_groups, 1)) for k, v in layers]
            self.own = [(_empty(k, self.num_slots, 1), _empty(v, self.num_slots, 1)) for k, v in layers]
        if self.longest_prompt > self.prompts[0][0].shape[2]:
            self.prompts = _widened_layers(self.prompts, self.longest_prompt + GROWTH_TOKENS)

    def _reserve_own(self, width: int) -> None:
        if width > self.own[0][0].shape[2]:
            # A quarter more each time: the copies stay few, and the memory stays close to what is used.
            self.own = _widened_layers(self.own, width + max(GROWTH_TOKENS, width // 4))
        if width > self.tokens_NT.shape[1]:
            self.tokens_NT = _widened(self.tokens_NT, 1, 2 * width)
            self.logprobs_NT = _widened(self.logprobs_NT, 1, 2 * width)

    def begin_step(self, dtype: torch.dtype) -> None:
        """Make room for one more position and build what all layers share: the additive mask over prompt and own
        positions, and where each slot's query goes among the lanes."""
        self._reserve_own(self.most_generated + 1)
        B = self.num_active
        self.slot_B = torch.arange(B, device=self.device)
        lane_B = self.lane_N[:B]
        self.prompt_length_B = self.prompt_length_Q[lane_B // self.lanes]
        position_L = torch.arange(max(1, self.longest_prompt), device=self.device)
        position_S = torch.arange(self.most_generated + 1, device=self.device)
        beyond_BX = torch.cat(
            [
                position_L[None] >= self.prompt_length_B[:, None],
                position_S[None] > self.generated_N[:B, None],
            ],
            dim=1,
        )
        mask_BX = torch.zeros(beyond_BX.shape, dtype=dtype, device=self.device).masked_fill_(beyond_BX, float("-inf"))
        self.mask_B11X = mask_BX[:, None, None, :]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return self.longest_prompt + self.most_generated

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append one position [B, K, 1, D] to each active slot; returns views [B, K, S, D] of their own positions."""
        B, S = self.num_active, self.most_generated + 1
        keys_NKSD, values_NKSD = self.own[layer_idx]
        keys_NKSD[self.slot_B, :, self.generated_N[:B]] = key_states[:, :, 0]
        values_NKSD[self.slot_B, :, self.generated_N[:B]] = value_states[:, :, 0]
        return keys_NKSD[:B, :, :S], values_NKSD[:B, :, :S]


def _empty(like: torch.Tensor, rows: int, positions: int) -> torch.Tensor:
    return like.new_zeros(rows, like.shape[1], positions, like.shape[3])


def _widened(tensor: torch.Tensor, dim: int, width: int) -> torch.Tensor:
    shape = list(tensor.shape)
    shape[dim] = width
    wider = tensor.new_zeros(shape)
    wider.narrow(dim, 0, tensor.shape[dim]).copy_(tensor)
    return wider


def _widened_layers(layers: Layers, width: int) -> Layers:
    return [(_widened(keys, 2, width), _widened(values, 2, width)) for keys, values in layers]
