"""Muon in float32: momentum whose matrices are orthogonalised (Jordan et al., 2024, "Muon").

PyTorch's own Muon works in bfloat16 one matrix at a time, which is many times slower on a CPU without bfloat16
instructions. Here matrices of the same shape are stacked and orthogonalised together. Legend: M matrices, R rows,
C columns.
"""

from collections.abc import Iterable
from typing import Any

import torch

_COEFFICIENTS = (3.4445, -4.775, 2.0315)
"""Quintic Newton-Schulz iteration, from the Muon reference; brings singular values to about 0.7 to 1.2."""


def orthogonalise(matrices_MRC: torch.Tensor, iterations: int = 5) -> torch.Tensor:
    """The nearest (semi-)orthogonal matrices, approximately: all singular values become about one."""
    wide = matrices_MRC.shape[1] <= matrices_MRC.shape[2]
    x = matrices_MRC if wide else matrices_MRC.mT
    x = x / (x.flatten(1).norm(dim=1)[:, None, None] + 1e-7)
    a, b, c = _COEFFICIENTS
    for _ in range(iterations):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x if wide else x.mT


class Muon(torch.optim.Optimizer):
    """SGD with Nesterov momentum whose update is orthogonalised. For matrices only."""

    def __init__(
        self, params: Iterable[torch.nn.Parameter], lr: float, momentum: float = 0.95, weight_decay: float = 0.01
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            shapes: dict[torch.Size, list[torch.nn.Parameter]] = {}
            for parameter in group["params"]:
                shapes.setdefault(parameter.shape, []).append(parameter)
            for shape, parameters in shapes.items():
                # Rows over columns: an update's size does not depend on how the matrix lies.
                rate = group["lr"] * max(1.0, shape[0] / shape[1]) ** 0.5
                updates_MRC = orthogonalise(torch.stack([self._momentum(p, group["momentum"]) for p in parameters]))
                for parameter, update in zip(parameters, updates_MRC, strict=True):
                    parameter.mul_(1 - group["lr"] * group["weight_decay"]).sub_(update, alpha=rate)

    def _momentum(self, parameter: torch.nn.Parameter, momentum: float) -> torch.Tensor:
        state = self.state[parameter]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(parameter)
        assert parameter.grad is not None
        state["momentum"].lerp_(parameter.grad, 1 - momentum)
        return parameter.grad.lerp(state["momentum"], momentum)
