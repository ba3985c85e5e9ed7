"""What the verifier is asked: one response (or program) and what it is held against."""

from dataclasses import dataclass
from typing import Any, Self

from components.core.records import Domain, Problem
from components.text.prompt import opens_thinking


@dataclass(frozen=True)
class GradeRequest:
    """One response to grade. `code` given: that program is judged and nothing is extracted."""

    domain: Domain
    response: str = ""
    answers: tuple[str, ...] = ()
    """Math golds; matching any of them is right."""
    tests: Any = None
    """Code tests in any shape that `code_tests.read_tests` accepts."""
    finish_reason: str = "stop"
    """`stop`, or `length` for a response cut at the token limit."""
    thinking_required: bool = False
    """Whether the prompt opened a thinking section that the response must close."""
    code: str | None = None

    @classmethod
    def of_sample(cls, problem: Problem, prompt: str, text: str, finish_reason: str) -> Self:
        """The request for a sampled response to `prompt`, the rendered prompt of `problem`."""
        return cls(
            domain=problem.domain,
            response=text,
            answers=problem.answers,
            tests=problem.tests,
            finish_reason=finish_reason,
            thinking_required=opens_thinking(prompt),
        )
