"""Sample a group for each prompt and grade it. Shapes: P prompts, G samples of each; the order never changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components.core.errors import ConfigError, InfraError
from components.core.records import Problem
from components.sample.engine import Engine, Sample, SamplingParameters
from components.text.config import PromptConfig
from components.text.prompt import chat_prompt, user_message
from components.verify.requests import GradeRequest

if TYPE_CHECKING:
    from components.verify.catalog import Grader


@dataclass(frozen=True)
class TrainProblem:
    """A problem with its prompt, as text for the engines and as tokens for the trainer."""

    problem: Problem
    key: str
    """Unique for each row (see plan.row_keys); part of the sampling seed."""
    prompt: str
    prompt_ids: np.ndarray
    """int64."""


@dataclass(frozen=True)
class Rollouts:
    """Graded samples of one step."""

    problems: list[TrainProblem]
    samples: list[list[Sample]]
    """[P][G]."""
    rewards_PG: np.ndarray
    """float64: 1 correct, 0 not."""
    graded_PG: np.ndarray
    """bool: false where the verifier's infrastructure failed, so nobody knows."""
    truncated_PG: np.ndarray
    """bool: the response reached the limit without ending."""

    @property
    def tokens_PG(self) -> np.ndarray:
        """int64: response tokens that the engine reported, end token included."""
        return np.array([[s.num_tokens for s in group] for group in self.samples], np.int64)

    def accuracy(self, domain: str | None = None) -> float | None:
        """Share of correct among graded samples, before any rejection; None without any."""
        rows = [i for i, p in enumerate(self.problems) if domain in (None, p.problem.domain)]
        graded_PG = self.graded_PG[rows]
        return float(self.rewards_PG[rows][graded_PG].mean()) if graded_PG.any() else None


def prepare(
    problems: Sequence[Problem], keys: Sequence[str], tokenizer: Any, config: PromptConfig
) -> list[TrainProblem]:
    """Render and tokenize the prompts. The template writes all special tokens, so none are added."""
    prompts = [chat_prompt(tokenizer, user_message(problem, config)) for problem in problems]
    token_ids = tokenizer(prompts, add_special_tokens=False)["input_ids"] if prompts else []
    return [
        TrainProblem(problem, key, prompt, np.array(ids, np.int64))
        for problem, key, prompt, ids in zip(problems, keys, prompts, token_ids, strict=True)
    ]


def roll_out(
    engines: Engine,
    grader: "Grader",
    problems: Sequence[TrainProblem],
    seeds: Sequence[int],
    num_samples: int,
    parameters: SamplingParameters,
) -> Rollouts:
    """Sample and grade. Sample j of prompt i has seed `seeds[i] + j`. Raises InfraError and what the engines raise."""
    samples = engines.generate([p.prompt for p in problems], list(seeds), num_samples, parameters)
    for group in samples:
        _require_tokens(group, num_samples)
    requests = [
        GradeRequest.of_sample(p.problem, p.prompt, sample.text, sample.finish_reason)
        for p, group in zip(problems, samples, strict=True)
        for sample in group
    ]
    verdicts = grader.grade(requests)
    shape = (len(problems), num_samples)
    return Rollouts(
        problems=list(problems),
        samples=samples,
        rewards_PG=np.array([float(v.is_correct) for v in verdicts], np.float64).reshape(shape),
        graded_PG=np.array([v.status != "infra_error" for v in verdicts], bool).reshape(shape),
        truncated_PG=np.array([[s.finish_reason == "length" for s in g] for g in samples], bool).reshape(shape),
    )


def _require_tokens(group: Sequence[Sample], num_samples: int) -> None:
    if len(group) != num_samples:
        raise InfraError(f"the engine returned {len(group)} samples for a prompt, {num_samples} were asked for")
    for sample in group:
        if not sample.token_ids or not len(sample.token_ids) == len(sample.logprobs) == sample.num_tokens:
            raise ConfigError(
                "sampler.engine: this engine doesn't tell the token ids and log-probs of its samples, which training "
                "needs; choose vllm or transformers"
            )
