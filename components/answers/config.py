"""Settings of the answers stage."""

from typing import Literal

from pydantic import Field

from components.core.config import StrictConfig
from components.verify.config import VerifierConfig


class AnswersConfig(StrictConfig):
    """Math problems whose answer contradicts their own solution leave."""

    verifier: VerifierConfig = VerifierConfig()
    """How answers are compared."""
    solution_answer: Literal["boxed", "stated", "any"] = "stated"
    """Where a solution's answer is looked for. boxed: only in \\boxed{}. stated: also after "####", or as a number that
    follows "the answer is" near the end. any: as in a model's response (then the last number of the prose counts,
    which misreads many human solutions)."""
    max_solutions: int = Field(default=4, ge=1)
    """Solutions looked at, in order."""
    require_solution: bool = False
    """Drop problems that nothing can be checked against (no_solution, no_answer_in_solution) instead of keeping them
    as unverified."""
