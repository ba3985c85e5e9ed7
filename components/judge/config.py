"""Settings of the judge stage."""

from pydantic import Field, field_validator, model_validator

from components.core.config import StrictConfig
from components.core.records import Domain


class JudgeModel(StrictConfig):
    """One model behind the endpoint."""

    name: str = Field(min_length=1)
    """Model name as the endpoint knows it."""
    votes: int = Field(default=16, ge=1)
    """Votes it casts on each problem."""


class JudgeConfig(StrictConfig):
    """Votes on whether a problem is fit to train on. Paper, section 6.3: 2 models of 16 votes, keep from 9 valid."""

    enabled: bool = False
    """Whether models vote; if not, every row passes."""
    endpoint_url: str = ""
    """Base address of an OpenAI-compatible endpoint, e.g. `http://judge:8000/v1`."""
    api_key_env: str = "OR1_JUDGE_API_KEY"
    """Name of the environment variable that holds the key; the key itself is never a setting."""
    models: tuple[JudgeModel, ...] = (
        JudgeModel(name="meta-llama/Llama-3.3-70B-Instruct"),
        JudgeModel(name="Qwen/Qwen2.5-72B-Instruct"),
    )
    """Who votes."""
    domains: tuple[Domain, ...] = ("math",)
    """Domains that are judged; other rows pass (the paper judges math only)."""
    min_valid_votes: int = Field(default=9, ge=1)
    """A problem stays if at least this many votes call it valid."""
    min_counted_votes: int = Field(default=24, ge=1)
    """A problem with fewer valid votes goes only if this many votes were counted; else the step fails and can be
    retried. A vote that failed is missing, not a vote against."""
    temperature: float = Field(default=1.0, ge=0)
    """Sampling temperature of the judges."""
    max_response_tokens: int = Field(default=512, ge=1)
    """Longest reply of a judge."""
    seed: int = Field(default=0, ge=0)
    """Vote j of a problem asks for seed + j, where the endpoint supports seeds."""
    concurrency: int = Field(default=32, ge=1, le=512)
    """Requests in flight."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Longest wait for one reply."""
    retries: int = Field(default=3, ge=0)
    """Further tries of a vote that failed or could not be read."""
    retry_wait_s: float = Field(default=1.0, ge=0)
    """Wait before the first further try; doubles each time."""

    @field_validator("endpoint_url")
    @classmethod
    def _is_web_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value

    @model_validator(mode="after")
    def _votes_suffice(self) -> "JudgeConfig":
        if self.enabled and not self.endpoint_url:
            raise ValueError("'endpoint_url' is needed when 'enabled' is true")
        total = sum(model.votes for model in self.models)
        if self.enabled and max(self.min_valid_votes, self.min_counted_votes) > total:
            raise ValueError(
                f"'min_valid_votes' and 'min_counted_votes' must be at most {total}, the votes of all models"
            )
        return self
