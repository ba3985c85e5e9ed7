"""What the bundled model is trained on: problems of the world's `pretrain` split, made on the fly.

Batch k is a pure function of the seed and k, so a resumed run sees the batches that an uninterrupted one sees.
Legend: B sequences, T tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import torch

from components.core.records import Domain, Problem, Source
from components.text.config import PromptConfig
from components.text.prompt import chat_prompt, user_message
from components.world.code_families import CODE_FAMILIES, make_code
from components.world.items import CodeItem, MathItem
from components.world.math_families import MATH_FAMILIES, make_math
from components.world.responses import code_response, math_response, practice_lines
from components.world.split import Split, split_of

PROMPT = PromptConfig(math_suffix="", code_instruction="")
"""The prompt settings that every recipe with the bundled model uses."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Right-padded token ids and the weight of each token as a prediction target (0 for padding)."""

    tokens_BT: torch.Tensor
    weights_BT: torch.Tensor


def draw_math(split: Split, rng: Random) -> MathItem:
    return _draw(lambda: make_math(rng.choice(MATH_FAMILIES), rng), split)


def draw_code(split: Split, rng: Random) -> CodeItem:
    return _draw(lambda: make_code(rng.choice(CODE_FAMILIES), rng), split)


def _draw(make: Callable[[], Any], split: Split) -> Any:
    while True:
        item = make()
        if split_of(item.statement) == split:
            return item


def prompt_of(tokenizer: Any, item: MathItem | CodeItem) -> str:
    """The prompt exactly as difficulty, training and evaluation render it."""
    starter = item.starter_code if isinstance(item, CodeItem) else ""
    domain: Domain = "code" if isinstance(item, CodeItem) else "math"
    problem = Problem("", "", domain, item.statement, Source("world", "", 0), starter_code=starter)
    return chat_prompt(tokenizer, user_message(problem, PROMPT))


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of training with its own mixture."""

    until_step: int
    math_share: float
    """Share of math problems in a batch; the rest are programming problems."""
    practice_share: float
    """Share of the math rows that are lines of working without a problem."""
    worked_share: float
    """Share of math responses that write every step."""


PRACTICE_PROBLEMS = 4
"""Problems whose working makes one row of practice."""
CURRICULUM = (Phase(1000, 0.88, 0.4, 0.6), Phase(2000, 0.91, 0.35, 0.6), Phase(10**9, 0.97, 0.25, 0.6))
"""Arithmetic is practised from the start: it takes far longer to learn than copying a program's parts, and lines of
working hold ten times as many sums a token as problems do."""


def phase_at(step: int) -> Phase:
    return next(phase for phase in CURRICULUM if step < phase.until_step)


def make_steps(
    tokenizer: Any, seed: int, first_step: int, count: int, batch_size: int, prompt_weight: float
) -> list[tuple[Batch, Batch]]:
    """The batches of the group of `count` optimizer steps that `first_step` is in.

    Each step has one batch of math and one of code problems. The rows of a group are drawn together and sorted by
    length, so that little of a batch is padding.
    """
    group = first_step // count
    rng, phase = Random(f"{seed}/{group}"), phase_at(group * count)
    num_math = round(batch_size * phase.math_share)
    math_rows = [_math_row(tokenizer, rng, phase) for _ in range(count * num_math)]
    math = _batches(math_rows, tokenizer, rng, num_math, prompt_weight)
    code_rows = [_code_row(tokenizer, rng) for _ in range(count * (batch_size - num_math))]
    code = _batches(code_rows, tokenizer, rng, batch_size - num_math, prompt_weight)
    return list(zip(math, code, strict=True))


Row = tuple[list[int], list[int]]
"""Prompt and response token ids."""


def _batches(rows: list[Row], tokenizer: Any, rng: Random, batch_size: int, prompt_weight: float) -> list[Batch]:
    rows = sorted(rows, key=lambda row: len(row[0]) + len(row[1]))
    batches = [_pad(rows[i : i + batch_size], tokenizer, prompt_weight) for i in range(0, len(rows), batch_size)]
    rng.shuffle(batches)
    return batches


def _math_row(tokenizer: Any, rng: Random, phase: Phase) -> Row:
    if rng.random() < phase.practice_share:
        steps = [step for _ in range(PRACTICE_PROBLEMS) for step in draw_math("pretrain", rng).steps]
        return _row(tokenizer, chat_prompt(tokenizer, ""), practice_lines(steps, rng))
    item = draw_math("pretrain", rng)
    return _row(tokenizer, prompt_of(tokenizer, item), math_response(item, rng, phase.worked_share))


def _code_row(tokenizer: Any, rng: Random) -> Row:
    item = draw_code("pretrain", rng)
    return _row(tokenizer, prompt_of(tokenizer, item), code_response(item, rng))


def _row(tokenizer: Any, prompt: str, response: str) -> Row:
    prompt_ids = tokenizer.encode(prompt, add_special_tokens=False)
    return prompt_ids, [*tokenizer.encode(response, add_special_tokens=False), tokenizer.eos_token_id]


def _pad(rows: list[Row], tokenizer: Any, prompt_weight: float) -> Batch:
    width = max(len(prompt) + len(response) for prompt, response in rows)
    tokens_BT = torch.full((len(rows), width), tokenizer.pad_token_id)
    weights_BT = torch.zeros(len(rows), width)
    for index, (prompt, response) in enumerate(rows):
        end = len(prompt) + len(response)
        tokens_BT[index, :end] = torch.tensor(prompt + response)
        weights_BT[index, : len(prompt)] = prompt_weight
        weights_BT[index, len(prompt) : end] = 1.0
    return Batch(tokens_BT, weights_BT)
