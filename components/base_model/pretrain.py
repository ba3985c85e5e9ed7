"""Train the bundled tiny base model: `python -m components.base_model.pretrain --output DIR`.

Supervised learning of the world's responses, on one CPU core in about half an hour. Every evaluation saves a whole
model folder, so that the best stopping point can be chosen; the last state is kept, and the same command continues it.
Matrices are updated by Muon (momentum orthogonalised), the rest by AdamW; the learning rate warms up, then falls to
zero along a cosine. Legend: B sequences, T tokens, V vocabulary, N = B times T.
"""

import argparse
import json
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from components.base_model.architecture import build_model
from components.base_model.muon import Muon
from components.base_model.pretrain_data import Batch, make_steps
from components.base_model.pretrain_evaluation import evaluate
from components.base_model.tokenizer import build_tokenizer
from components.core.files import atomic_path, write_json

log = logging.getLogger(__name__)
STEPS_A_GROUP = 20


@dataclass(frozen=True)
class PretrainSettings:
    """Everything that decides the weights, besides the code."""

    steps: int = 3000
    seed: int = 0
    batch_size: int = 32
    prompt_weight: float = 0.1
    muon_learning_rate: float = 0.02
    adam_learning_rate: float = 4e-3
    warmup_steps: int = 50
    evaluate_every: int = 250
    evaluation_problems: int = 200
    threads: int = 1
    compiled: bool = True
    """Compile the forward and backward pass (twice as fast; needs a C++ compiler)."""


def learning_rate_scale(step: int, settings: PretrainSettings) -> float:
    """Linear warm-up, then a cosine to zero at the last step."""
    if step < settings.warmup_steps:
        return (step + 1) / settings.warmup_steps
    progress = (step - settings.warmup_steps) / max(1, settings.steps - settings.warmup_steps)
    return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))


def make_optimizers(model: Any, settings: PretrainSettings) -> list[torch.optim.Optimizer]:
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "embed" not in n]
    rest = [p for n, p in model.named_parameters() if p.ndim != 2 or "embed" in n]
    return [
        Muon(matrices, lr=settings.muon_learning_rate),
        torch.optim.AdamW(rest, lr=settings.adam_learning_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def backward(model: Any, batches: Sequence[Batch]) -> float:
    """Gradients of the cross-entropy of each next token, averaged by token weight over all batches; the loss."""
    total = sum(float(batch.weights_BT[:, 1:].sum()) for batch in batches)
    loss = 0.0
    for batch in batches:
        logits_BTV = model(batch.tokens_BT[:, :-1], use_cache=False).logits
        losses_N = cross_entropy(logits_BTV.flatten(0, 1), batch.tokens_BT[:, 1:].flatten(), reduction="none")
        share = (losses_N * batch.weights_BT[:, 1:].flatten()).sum() / total
        share.backward()
        loss += share.item()
    return loss


def save_checkpoint(folder: Path, model: Any, tokenizer: Any, scores: dict[str, Any]) -> None:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(str(folder))
    write_json(folder / "evaluation.json", scores)


def pretrain(output: Path, settings: PretrainSettings) -> None:
    """Train from scratch or from `output/state.pt`, and leave `output/step-N/` model folders."""
    torch.set_num_threads(settings.threads)
    tokenizer = build_tokenizer()
    model = build_model(tokenizer, settings.seed)
    optimizers, first = make_optimizers(model, settings), 0
    base_rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    output.mkdir(parents=True, exist_ok=True)
    write_json(output / "settings.json", asdict(settings))
    if (output / "state.pt").exists():
        first = _resume(output / "state.pt", model, optimizers)
    log.info("%d parameters, from step %d", sum(p.numel() for p in model.parameters()), first)
    network = torch.compile(model, dynamic=True) if settings.compiled else model
    batches: list[tuple[Batch, Batch]] = []
    started, seen = time.time(), 0.0
    for step in range(first, settings.steps):
        if step % STEPS_A_GROUP == 0 or not batches:
            batches = make_steps(
                tokenizer, settings.seed, step, STEPS_A_GROUP, settings.batch_size, settings.prompt_weight
            )
        for optimizer, rate in zip(optimizers, base_rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * learning_rate_scale(step, settings)
        loss = backward(network, batches[step % STEPS_A_GROUP])
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        seen = loss if seen == 0 else 0.95 * seen + 0.05 * loss
        if (step + 1) % 20 == 0:
            rate = (step + 1 - first) / (time.time() - started)
            left = (settings.steps - step - 1) / rate
            log.info("step %d/%d loss %.3f, %.2f steps/s, %.0f s left", step + 1, settings.steps, seen, rate, left)
        if (step + 1) % settings.evaluate_every == 0 or step + 1 == settings.steps:
            _evaluate_and_save(output, model, tokenizer, optimizers, step + 1, settings)


def _resume(path: Path, model: Any, optimizers: list[torch.optim.Optimizer]) -> int:
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(saved)
    return int(state["step"])


def _evaluate_and_save(
    output: Path, model: Any, tokenizer: Any, optimizers: list[torch.optim.Optimizer], step: int,
    settings: PretrainSettings,
) -> None:  # fmt: skip
    model.eval()
    scores = evaluate(model, tokenizer, settings.evaluation_problems, settings.seed)
    model.train()
    log.info("step %d: %s", step, json.dumps({k: v for k, v in scores.items() if k != "examples"}))
    for example in scores["examples"]:
        log.info("  %s", json.dumps(example))
    save_checkpoint(output / f"step-{step}", model, tokenizer, scores)
    with atomic_path(output / "state.pt") as temporary:
        optimizer_states = [optimizer.state_dict() for optimizer in optimizers]
        torch.save({"model": model.state_dict(), "optimizers": optimizer_states, "step": step}, temporary)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    for name, value in asdict(PretrainSettings()).items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            parser.add_argument(option, action=argparse.BooleanOptionalAction, default=value)
        else:
            parser.add_argument(option, type=type(value), default=value)
    arguments = vars(parser.parse_args())
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    pretrain(arguments.pop("output"), PretrainSettings(**arguments))


if __name__ == "__main__":
    main()
