"""Log-probabilities and full-vocabulary entropy from hidden states, a chunk of tokens at a time.

The [tokens, vocabulary] tensor of logits exists for one chunk only; the backward pass computes it again.
N tokens, H hidden size, V vocabulary, C tokens of one chunk.
"""

import torch
from torch.nn.functional import linear
from torch.utils.checkpoint import checkpoint


def _chunk(
    hidden_CH: torch.Tensor,
    weight_VH: torch.Tensor,
    bias_V: torch.Tensor | None,
    targets_C: torch.Tensor,
    temperature: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    logits_CV = linear(hidden_CH, weight_VH, bias_V)
    if logits_CV.dtype in (torch.bfloat16, torch.float16):
        # Before the log-sum-exp: at half precision the log-probs would carry its rounding.
        logits_CV = logits_CV.float()
    logits_CV = logits_CV / temperature
    logprobs_CV = torch.log_softmax(logits_CV, dim=-1)
    entropy_C = -(logprobs_CV.exp() * logprobs_CV).sum(-1)
    rows_C = torch.arange(len(targets_C), device=targets_C.device)
    return logprobs_CV[rows_C, targets_C], entropy_C


def logprobs_and_entropy(
    hidden_NH: torch.Tensor,
    weight_VH: torch.Tensor,
    bias_V: torch.Tensor | None,
    targets_N: torch.Tensor,
    temperature: float,
    chunk_tokens: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each target token and entropy of each position's distribution (nats), at `temperature`.

    Both are float32 (float64 for float64 weights) of shape [N]. One chunk is computed plainly.
    """
    if len(targets_N) <= chunk_tokens:
        return _chunk(hidden_NH, weight_VH, bias_V, targets_N, temperature)
    logprobs, entropies = [], []
    for start in range(0, len(targets_N), chunk_tokens):
        part = slice(start, start + chunk_tokens)
        logprobs_C, entropy_C = checkpoint(
            _chunk, hidden_NH[part], weight_VH, bias_V, targets_N[part], temperature, use_reentrant=False
        )
        logprobs.append(logprobs_C)
        entropies.append(entropy_C)
    return torch.cat(logprobs), torch.cat(entropies)
