"""A small but complete run folder: every step of the graph, its real schemas and lineage, invented numbers.

The steps run through `run_component` as they do in the pipeline; only what each one computes is made up here.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from components.core.config import StrictConfig
from components.core.digest import sha256_text
from components.core.files import read_json, write_json, write_jsonl, write_table
from components.core.model_files import read_model_json, write_model_json
from components.core.records import (
    Completion,
    Problem,
    Source,
    count_rows,
    drop,
    problem_id_of,
    read_problems,
    row_id_of,
    write_completions,
    write_dropped,
    write_problems,
)
from components.core.step import Port, Stage
from components.register.run import STAGE as REGISTER
from components.track.component_run import run_component

SCRIPT = "<script>alert('planted')</script>"
SOURCES = {"numinamath": ("math", 40), "deepscaler": ("math", 24), "taco": ("code", 20)}
BENCHMARKS = {"tiny_math": "math", "tiny_code": "code"}
TABLES = (Port("kept"), Port("dropped"))
PASS_RATES = pa.schema(
    [(n, pa.string()) for n in ("problem_id", "row_id", "domain")]
    + [(n, pa.int64()) for n in ("num_correct", "num_graded", "num_infra_errors")]
    + [("model_digest", pa.string()), ("temperature", pa.float64()), ("max_response_tokens", pa.int64())]
    + [("verifier", pa.string())]
)
EXPOSURES = pa.schema(
    [("row_id", pa.string()), ("problem_id", pa.string())]
    + [(n, pa.int64()) for n in ("stage", "step", "num_correct", "num_graded")]
    + [("used", pa.bool_())]
)


class AnyConfig(StrictConfig):
    """Settings of the made-up stages."""

    name: str = ""
    quality: float = 0.0
    target_entropy: float = 0.2
    max_response_tokens: int = 512


@dataclass
class FolderArtifact:
    """What a Kubeflow artifact is to `run_component`."""

    path: str
    metadata: dict[str, Any] = field(default_factory=dict)

    def log_metric(self, metric: str, value: float) -> None:
        self.metadata[metric] = value


def _stage(name: str, run: Callable, inputs: tuple[Port, ...], outputs: tuple[Port, ...]) -> Stage:
    run.__module__ = f"components.{name}.run"  # the source hash is taken of the stage's room
    return Stage(name, AnyConfig, run, inputs, outputs)


def _problem(source: str, domain: str, row: int) -> Problem:
    if domain == "math":
        statement = (
            f"A farmer has {row} hens and buys {row * 3 % 17} more. What is $x$ if $x = {row} + {row * 3 % 17}$?"
        )
    else:
        statement = f"Write add_{row}(n) that returns n + {row}."
    if row == 1:
        statement += f" {SCRIPT}"
    answers = (str(row + row * 3 % 17),) if domain == "math" else ()
    tests = {"kind": "function_call", "fn_name": f"add_{row}", "inputs": [[1]], "outputs": [row + 1]}
    given = None if domain == "math" else tests
    return Problem(
        row_id_of(source, "sha256:aa", row, statement),
        problem_id_of(domain, statement, answers, given),
        domain,  # type: ignore[arg-type]
        statement,
        Source(source, "sha256:aa", row, "apache-2.0" if domain == "math" else "mit"),
        answers,
        given,
    )


def _finish(outputs: Any, kept: list[Problem], dropped: list[Any]) -> dict[str, Any]:
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    return count_rows(len(kept) + len(dropped), kept, dropped)


def _ingest(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
    domain, count = SOURCES[config.name]
    problems = [_problem(config.name, domain, row) for row in range(count)]
    return _finish(outputs, problems[:-1], [drop(problems[-1], "ingest", "no_statement", row=count - 1)])


def _sieve(stage: str, reason: str, modulus: int) -> Callable:
    def run(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
        given = inputs["problems"]
        problems = [p for path in (given if isinstance(given, list) else [given]) for p in read_problems(path)]
        if stage in ("answers", "validate_tests"):
            problems = [p for p in problems if p.domain == ("math" if stage == "answers" else "code")]
        kept = [p for p in problems if p.source.row % modulus != 1]
        dropped = [drop(p, stage, reason, similar_to=SCRIPT, similarity=0.93) for p in problems if p not in kept]
        return _finish(outputs, kept, dropped)

    return run


def _base_model(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
    return _write_model(outputs["model"], "tiny-base", "weights 0", "")


def _write_model(folder: Path, name: str, weights: str, parent: str) -> dict[str, Any]:
    write_json(folder / "config.json", {"model_type": "qwen2"})
    write_json(folder / "tokenizer.json", {"model": "bytes"})
    (folder / "chat_template.jinja").write_text("{{ messages[0].content }}<think>\n")
    (folder / "model.safetensors").write_text(weights)
    write_model_json(folder, name, "r1", "apache-2.0", parent)
    return {"parameters": 1_000_000}


def _responses(
    rng: random.Random, identifier: str, count: int, rate: float, benchmark: str, model: str
) -> list[Completion]:
    completions = []
    for j in range(count):
        good = rng.random() < rate
        answer, planted = 17 if good else 16, SCRIPT if j == 0 else ""
        text = f"Let me add.\n{planted} so it is {answer}</think>\n\\boxed{{{answer}}}"
        fields = ("correct", "", "17") if good else ("wrong", "differs", "16")
        digest = sha256_text(identifier)
        completion = Completion(identifier, j, text, 40 + rng.randrange(200), "stop", digest, j, benchmark, *fields)
        if not good and j % 5 == 4:
            completion = replace(completion, finish_reason="length", reason="truncated", extracted="")
        completions.append(completion)
    return completions


def _difficulty(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
    rng, problems = random.Random(1), read_problems(inputs["problems"])
    kept, dropped, completions, rates = [], [], [], []
    for problem in problems:
        made = _responses(rng, problem.problem_id, 8, rng.choice([0.0, 0.2, 0.4, 0.7, 1.0]), "", "base")
        right = sum(c.status == "correct" for c in made)
        completions += made
        rates.append(
            {**{n: None for n in PASS_RATES.names}, "problem_id": problem.problem_id, "row_id": problem.row_id}
            | {"domain": problem.domain, "num_correct": right, "num_graded": 8, "num_infra_errors": 0}
            | {"model_digest": "m", "temperature": 1.0, "max_response_tokens": 512, "verifier": problem.domain}
        )
        if right in (0, 8):
            reason = "never_solved" if right == 0 else "always_solved"
            dropped.append(drop(problem, "difficulty", reason, num_correct=right, num_graded=8))
        else:
            kept.append(replace(problem, pass_rate=right / 8, num_correct=right, num_graded=8))
    write_completions(outputs["completions"], completions)
    write_table(outputs["pass_rates"], rates, PASS_RATES)
    return _finish(outputs, kept, dropped)


def _mix(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
    problems = read_problems(inputs["problems"])
    write_problems(outputs["kept"], problems)
    write_json(outputs["data_card"], {"rows": len(problems), "licences": ["apache-2.0", "mit"]})
    return count_rows(len(problems), problems, [])


def _train(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
    stage = int(config.name[-1])
    rng, problems, parent = random.Random(stage), read_problems(inputs["problems"]), read_model_json(inputs["model"])
    _write_model(outputs["model"], f"tiny-{config.name}", f"weights {stage}", parent.digest)
    exposures, rows = [], []
    for step in range(1, 21):
        at = step + 20 * (stage - 1)
        accuracy = 0.35 + 0.01 * at + rng.uniform(-0.04, 0.04)
        names = {
            "accuracy_before_rejection": accuracy,
            "accuracy_math": accuracy + 0.03,
            "accuracy_code": accuracy - 0.05,
        }
        names |= {"entropy": 0.33 - 0.003 * at + rng.uniform(0, 0.02), "entropy_coefficient": 0.0001 * at}
        names |= {"entropy_alpha": 0.0001 * at if at % 3 else 0.0, "response_tokens_mean": 150 + 2 * at}
        names |= {"truncated_share": 0.2 / stage, "groups_kept": 20 + rng.randrange(8), "groups_total": 32}
        names |= {"loss": rng.uniform(-0.02, 0.02), "gradient_norm": rng.uniform(0.3, 0.6), "clip_fraction": 0.01}
        row = {"step": at, "stage": stage, **{f"train/{k}": v for k, v in names.items()}}
        row |= {"train/learning_rate": 1e-4, "train/infra_errors": 0}
        row |= {"time/rollout_s": 3 + rng.random(), "time/train_s": 1.5, "time/other_s": 0.4}
        if at % 10 == 0:
            row["dev/accuracy"] = accuracy + 0.02
        rows.append(row)
        problem = problems[at % len(problems)]
        exposures.append(
            {"row_id": problem.row_id, "problem_id": problem.problem_id, "stage": stage, "step": at}
            | {"num_correct": 3, "num_graded": 8, "used": True}
        )
    write_jsonl(outputs["metrics"], rows)
    write_table(outputs["exposures"], exposures, EXPOSURES)
    write_json(outputs["checkpoint"] / "state.json", {"step": rows[-1]["step"]})
    return {"steps": 20, "groups_kept": 480}


def _evaluate(config: AnyConfig, inputs: Any, outputs: Any) -> dict[str, Any]:
    model, completions, benchmarks = read_model_json(inputs["model"]), [], {}
    for benchmark, domain in BENCHMARKS.items():
        problems, rng = {}, random.Random(benchmark)
        for i in range(48):
            identifier = sha256_text(f"{benchmark} {i}")
            rate = min(1.0, rng.random() * 0.7 + config.quality)
            made = _responses(random.Random(f"{i}{config.name}"), identifier, 8, rate, benchmark, config.name)
            completions += made
            right = sum(c.status == "correct" for c in made)
            problems[identifier] = {"num_correct": right, "num_graded": 8, "family": f"family_{i % 4}"}
        mean = sum(p["num_correct"] for p in problems.values()) / (8 * 48)
        benchmarks[benchmark] = {"domain": domain, "num_problems": 48, "num_samples": 8, "avg_at_k": mean}
        benchmarks[benchmark] |= {"interval": [mean - 0.06, mean + 0.06], "pass_at_k": {"1": mean, "8": 0.9}}
        benchmarks[benchmark] |= {"mean_tokens": 140.0, "truncated_share": 0.1, "infra_errors": 0, "problems": problems}
    write_completions(outputs["completions"], completions)
    sampling = {"temperature": 0.6, "max_response_tokens": 512}
    named = {"name": model.name, "digest": model.digest}
    write_json(outputs["scores"], {"model": named, "sampling": sampling, "benchmarks": benchmarks})
    return {"completions": len(completions)}


ONE, MANY, MODEL = (Port("problems"),), (Port("problems", many=True),), Port("model", "model")
STAGES = {
    "ingest": _stage("ingest", _ingest, (), TABLES),
    "filter": _stage("filter", _sieve("filter", "has_url", 9), MANY, TABLES),
    "answers": _stage("answers", _sieve("answers", "contradicts_solution", 11), ONE, TABLES),
    "validate_tests": _stage("validate_tests", _sieve("validate_tests", "solution_fails", 7), ONE, TABLES),
    "dedup": _stage("dedup", _sieve("dedup", "near_duplicate", 8), MANY, TABLES),
    "decontaminate": _stage("decontaminate", _sieve("decontaminate", "in_tiny_math", 13), ONE, TABLES),
    "base_model": _stage("base_model", _base_model, (), (MODEL,)),
    "difficulty": _stage("difficulty", _difficulty, (*ONE, MODEL), (*TABLES, Port("completions"), Port("pass_rates"))),
    "judge": _stage("judge", _sieve("judge", "low_quality", 99), ONE, TABLES),
    "mix": _stage("mix", _mix, ONE, (Port("kept"), Port("data_card", "json"))),
    "train": _stage(
        "train",
        _train,
        (*ONE, MODEL),
        (MODEL, Port("exposures"), Port("metrics", "jsonl"), Port("checkpoint", "folder")),
    ),
    "evaluate": _stage("evaluate", _evaluate, (MODEL,), (Port("completions"), Port("scores", "json"))),
    "register": REGISTER,
}


def run_step(root: Path, stage: str, step: str, config: dict[str, Any], **links: Any) -> None:
    """Run one step below `root/work`; links: input port -> "STEP/PORT" or a list of them."""
    outputs = {p.name: FolderArtifact(str(root / "work" / step / p.name)) for p in STAGES[stage].outputs}

    def artifact(link: Any) -> Any:
        if isinstance(link, list):
            return [artifact(one) for one in link] + [None]
        return FolderArtifact(str(root / "work" / link))

    inputs = {port: artifact(link) for port, link in links.items()}
    side = root / "work" / step
    run_component(
        STAGES[stage], step, json.dumps(config), inputs, outputs,
        FolderArtifact(str(side / "step_metrics")), FolderArtifact(str(side / "report.html")),
    )  # fmt: skip


def build_run(root: Path, monkeypatch: Any, until: str = "register") -> Path:
    """Make the run folder `root/run` up to and including the step `until`."""
    monkeypatch.setenv("OR1_RUN_DIR", str(root / "run"))
    monkeypatch.setenv("OR1_MLFLOW", str(root / "mlflow"))
    for step, (stage, config, links) in plan().items():
        run_step(root, stage, step, config, **links)
        if step == until:
            break
    return root / "run"


def plan() -> dict[str, tuple[str, dict[str, Any], dict[str, Any]]]:
    """Step name -> stage, settings, input links, in an order in which they can run."""
    steps: dict[str, Any] = {f"ingest-{name}": ("ingest", {"name": name}, {}) for name in SOURCES}
    steps["filter"] = ("filter", {}, {"problems": [f"ingest-{name}/kept" for name in SOURCES]})
    steps["answers"] = ("answers", {}, {"problems": "filter/kept"})
    steps["validate_tests"] = ("validate_tests", {}, {"problems": "filter/kept"})
    steps["dedup"] = ("dedup", {}, {"problems": ["answers/kept", "validate_tests/kept"]})
    steps["decontaminate"] = ("decontaminate", {}, {"problems": "dedup/kept"})
    steps["base_model"] = ("base_model", {}, {})
    steps["evaluate-base"] = ("evaluate", {"name": "base"}, {"model": "base_model/model"})
    steps["difficulty"] = ("difficulty", {}, {"problems": "decontaminate/kept", "model": "base_model/model"})
    steps["judge"] = ("judge", {}, {"problems": "difficulty/kept"})
    steps["mix"] = ("mix", {}, {"problems": "judge/kept"})
    steps["train-1"] = ("train", {"name": "train-1"}, {"problems": "mix/kept", "model": "base_model/model"})
    steps["evaluate-1"] = ("evaluate", {"name": "one", "quality": 0.1}, {"model": "train-1/model"})
    steps["train-2"] = ("train", {"name": "train-2"}, {"problems": "mix/kept", "model": "train-1/model"})
    steps["evaluate-final"] = ("evaluate", {"name": "final", "quality": 0.25}, {"model": "train-2/model"})
    scores = [f"evaluate-{label}/scores" for label in ("base", "1", "final")]
    links = {"model": "train-2/model", "scores": scores, "data_card": "mix/data_card"}
    steps["register"] = ("register", {"model_name": "or1-tiny"}, links)
    return steps


def scores_of(root: Path, step: str) -> dict[str, Any]:
    """The scores that a step of the fixture wrote."""
    return read_json(root / "run" / "steps" / step / "scores.json")  # type: ignore[no-any-return]
