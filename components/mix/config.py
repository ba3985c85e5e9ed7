"""Settings of the mix stage."""

from pydantic import Field, field_validator

from components.core.config import StrictConfig
from components.core.records import Domain


class MixConfig(StrictConfig):
    """How the pool becomes the training set. Paper, section 6: math once, code twice."""

    repeats: dict[Domain, int] = {"math": 1, "code": 2}
    """How often an epoch shows a problem of each domain (paper: code twice). Rows are not copied: each kept row
    carries the number in `metadata.repeat`. A domain that is not named is shown once."""
    max_problems: int = Field(default=0, ge=0)
    """Most problems in all; 0 for no limit. Which ones stay is drawn by `seed`."""
    max_problems_by_domain: dict[Domain, int] = {}
    """Most problems of a domain; a domain that is not named has no limit of its own."""
    development_share: float = Field(default=0.02, ge=0, lt=1)
    """Share of problems that are held out for validation during training (`metadata.split`: `development`). Decided by
    a hash of the problem, so a problem never changes sides when others come or go."""
    seed: int = Field(default=0, ge=0)
    """Seed of the order, of the draw and of the split."""

    @field_validator("repeats", "max_problems_by_domain")
    @classmethod
    def _at_least_one(cls, value: dict[Domain, int]) -> dict[Domain, int]:
        for domain, number in value.items():
            if number < 1:
                raise ValueError(f"{domain}: must be at least 1")
        return value
