"""The transformers engine: our own batched decode loop around any Hugging Face causal language model.

Each prompt is prefilled once for all its samples, and freed places are refilled from the queue (continuous
batching). Everything a decode step does is a handful of tensor operations over all slots; Python touches single
rows only when they start or finish.

Shape letters: B active slots, V vocabulary, P prompts of a prefill, L prompt positions.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from components.core.errors import ConfigError, DataError
from components.core.records import FinishReason
from components.sample.decode_slots import Group, Request, Slots
from components.sample.engine import UNIFORM_BLOCK, Sample, SamplingParameters, check_weights
from components.sample.slot_attention import ATTENTION_NAME, register_slot_attention

log = logging.getLogger(__name__)

PREFILL_TOKENS = 16384
"""Padded prompt tokens of one prefill pass."""
MAX_LANES = 32
"""Samples of one prompt that share its cache; more are split, so that a group's last sample doesn't hold many lanes."""
PROGRESS_INTERVAL_S = 15.0

Finished = tuple[Request, list[int], list[float], FinishReason]


class TransformersEngine:
    """See `Engine`. float32 on CPU; bfloat16 on a GPU unless `dtype` says otherwise."""

    def __init__(self, folder: Path, max_model_tokens: int, batch_size: int = 256, dtype: str = "auto") -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        register_slot_attention()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        name = dtype if dtype != "auto" else ("bfloat16" if self.device.type == "cuda" else "float32")
        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        self.model: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, name), attn_implementation=ATTENTION_NAME, local_files_only=True,
            trust_remote_code=False, use_safetensors=True,
        )  # fmt: skip
        self.model.to(self.device).eval()
        self.max_model_tokens, self.batch_size = max_model_tokens, batch_size
        _require_full_attention(self.model.config, folder)
        self.eos_ids = torch.tensor(end_token_ids(self.model, self.tokenizer), device=self.device)

    @torch.inference_mode()
    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        lanes = min(n, self.batch_size, MAX_LANES)
        groups = []
        for i, prompt in enumerate(prompts):
            token_ids = self.tokenizer(prompt, add_special_tokens=False).input_ids
            limit = min(parameters.max_response_tokens, self.max_model_tokens - len(token_ids))
            if not token_ids or limit < 1:
                raise DataError(
                    f"prompt {i} has {len(token_ids)} tokens: the context of {self.max_model_tokens} leaves no room"
                )
            requests = [Request(i, j, seeds[i] + j, limit) for j in range(n)]
            groups += [Group(token_ids, requests[j : j + lanes]) for j in range(0, n, lanes)]
        groups.sort(key=lambda group: len(group.token_ids))
        drawn: list[list[Any]] = [[None] * n for _ in prompts]
        for request, *response in self._decode(groups, lanes, parameters):
            drawn[request.prompt][request.sample] = response
        texts = iter(self.tokenizer.batch_decode([d[0] for row in drawn for d in row], skip_special_tokens=True))
        return [[Sample(next(texts), ids, lps, reason, len(ids)) for ids, lps, reason in row] for row in drawn]

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """Copy new values into the live parameters; a tied head follows its embedding."""
        parameters = dict(self.model.named_parameters())
        aliases = set(self.model.state_dict()) - set(parameters)
        check_weights({n: tuple(p.shape) for n, p in parameters.items()}, aliases, state)
        with torch.inference_mode():
            for name, parameter in parameters.items():
                parameter.copy_(torch.as_tensor(state[name]))

    def close(self) -> None:
        del self.model

    def _decode(self, groups: list[Group], lanes: int, parameters: SamplingParameters) -> list[Finished]:
        slots = Slots(min(max(1, self.batch_size // lanes), len(groups)), lanes, self.device)
        finished: list[Finished] = []
        progress = Progress(sum(len(g.requests) for g in groups))
        waiting = 0
        while slots.num_active or waiting < len(groups):
            free = min(slots.max_groups - slots.num_groups, (slots.num_slots - slots.num_active) // lanes)
            # A prefill is worth its start-up only for a good part of the batch.
            if waiting < len(groups) and free >= max(1, slots.max_groups // 8):
                self._prefill(slots, groups[waiting : waiting + free])
                waiting += free
            num_active = slots.num_active
            self._step(slots, parameters)
            finished += self._collect(slots)
            progress.advance(num_active, len(finished))
        return finished

    def _prefill(self, slots: Slots, groups: list[Group]) -> None:
        """Cache all but the last token of each prompt (that one is the first decode step's input)."""
        from transformers import DynamicCache

        rows = max(1, PREFILL_TOKENS // max(len(g.token_ids) for g in groups))
        for start in range(0, len(groups), rows):
            part = groups[start : start + rows]
            # Right padding needs no mask: causal attention never looks right, and padded positions are masked later.
            input_PL = torch.zeros(len(part), max(1, *(len(g.token_ids) - 1 for g in part)), dtype=torch.long)
            for row, group in enumerate(part):
                input_PL[row, : len(group.token_ids) - 1] = torch.tensor(group.token_ids[:-1], dtype=torch.long)
            cache: Any = DynamicCache()
            self.model(input_ids=input_PL.to(self.device), past_key_values=cache, use_cache=True, logits_to_keep=1)
            slots.add(part, [(layer.keys, layer.values) for layer in cache.layers])

    def _step(self, slots: Slots, parameters: SamplingParameters) -> None:
        """Feed one token to each active slot, and draw the next."""
        B = slots.num_active
        slots.begin_step(self.model.dtype)
        logits_BV = self.model(
            input_ids=slots.next_token_N[:B, None],
            position_ids=(slots.prompt_length_B + slots.generated_N[:B])[:, None],
            attention_mask={"full_attention": slots.mask_B11X},
            past_key_values=slots,
            use_cache=True,
            slots=slots,
        ).logits[:, -1]
        position_B = slots.generated_N[:B]
        uniform_B = slots.uniforms_NU[:B].gather(1, (position_B % UNIFORM_BLOCK)[:, None])[:, 0]
        token_B, logprob_B = draw(logits_BV, uniform_B, parameters.temperature, parameters.top_p)
        slots.tokens_NT[slots.slot_B, position_B] = token_B
        slots.logprobs_NT[slots.slot_B, position_B] = logprob_B
        slots.next_token_N[:B] = token_B
        slots.generated_N[:B] += 1
        slots.most_generated += 1

    def _collect(self, slots: Slots) -> list[Finished]:
        """Take finished responses out, close the gaps, and draw uniform numbers where a block ended."""
        B = slots.num_active
        stopped_B = torch.isin(slots.next_token_N[:B], self.eos_ids)
        ended_B = stopped_B | (slots.generated_N[:B] >= slots.limit_N[:B])
        taken: list[Finished] = []
        for slot in reversed(ended_B.nonzero()[:, 0].tolist()):  # from the end: only taken slots move
            length = int(slots.generated_N[slot])
            ids, logprobs = slots.tokens_NT[slot, :length].tolist(), slots.logprobs_NT[slot, :length].tolist()
            taken.append((slots.requests[slot], ids, logprobs, "stop" if bool(stopped_B[slot]) else "length"))
            slots.remove(slot)
        if taken:
            slots.shrink_bounds()
        block_ended_B = slots.generated_N[: slots.num_active] % UNIFORM_BLOCK == 0
        for slot in block_ended_B.nonzero()[:, 0].tolist():
            slots.refresh_uniforms(slot)
        return taken


def draw(
    logits_BV: torch.Tensor, uniform_B: torch.Tensor, temperature: float, top_p: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Inverse-CDF sampling. Returns tokens int64 [B] and their log-probabilities float32 [B] under the distribution
    they were drawn from; at temperature 0 the arg-max and its log-probability at temperature 1."""
    logprobs_BV = torch.log_softmax(logits_BV.float() / (temperature or 1.0), dim=-1)
    if temperature == 0.0:
        token_B = logprobs_BV.argmax(-1)
        return token_B, logprobs_BV.gather(1, token_B[:, None])[:, 0]
    if top_p < 1.0:
        ordered_BV, order_BV = logprobs_BV.sort(dim=-1, descending=True, stable=True)
        before_BV = ordered_BV.exp().cumsum(-1) - ordered_BV.exp()
        left_out_BV = torch.zeros_like(before_BV, dtype=torch.bool).scatter(1, order_BV, before_BV >= top_p)
        logprobs_BV = torch.log_softmax(logprobs_BV.masked_fill(left_out_BV, float("-inf")), dim=-1)
    # float64: with a vocabulary of 150,000 a float32 running sum is off by more than a rare token's share.
    cdf_BV = logprobs_BV.double().exp().cumsum(-1)
    target_B1 = (uniform_B[:, None] * cdf_BV[:, -1:]).contiguous()
    token_B = torch.searchsorted(cdf_BV, target_B1, right=True)[:, 0].clamp_(max=logits_BV.shape[1] - 1)
    return token_B, logprobs_BV.gather(1, token_B[:, None])[:, 0]


def end_token_ids(model: Any, tokenizer: Any) -> list[int]:
    """Every token that ends a response: those of the generation config and the tokenizer's own."""
    ids = getattr(model.generation_config, "eos_token_id", None) or []
    ids = set([ids] if isinstance(ids, int) else ids) | {tokenizer.eos_token_id}
    return sorted(i for i in ids if i is not None)


def _require_full_attention(config: Any, folder: Path) -> None:
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"}:
        raise ConfigError(f"{folder}: its layers use {sorted(kinds)}; set sampler.engine to vllm for this model")


class Progress:
    """Logs rate and time left now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.num_tokens = total, 0
        self.started = self.reported = time.monotonic()

    def advance(self, num_tokens: int, done: int) -> None:
        self.num_tokens += num_tokens
        now = time.monotonic()
        if now - self.reported > PROGRESS_INTERVAL_S and done:
            self.reported, seconds = now, now - self.started
            left = seconds / done * (self.total - done)
            rate = self.num_tokens / seconds
            log.info("sampling: %d of %d responses, %.0f tokens/s, about %.0f s left", done, self.total, rate, left)
