"""Settings of the validate_tests stage."""

from pydantic import Field

from components.core.config import StrictConfig
from components.verify.config import VerifierConfig


class ValidateTestsConfig(StrictConfig):
    """Code problems stay when one of their own solutions passes every one of their tests."""

    verifier: VerifierConfig = VerifierConfig()
    """How programs are run."""
    max_solutions: int = Field(default=5, ge=1)
    """Solutions tried, in order, until one passes (many rows have some that are wrong or not Python 3)."""
    require_solution: bool = True
    """Drop problems without any solution (no_solution); False keeps them as unverified."""
