"""The evaluate stage from benchmark files to scores.json, on scripted responses and on the tiny model."""

import json
from pathlib import Path

import pytest

from components.core.errors import ConfigError
from components.core.files import read_json
from components.core.model_files import read_model_json
from components.core.records import read_completions
from components.core.step import StepResult, execute
from components.evaluate.config import EvaluateConfig
from components.evaluate.run import STAGE

ROWS = [{"problem": f"What is {i} + 3?", "answer": str(i + 3)} for i in range(4)]


def run_stage(tmp_path: Path, model: Path, sampler: dict, num_samples: int = 4) -> StepResult:
    (tmp_path / "sums.jsonl").write_text("\n".join(json.dumps(r) for r in ROWS), encoding="utf-8")
    benchmark = {
        "name": "sums",
        "kind": "tiny_math",
        "files": ["sums.jsonl"],
        "num_samples": num_samples,
        "expected_problems": 4,
    }
    config = {
        "benchmarks": [benchmark],
        "root": str(tmp_path),
        "sampler": sampler,
        "sampling": {"max_response_tokens": 40},
        "seed": 5,
    }
    outputs = {"completions": tmp_path / "completions.parquet", "scores": tmp_path / "scores.json"}
    return execute(STAGE, "evaluate", json.dumps(config), inputs={"model": model}, outputs=outputs)


def test_scores_of_scripted_responses(tmp_path: Path, tiny_model: Path):
    script = [
        {"prompt_contains": "What is 0 + 3?", "responses": ["</think>\\boxed{3}"]},
        {"prompt_contains": "What is 1 + 3?", "responses": ["</think>\\boxed{4}", "</think>\\boxed{5}"]},
        {"prompt_contains": "+ 3?", "responses": ["</think>\\boxed{1}"]},
    ]
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(json.dumps(e) for e in script), encoding="utf-8")
    result = run_stage(tmp_path, tiny_model, {"engine": "scripted", "scripted_file": str(path)})
    scores = read_json(tmp_path / "scores.json")
    assert scores["model"]["digest"] == read_model_json(tiny_model).digest
    assert scores["sampling"] == {
        "temperature": 1.0, "top_p": 1.0, "max_response_tokens": 40, "seed": 5, "verifier": "or1-verify-1",
    }  # fmt: skip
    sums = scores["benchmarks"]["sums"]
    assert sums["avg_at_k"] == pytest.approx((1 + 0.5) / 4)
    assert sums["pass_at_k"] == pytest.approx({"1": 1.5 / 4, "2": (1 + 5 / 6) / 4, "4": 0.5})
    assert sorted(p["num_correct"] for p in sums["problems"].values()) == [0, 0, 2, 4]
    assert result.counts["sums/avg_at_k"] == sums["avg_at_k"] and result.counts["rollouts"] == 16
    completions = read_completions(tmp_path / "completions.parquet")
    assert {c.benchmark for c in completions} == {"sums"} and len(completions) == 16


def test_the_tiny_model_is_evaluated_the_same_each_time(tmp_path: Path, tiny_model: Path):
    digests = []
    for name in "ab":
        (tmp_path / name).mkdir()
        result = run_stage(tmp_path / name, tiny_model, {"engine": "transformers", "num_workers": 0})
        digests.append(result.digests)
    assert digests[0] == digests[1]
    completions = read_completions(tmp_path / "a" / "completions.parquet")
    assert len(completions) == 16 and len({c.text for c in completions}) > 4
    assert all(1 <= c.num_tokens <= 40 for c in completions)


def test_wrong_settings(tmp_path: Path, tiny_model: Path):
    twice = [{"name": "a", "kind": "aime", "files": ["x.jsonl"]}] * 2
    with pytest.raises(ConfigError, match="same name"):
        EvaluateConfig.parse({"benchmarks": twice})
    outputs = {"completions": tmp_path / "c.parquet", "scores": tmp_path / "s.json"}
    with pytest.raises(ConfigError, match="at least one benchmark"):
        execute(STAGE, "evaluate", "{}", inputs={"model": tiny_model}, outputs=outputs)
