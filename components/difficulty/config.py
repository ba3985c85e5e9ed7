"""Settings of the difficulty stage (paper, section 6.2: model-aware difficulty estimation)."""

from pydantic import Field, model_validator

from components.core.config import StrictConfig
from components.sample.config import SamplerConfig, SamplingConfig
from components.text.config import PromptConfig
from components.verify.config import VerifierConfig


class DifficultyConfig(StrictConfig):
    """How often the base model solves each problem, and which problems stay."""

    sampler: SamplerConfig = SamplerConfig.parse({})
    """The engines."""
    sampling: SamplingConfig = SamplingConfig.parse({})
    """How responses are drawn: temperature 1.0 and up to 32K tokens as in the paper."""
    prompt: PromptConfig = PromptConfig()
    """What stands around a problem's text."""
    verifier: VerifierConfig = VerifierConfig.parse({})
    """How responses are graded."""
    rollouts_math: int = Field(16, ge=1)
    """Responses to each math problem (N)."""
    rollouts_code: int = Field(8, ge=1)
    """Responses to each code problem (N)."""
    max_problems_math: int | None = Field(None, ge=0)
    """Sample only this many math problems, chosen by a hash of seed and problem; the others leave as `not_sampled`."""
    max_problems_code: int | None = Field(None, ge=0)
    """The same for code problems."""
    min_correct: int = Field(1, ge=0)
    """Keep a problem with at least this many correct responses: 1 drops what the model never solves."""
    min_wrong: int = Field(1, ge=0)
    """Keep a problem with at least this many wrong responses: 1 drops what the model always solves."""
    seed: int = Field(1, ge=0)
    """Seed of the samples and of the subset."""

    @model_validator(mode="after")
    def _window_not_empty(self) -> "DifficultyConfig":
        for domain, n in (("math", self.rollouts_math), ("code", self.rollouts_code)):
            if self.min_correct + self.min_wrong > n:
                raise ValueError(
                    f"min_correct + min_wrong is {self.min_correct + self.min_wrong}, more than the {n} of "
                    f"rollouts_{domain}: nothing could stay"
                )
        return self
