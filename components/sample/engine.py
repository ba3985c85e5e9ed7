"""What every engine is: prompts in, samples out, and weights that can be replaced.

Sample j of prompt i uses seed `seeds[i] + j`, and its uniform numbers are a pure function of (seed, token
position). So a sample depends on weights, prompt, seed and sampling parameters only: not on the batch it
ran in, nor on the number of workers (up to the float rounding of differently shaped matrix products).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from components.core.digest import sha256_text
from components.core.errors import DataError
from components.core.records import FinishReason

UNIFORM_BLOCK = 64
"""Uniform numbers are drawn in blocks of this many token positions."""


@dataclass(frozen=True, slots=True)
class SamplingParameters:
    """How a response is drawn; see SamplingConfig."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_response_tokens: int = 32768


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled response."""

    text: str
    """Response tokens decoded, special tokens left out."""
    token_ids: list[int]
    """With the end-of-sequence token when finish_reason is `stop`. Empty when a server doesn't tell them."""
    logprobs: list[float]
    """Natural log-probability of each token under what it was drawn from (temperature, top_p applied)."""
    finish_reason: FinishReason
    num_tokens: int


class Engine(Protocol):
    """What samples. Implementations: transformers, vllm, endpoint, scripted, and a pool of them."""

    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        """`n` samples for each prompt, in input order. Raises DataError for a prompt that fills the context."""
        ...

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """Replace all weights: parameter name -> array or tensor. Raises DataError when names or shapes differ."""
        ...

    def close(self) -> None: ...


def uniform_block(seed: int, block: int) -> np.ndarray:
    """Uniform numbers in [0, 1) for token positions [block * 64, block * 64 + 64) of the response with this seed:
    Philox counter-based generator (Salmon et al. 2011), so any block is reached without the ones before it.
    Returns float64 [UNIFORM_BLOCK]."""
    # One Philox counter step gives four 64-bit words, one word a uniform number.
    return np.random.Generator(np.random.Philox(key=seed, counter=block * UNIFORM_BLOCK // 4)).random(UNIFORM_BLOCK)


def seed_of(seed: int, *parts: str | int) -> int:
    """A 48-bit seed from the run's seed and what it is for (a problem id, a step). Leaves room for `+ sample index`."""
    return int(sha256_text("\x1f".join([str(seed), *map(str, parts)]))[:12], 16)


def check_weights(expected: Mapping[str, tuple[int, ...]], aliases: set[str], state: Mapping[str, Any]) -> None:
    """Raises DataError unless `state` has exactly the parameters of a model; `aliases` (tied weights) may be there."""
    missing = sorted(set(expected) - set(state))
    unknown = sorted(set(state) - set(expected) - aliases)
    if missing or unknown:
        raise DataError(f"new weights don't fit the model: missing {missing[:3]}, unknown {unknown[:3]}")
    for name, shape in expected.items():
        if tuple(state[name].shape) != shape:
            raise DataError(f"new weights don't fit the model: {name} is {tuple(state[name].shape)}, expected {shape}")
