"""The MAGIC loss as a sum over tokens; whoever calls divides by the global token count T_k (paper equation 3.1).

Sums over micro-batches and ranks add up to exactly the same loss however the batch is split. N is the number of
response tokens in one micro-batch.
"""

from dataclasses import dataclass
from typing import Literal

import torch

KLEstimator = Literal["k1", "k2", "k3"]


@dataclass(frozen=True)
class LossSettings:
    """What does not change within an update."""

    clip_low: float = 0.2
    clip_high: float = 0.2
    entropy_alpha: float = 0.0
    kl_coefficient: float = 0.0
    kl_estimator: KLEstimator = "k3"


def clipped_surrogate(
    logprobs_N: torch.Tensor,
    old_logprobs_N: torch.Tensor,
    advantages_N: torch.Tensor,
    clip_low: float,
    clip_high: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """min(rho A, clip(rho, 1 - low, 1 + high) A) for each token, with rho = exp(new - old), and whether the clipped
    side was taken (bool, there the gradient is zero). Schulman et al. 2017, equation 7."""
    ratio_N = torch.exp(logprobs_N - old_logprobs_N)
    plain_N = ratio_N * advantages_N
    clipped_N = ratio_N.clamp(1.0 - clip_low, 1.0 + clip_high) * advantages_N
    return torch.minimum(plain_N, clipped_N), clipped_N < plain_N


def kl_divergence(logprobs_N: torch.Tensor, reference_N: torch.Tensor, estimator: KLEstimator) -> torch.Tensor:
    """Estimate of KL(policy || reference) for each sampled token: k1 = log(pi/ref), k2 = k1^2 / 2,
    k3 = r - log r - 1 with r = ref/pi (never negative)."""
    log_ratio_N = reference_N - logprobs_N
    if estimator == "k1":
        return -log_ratio_N
    if estimator == "k2":
        return 0.5 * log_ratio_N.square()
    return torch.exp(log_ratio_N) - log_ratio_N - 1.0


@dataclass(frozen=True)
class TokenTerms:
    """Parts of the loss, one value a token [N]."""

    loss_N: torch.Tensor
    clipped_N: torch.Tensor
    kl_N: torch.Tensor | None


def token_losses(
    logprobs_N: torch.Tensor,
    old_logprobs_N: torch.Tensor,
    advantages_N: torch.Tensor,
    entropy_N: torch.Tensor,
    settings: LossSettings,
    reference_N: torch.Tensor | None = None,
) -> TokenTerms:
    """-(clipped surrogate + alpha H) + beta KL of each token. The gradient flows through log-probs and entropy."""
    surrogate_N, clipped_N = clipped_surrogate(
        logprobs_N, old_logprobs_N, advantages_N, settings.clip_low, settings.clip_high
    )
    loss_N = -surrogate_N
    if settings.entropy_alpha:
        loss_N = loss_N - settings.entropy_alpha * entropy_N
    kl_N = None
    if reference_N is not None:
        kl_N = kl_divergence(logprobs_N, reference_N, settings.kl_estimator)
        loss_N = loss_N + settings.kl_coefficient * kl_N
    return TokenTerms(loss_N, clipped_N, kl_N)
