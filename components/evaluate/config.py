"""Settings of the evaluate stage (paper, section 8.1: avg@32 on AIME, avg@4 on LiveCodeBench)."""

from pydantic import Field, field_validator

from components.benchmarks.config import BenchmarkConfig
from components.core.config import StrictConfig
from components.sample.config import SamplerConfig, SamplingConfig
from components.text.config import PromptConfig
from components.verify.config import VerifierConfig


class EvaluateConfig(StrictConfig):
    """How a model is measured."""

    benchmarks: tuple[BenchmarkConfig, ...] = Field((), max_length=50)
    """What is measured; each says how many responses it takes a problem."""
    root: str = ""
    """Folder that relative file names of benchmarks start from; empty for the current folder."""
    sampler: SamplerConfig = SamplerConfig.parse({})
    """The engines."""
    sampling: SamplingConfig = SamplingConfig.parse({})
    """How responses are drawn: temperature 1.0, top_p 1.0 and up to 32K tokens as in the paper."""
    prompt: PromptConfig = PromptConfig()
    """What stands around a problem's text."""
    verifier: VerifierConfig = VerifierConfig.parse({})
    """How responses are graded."""
    seed: int = Field(1, ge=0)
    """Seed of the samples and of the bootstrap."""

    @field_validator("benchmarks")
    @classmethod
    def _names_differ(cls, value: tuple[BenchmarkConfig, ...]) -> tuple[BenchmarkConfig, ...]:
        names = [b.name for b in value]
        if len(set(names)) != len(names):
            raise ValueError(f"two benchmarks have the same name: {names}")
        return value
