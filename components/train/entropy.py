"""The entropy bonus's coefficient: adaptive control (paper equation 3.2), fixed, or off.

    alpha_k = c_k * 1{e_k <= target}
    c_k+1   = c_k + delta if e_k < target, c_k - delta if e_k > target, within [0, maximum]

e_k is the Monte-Carlo entropy of the policy that sampled step k: minus the mean log-probability of the sampled
tokens of the kept groups, over all ranks. It is known before the update, so the gate needs no lag.
"""

from dataclasses import dataclass
from typing import Any

from components.train.config import EntropyConfig


@dataclass
class EntropyController:
    """State: the coefficient c_k, and the last entropy seen (for the released code's gate)."""

    config: EntropyConfig
    coefficient: float
    previous: float | None = None

    @classmethod
    def start(cls, config: EntropyConfig) -> "EntropyController":
        return cls(config, 0.0 if config.mode == "off" else config.initial)

    def alpha(self, entropy: float) -> float:
        """The coefficient that step k's loss gets, given its entropy e_k (nats a token)."""
        if self.config.mode != "adaptive":
            return self.coefficient
        if self.config.gate == "current":
            return self.coefficient if entropy <= self.config.target else 0.0
        # The released code starts with the gate open.
        return self.coefficient if self.previous is None or self.previous < self.config.target else 0.0

    def update(self, entropy: float) -> None:
        """Move from c_k to c_k+1 after step k."""
        self.previous = entropy
        if self.config.mode != "adaptive":
            return
        if entropy < self.config.target:
            moved = self.coefficient + self.config.delta
        elif entropy > self.config.target or self.config.gate == "previous":
            moved = self.coefficient - self.config.delta
        else:
            moved = self.coefficient
        self.coefficient = min(max(moved, 0.0), self.config.maximum)

    def state(self) -> dict[str, Any]:
        return {"coefficient": self.coefficient, "previous": self.previous}

    @classmethod
    def restore(cls, config: EntropyConfig, state: dict[str, Any]) -> "EntropyController":
        """Continue in another stage, or after a stop. A fixed coefficient and `off` come from the settings."""
        if config.mode != "adaptive":
            return cls(config, cls.start(config).coefficient, state["previous"])
        return cls(config, min(state["coefficient"], config.maximum), state["previous"])
