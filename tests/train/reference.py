"""The MAGIC loss once more, in float64 and as plainly as possible: one sequence at a time, one token at a time,
each formula spelled out from logits (no shared code with components.train)."""

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM


def load_double(folder: Path):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()


def token_loss(logits_V, token, advantage, old, alpha, temperature, low, high, beta=0.0, reference_logits_V=None):
    """Minus (min(rho A, clip(rho) A) + alpha H) plus beta k3, for one position."""
    scaled_V = logits_V / temperature
    log_z = torch.log(torch.exp(scaled_V - scaled_V.max()).sum()) + scaled_V.max()
    logprob = scaled_V[token] - log_z
    ratio = torch.exp(logprob - (logprob.detach() if old is None else old))
    bounded = torch.minimum(torch.maximum(ratio, torch.tensor(1 - low)), torch.tensor(1 + high))
    gain = ratio * advantage if ratio * advantage < bounded * advantage else bounded * advantage
    probability_V = torch.exp(scaled_V) / torch.exp(scaled_V).sum()
    entropy = log_z - (probability_V * scaled_V).sum()
    loss = -gain - alpha * entropy
    if beta:
        reference_V = reference_logits_V / temperature
        gap = (reference_V[token] - torch.logsumexp(reference_V, 0)) - logprob
        loss = loss + beta * (torch.exp(gap) - gap - 1)
    return loss


def gradient(model, sequences: Sequence, alpha=0.0, temperature=1.0, low=0.2, high=0.2, beta=0.0, reference=None):
    """(loss, flat gradient): the sum of token losses over all sequences, divided by the number of their tokens."""
    model.zero_grad(set_to_none=True)
    count = sum(len(s.response_ids) for s in sequences)
    total = 0.0
    for sequence in sequences:
        ids = torch.tensor([[*sequence.prompt_ids.tolist(), *sequence.response_ids.tolist()]])
        logits_TV = model(ids).logits[0]
        with torch.no_grad():
            reference_TV = reference(ids).logits[0] if reference is not None else logits_TV
        first = len(sequence.prompt_ids) - 1
        terms = [
            token_loss(
                logits_TV[first + t], int(token), sequence.advantage,
                None if sequence.old_logprobs is None else float(sequence.old_logprobs[t]),
                alpha, temperature, low, high, beta, reference_TV[first + t],
            )
            for t, token in enumerate(sequence.response_ids)
        ]  # fmt: skip
        loss = sum(terms) / count
        loss.backward()
        total += float(loss.detach())
    return total, torch.cat([p.grad.flatten() for p in model.parameters()]).double()


def relative_error(value: torch.Tensor, expected: torch.Tensor) -> float:
    error = float((value.double() - expected).norm() / expected.norm())
    assert math.isfinite(error)
    return error
