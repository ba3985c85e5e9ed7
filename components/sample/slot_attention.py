"""Attention of a decode step over slots: each prompt's keys and values are read once for all its samples.

Registered with transformers as an attention implementation, so that any model built on its attention interface
can decode with `Slots`.

Shape letters: B active slots, Q groups (prompts), J lanes of a group, K key-value heads, G query heads per
key-value head, L prompt positions, S own positions, X = L + S, D head size.
"""

from typing import Any

import torch

from components.sample.decode_slots import Slots

ATTENTION_NAME = "or1_slots"


def slot_attention(
    module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attention_mask: torch.Tensor | None,
    scaling: float | None = None, slots: Slots | None = None, **kwargs: Any,
) -> tuple[torch.Tensor, None]:  # fmt: skip
    """`query` [B, K*G, 1, D]; `key`, `value` [B, K, S, D] are the slots' own positions. Returns [B, 1, K*G, D].
    Without `slots` (a prefill) it is transformers' own scaled-dot-product attention."""
    if slots is None:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        return sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **kwargs)
    B, H, _, D = query.shape
    K, L = key.shape[1], max(1, slots.longest_prompt)
    prompt_keys_QKLD, prompt_values_QKLD = (t[: slots.num_groups, :, :L] for t in slots.prompts[module.layer_idx])
    query_BKGD = query.reshape(B, K, H // K, D) * (D**-0.5 if scaling is None else scaling)
    prompt_scores_BKGL = from_lanes(slots, to_lanes(slots, query_BKGD) @ prompt_keys_QKLD.transpose(2, 3))
    own_scores_BKGS = query_BKGD @ key.transpose(2, 3)
    scores_BKGX = torch.cat([prompt_scores_BKGL, own_scores_BKGS], dim=-1).add_(slots.mask_B11X)
    shares_BKGX = torch.softmax(scores_BKGX, dim=-1, dtype=torch.float32).to(query.dtype)
    prompt_output_BKGD = from_lanes(slots, to_lanes(slots, shares_BKGX[..., :L]) @ prompt_values_QKLD)
    output_BKGD = prompt_output_BKGD + shares_BKGX[..., L:] @ value
    return output_BKGD.reshape(B, 1, H, value.shape[3]), None


def to_lanes(slots: Slots, rows: torch.Tensor) -> torch.Tensor:
    """[B, K, G, *] -> [Q, K, J*G, *]: each slot's rows at its lane of its group, zeros in empty lanes."""
    _, K, G, width = rows.shape
    lanes = rows.new_zeros(slots.num_groups * slots.lanes, K, G, width)
    lanes[slots.lane_N[: slots.num_active]] = rows
    return (
        lanes.view(slots.num_groups, slots.lanes, K, G, width).transpose(1, 2).reshape(slots.num_groups, K, -1, width)
    )


def from_lanes(slots: Slots, stacked: torch.Tensor) -> torch.Tensor:
    """[Q, K, J*G, *] -> [B, K, G, *], the inverse of `to_lanes`."""
    Q, K, JG, width = stacked.shape
    lanes = stacked.view(Q, K, slots.lanes, JG // slots.lanes, width).transpose(1, 2)
    lane_B = slots.lane_N[: slots.num_active]
    return lanes[lane_B // slots.lanes, lane_B % slots.lanes]


def register_slot_attention() -> None:
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register(ATTENTION_NAME, slot_attention)
    AttentionMaskInterface.register(ATTENTION_NAME, sdpa_mask)
