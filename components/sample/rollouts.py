"""Sample and grade many problems: the next problems are sampled while the last ones are graded.

Used by the difficulty and evaluate stages; everything comes back in input order.
"""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from components.core.digest import sha256_text
from components.core.errors import DataError
from components.core.model_files import read_model_json
from components.core.records import Completion, Problem
from components.sample.catalog import context_tokens
from components.sample.config import SamplerConfig
from components.sample.engine import Engine, Sample, SamplingParameters
from components.text.config import PromptConfig
from components.text.prompt import chat_prompt, prompt_digest, user_message
from components.verify.config import VerifierConfig
from components.verify.requests import GradeRequest

if TYPE_CHECKING:
    from components.verify.catalog import Grader

log = logging.getLogger(__name__)

ROUND_BATCHES = 4
"""A round fills every worker's batch this often: enough to refill freed places, and to overlap grading."""


@dataclass(frozen=True)
class Task:
    """Draw `num_samples` responses to a problem, sample j with seed `seed + j`, and grade them."""

    problem: Problem
    prompt: str
    num_prompt_tokens: int
    num_samples: int
    seed: int
    benchmark: str = ""


def prepare_task(
    problem: Problem, tokenizer: Any, config: PromptConfig, num_samples: int, seed: int, benchmark: str = ""
) -> Task:
    """Render and measure the prompt. Raises DataError when the model has no chat template."""
    prompt = chat_prompt(tokenizer, user_message(problem, config))
    # The chat template writes every special token, so none are added.
    num_tokens = len(tokenizer(prompt, add_special_tokens=False).input_ids)
    return Task(problem, prompt, num_tokens, num_samples, seed, benchmark)


def load_tokenizer(folder: Path) -> Any:
    """Raises DataError when the folder is no described model, or its tokenizer cannot be loaded."""
    from transformers import AutoTokenizer

    read_model_json(folder)
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise DataError(f"{folder}: its tokenizer could not be loaded ({reason}); save the model again") from error


def run_tasks(
    config: SamplerConfig, folder: Path, verifier: VerifierConfig, tasks: Sequence[Task], parameters: SamplingParameters
) -> list[list[Completion]]:
    """Graded completions of each task by the model in `folder`; starts and ends engines and verifier."""
    if not tasks:
        return []
    from components.sample.pool import EnginePool
    from components.verify.catalog import Grader

    # No more context than these tasks need: it is what engines reserve memory by.
    needed = max(t.num_prompt_tokens for t in tasks) + parameters.max_response_tokens
    context = min(context_tokens(config, folder), needed)
    with EnginePool(config, folder, context) as engine, Grader(verifier) as grader:
        samples_per_round = ROUND_BATCHES * config.batch_size * engine.num_workers
        return sample_and_grade(engine, grader, tasks, parameters, samples_per_round)


def sample_and_grade(
    engine: Engine, grader: "Grader", tasks: Sequence[Task], parameters: SamplingParameters, samples_per_round: int
) -> list[list[Completion]]:
    """Graded completions of each task, in order. A round samples at least `samples_per_round` responses (more where
    a task is larger); the round before is graded meanwhile."""
    graded: list[list[Completion]] = [[] for _ in tasks]
    done = 0
    started = time.monotonic()
    rounds = split_rounds(tasks, samples_per_round)
    with ThreadPoolExecutor(1, thread_name_prefix="grading") as thread:
        waiting: tuple[list[int], Future[list[list[Completion]]]] | None = None
        for number, indices in enumerate(rounds, 1):
            batch = [tasks[i] for i in indices]
            samples = engine.generate(
                [t.prompt for t in batch], [t.seed for t in batch], batch[0].num_samples, parameters
            )
            if waiting:
                _settle(waiting, graded)
            waiting = indices, thread.submit(_grade, grader, batch, samples)
            done += len(indices)
            _report(number, len(rounds), done, len(tasks), time.monotonic() - started)
        if waiting:
            _settle(waiting, graded)
    return graded


def split_rounds(tasks: Sequence[Task], samples_per_round: int) -> list[list[int]]:
    """Indices of the tasks of each round. A round's tasks share their number of samples, and lie close in prompt
    length, so that batches carry little padding."""
    rounds: list[list[int]] = []
    order = sorted(range(len(tasks)), key=lambda i: (tasks[i].num_samples, tasks[i].num_prompt_tokens, i))
    for i in order:
        n = tasks[i].num_samples
        if not rounds or tasks[rounds[-1][0]].num_samples != n or len(rounds[-1]) * n >= samples_per_round:
            rounds.append([])
        rounds[-1].append(i)
    return rounds


def _grade(grader: "Grader", tasks: Sequence[Task], samples: Sequence[Sequence[Sample]]) -> list[list[Completion]]:
    requests = [
        GradeRequest.of_sample(task.problem, task.prompt, sample.text, sample.finish_reason)
        for task, row in zip(tasks, samples, strict=True)
        for sample in row
    ]
    verdicts = iter(grader.grade(requests))
    return [
        [_completion(task, j, sample).graded(next(verdicts)) for j, sample in enumerate(row)]
        for task, row in zip(tasks, samples, strict=True)
    ]


def _completion(task: Task, index: int, sample: Sample) -> Completion:
    return Completion(
        problem_id=task.problem.problem_id,
        sample_index=index,
        text=sample.text,
        num_tokens=sample.num_tokens,
        finish_reason=sample.finish_reason,
        prompt_digest=prompt_digest(task.prompt),
        seed=task.seed + index,
        benchmark=task.benchmark,
    )


def _settle(waiting: tuple[list[int], "Future[list[list[Completion]]]"], graded: list[list[Completion]]) -> None:
    indices, future = waiting
    for i, completions in zip(indices, future.result(), strict=True):
        graded[i] = completions


def _report(number: int, num_rounds: int, done: int, total: int, seconds: float) -> None:
    log.info(
        "sampled %d of %d problems (round %d of %d, %.2f problems/s, about %.0f s left)",
        done, total, number, num_rounds, done / seconds, seconds / done * (total - done),
    )  # fmt: skip


def seed_order(seed: int, identifier: str) -> str:
    """Sort key of a subset that depends on the seed and the problem only."""
    return sha256_text(f"{seed}\x1f{identifier}")
