"""Metrics as flat numbers under one name, `STAGE/WHAT`, the same in JSONL, MLflow and Kubeflow Pipelines.

A row of `metrics.jsonl` is `{"step": "train-1", "name": "train/entropy", "value": 0.31, "x": 12}`; `x` is the
training step of a curve, absent for a count.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from components.core.files import read_json, read_jsonl, write_jsonl
from components.track.run_folder import RunStep, read_steps


def flat_numbers(values: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Every finite number in nested mappings, keys joined by `/`. Text, lists and missing values are left out."""
    numbers: dict[str, float] = {}
    for key, value in values.items():
        name = f"{prefix}/{key}" if prefix else str(key)
        if isinstance(value, dict):
            numbers.update(flat_numbers(value, name))
        elif isinstance(value, bool | int | float) and math.isfinite(value):
            numbers[name] = float(value)
    return numbers


def metric_name(stage: str, name: str) -> str:
    """`rows_in` of stage dedup is `dedup/rows_in`; a name that says its place already (`train/loss`) stays."""
    return name if name.split("/")[0] in (stage, "train", "dev", "time") else f"{stage}/{name}"


def stage_counts(stage: str, counts: dict[str, Any]) -> dict[str, float]:
    """The flat numbers of a step's counts under their full names."""
    return {metric_name(stage, k): v for k, v in flat_numbers(counts).items()}


def training_rows(step: RunStep) -> list[dict[str, Any]]:
    """The rows of a training step's `metrics.jsonl`; empty for other steps."""
    path = step.file("metrics.jsonl")
    return read_jsonl(path) if path and step.stage == "train" else []


def benchmark_scores(step: RunStep) -> dict[str, Any]:
    """`scores.json` of an evaluation step; empty for other steps."""
    path = step.file("scores.json")
    return read_json(path) if path else {}


def step_metrics(step: RunStep) -> Iterator[dict[str, Any]]:
    """All metrics of one step: seconds, counts, benchmark scores, and training curves."""
    yield {"step": step.step, "name": f"{step.stage}/seconds", "value": step.seconds}
    for name, value in stage_counts(step.stage, step.counts).items():
        yield {"step": step.step, "name": name, "value": value}
    for benchmark, scores in benchmark_scores(step).get("benchmarks", {}).items():
        summary = {k: v for k, v in scores.items() if k != "problems"}
        low, high = summary.pop("interval", None) or (None, None)
        summary.update(interval_low=low, interval_high=high)
        for name, value in flat_numbers(summary).items():
            yield {"step": step.step, "name": f"{step.stage}/{benchmark}/{name}", "value": value}
    for row in training_rows(step):
        for name, value in flat_numbers(row).items():
            if name not in ("step", "stage"):
                yield {"step": step.step, "name": metric_name(step.stage, name), "value": value, "x": row["step"]}


def write_metrics(run_folder: Path) -> Path:
    """Write `metrics.jsonl` of a run: everything numeric that any of its steps reported."""
    target = run_folder / "metrics.jsonl"
    write_jsonl(target, (row for step in read_steps(run_folder) for row in step_metrics(step)))
    return target
