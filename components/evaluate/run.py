"""How good is a model? Every benchmark problem is sampled several times and graded (paper, section 8.1)."""

import logging
from pathlib import Path

from components.benchmarks.catalog import load_benchmark
from components.core.errors import ConfigError
from components.core.files import write_json
from components.core.model_files import read_model_json
from components.core.records import Completion, Problem, write_completions
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.evaluate.config import EvaluateConfig
from components.evaluate.metrics import benchmark_scores
from components.sample.catalog import context_tokens
from components.sample.engine import SamplingParameters, seed_of
from components.sample.rollouts import Task, load_tokenizer, prepare_task, run_tasks
from components.verify.config import VERIFIER_VERSION

log = logging.getLogger(__name__)


def run(config: EvaluateConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    folder: Path = inputs["model"]
    if not config.benchmarks:
        raise ConfigError("setting 'benchmarks': name at least one benchmark to evaluate")
    root = Path(config.root) if config.root else None
    problems = {b.name: load_benchmark(b, root) for b in config.benchmarks}
    tasks = _tasks(problems, folder, config)
    parameters = SamplingParameters(**config.sampling.model_dump())
    graded = iter(run_tasks(config.sampler, folder, config.verifier, tasks, parameters))
    completions = {name: [next(graded) for _ in rows] for name, rows in problems.items()}
    benchmarks = {
        b.name: benchmark_scores(problems[b.name], completions[b.name], b.num_samples, config.seed)
        for b in config.benchmarks
    }
    write_completions(outputs["completions"], [c for rows in completions.values() for row in rows for c in row])
    reference = read_model_json(folder)
    scores = {
        "model": {"name": reference.name, "digest": reference.digest},
        "sampling": {**config.sampling.model_dump(), "seed": config.seed, "verifier": VERIFIER_VERSION},
        "benchmarks": benchmarks,
    }
    write_json(outputs["scores"], scores)
    return _counts(benchmarks, completions)


def _tasks(problems: dict[str, list[Problem]], folder: Path, config: EvaluateConfig) -> list[Task]:
    tokenizer, context = load_tokenizer(folder), context_tokens(config.sampler, folder)
    num_samples = {b.name: b.num_samples for b in config.benchmarks}
    tasks = []
    for name, rows in problems.items():
        for problem in rows:
            seed = seed_of(config.seed, name, problem.problem_id)
            tasks.append(prepare_task(problem, tokenizer, config.prompt, num_samples[name], seed, name))
    short = sum(t.num_prompt_tokens + config.sampling.max_response_tokens > context for t in tasks)
    if short:
        log.warning(
            "%d of %d prompts leave less than max_response_tokens (%d) in the model's context of %d tokens; their "
            "responses are cut earlier", short, len(tasks), config.sampling.max_response_tokens, context,
        )  # fmt: skip
    return tasks


def _counts(benchmarks: dict[str, dict[str, object]], completions: dict[str, list[list[Completion]]]) -> Counts:
    counts: Counts = {
        "problems": sum(len(rows) for rows in completions.values()),
        "rollouts": sum(len(row) for rows in completions.values() for row in rows),
        "infra_errors": sum(int(str(b["infra_errors"])) for b in benchmarks.values()),
    }
    for name, scores in benchmarks.items():
        counts[f"{name}/avg_at_k"] = scores["avg_at_k"]
        log.info("%s: avg@%s %.1f %%, 95 %% interval %s", name, scores["num_samples"],
                 100 * float(str(scores["avg_at_k"])), scores["interval"])  # fmt: skip
    return counts


STAGE = Stage(
    "evaluate",
    EvaluateConfig,
    run,
    inputs=(Port("model", "model"),),
    outputs=(Port("completions"), Port("scores", "json")),
)
