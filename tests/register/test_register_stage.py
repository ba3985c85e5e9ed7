"""Registration in a real local MLflow, and the gate on numbers worked out by hand."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "track"))
from run_folder_fixture import _write_model  # noqa: E402

from components.core.config import StrictConfig  # noqa: E402
from components.core.errors import ConfigError, DataError  # noqa: E402
from components.core.files import read_json, write_json  # noqa: E402
from components.core.model_files import read_model_json  # noqa: E402
from components.core.step import execute  # noqa: E402
from components.register.config import GateConfig, RegisterConfig  # noqa: E402
from components.register.gate import compare, decide  # noqa: E402
from components.register.run import STAGE  # noqa: E402
from components.track.mlflow_log import open_client  # noqa: E402


def scores(name: str, digest: str, **correct: list[int]) -> dict:
    """Scores with 4 samples a problem: benchmark -> correct samples of each problem."""
    benchmarks = {}
    for benchmark, counts in correct.items():
        problems = {f"p{i}": {"num_correct": c, "num_graded": 4} for i, c in enumerate(counts)}
        benchmarks[benchmark] = {"domain": benchmark.split("_")[-1], "num_problems": len(counts), "num_samples": 4}
        benchmarks[benchmark] |= {"avg_at_k": sum(counts) / 4 / len(counts), "infra_errors": 0, "problems": problems}
    return {"model": {"name": name, "digest": digest}, "benchmarks": benchmarks}


def inputs(root: Path, final_counts: list[int], weights: str = "weights") -> dict:
    model = root / "model"
    model.mkdir(parents=True, exist_ok=True)
    _write_model(model, "tiny-train-2", weights, "parent digest")
    digest = read_model_json(model).digest
    write_json(root / "base.json", scores("base", "b", tiny_math=[0, 1, 2, 2], tiny_code=[1, 1, 1, 1]))
    write_json(root / "final.json", scores("final", digest, tiny_math=final_counts, tiny_code=[1, 1, 1, 2]))
    write_json(root / "card.json", {"rows": 33})
    paths = [root / "base.json", root / "final.json"]
    return {"model": model, "scores": paths, "data_card": root / "card.json"}


def register(root: Path, given: dict, config: dict, name: str = "out") -> tuple[dict, dict]:
    result = execute(STAGE, "register", json.dumps(config), given, {"version": root / name})
    return result.counts, read_json(root / name / "version.json")


def test_version_with_scores_card_and_lineage_is_registered_once(tmp_path, monkeypatch):
    monkeypatch.setenv("OR1_MLFLOW", str(tmp_path / "mlflow"))
    given = inputs(tmp_path, [2, 3, 2, 3])
    counts, version = register(tmp_path, given, {"model_name": "or1-tiny"})
    assert version["promoted"] and version["scores"]["tiny_math"]["gain"] == pytest.approx(5 / 16)
    assert version["base"] == {"name": "base", "digest": "b"}
    assert str(tmp_path) not in json.dumps(version) and counts["run_id"] not in json.dumps(version)
    client = open_client(f"sqlite:///{tmp_path / 'mlflow' / 'mlflow.db'}")
    made = client.get_model_version_by_alias("or1-tiny", "promoted")
    assert int(made.version) == counts["registry_version"] == 1
    assert made.tags["or1.model_digest"] == read_model_json(given["model"]).digest
    artifacts = {a.path for a in client.list_artifacts(made.run_id)}
    assert artifacts == {"card.json", "model", "model.json", "scores", "version.json"}
    run = client.get_run(made.run_id)
    assert run.data.metrics["register/tiny_math/gain"] == pytest.approx(5 / 16)
    assert (Path(made.source.removeprefix("file://")) / "model.safetensors").read_text() == "weights"
    again, same = register(tmp_path, given, {"model_name": "or1-tiny"}, "again")
    assert (again["registry_version"], again["run_id"]) == (1, counts["run_id"]) and same == version
    other = inputs(tmp_path / "other", [0, 0, 0, 1], "worse weights")
    worse, decided = register(tmp_path, other, {"model_name": "or1-tiny"}, "worse")
    assert worse["registry_version"] == 2 and not decided["promoted"]
    assert client.get_model_version_by_alias("or1-tiny", "promoted").version == made.version
    stricter = {"model_name": "or1-tiny", "gate": {"min_gain": {"math": 0.9}}}
    register(tmp_path, given, stricter, "stricter")
    assert "promoted" not in client.get_registered_model("or1-tiny").aliases


def test_scores_of_another_model_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("OR1_MLFLOW", str(tmp_path / "mlflow"))
    given = inputs(tmp_path, [2, 2, 2, 2])
    given["scores"] = [tmp_path / "base.json"]
    with pytest.raises(DataError, match="none of the 1 scores files belongs to model tiny-train-2"):
        register(tmp_path, given, {})
    assert not (tmp_path / "mlflow").exists()


def gate(final: dict, base: dict | None, **settings) -> tuple[bool, list[str]]:
    return decide(GateConfig(**settings), compare(base, final))


def test_gate_by_hand():
    base = scores("base", "b", aime_math=[1, 1, 1, 1], bench_code=[2, 2])
    better = scores("x", "x", aime_math=[2, 1, 2, 2], bench_code=[2, 1])
    assert gate(better, base) == (True, ["math: gain +0.1875 over the base is at least +0.0000"])
    promoted, reasons = gate(better, base, min_gain={"math": 0.2, "bench_code": -0.2})
    assert not promoted and reasons == [
        "math: gain +0.1875 is below +0.2000".replace("gain +0.1875", "gain +0.1875 over the base"),
        "bench_code: gain -0.1250 over the base is at least -0.2000",
    ]
    assert gate(better, base, interval_above_zero=True)[0]  # 0.1875 - 1.96 * 0.0625 > 0
    flat = scores("x", "x", aime_math=[4, 0, 1, 1], bench_code=[2, 2])
    promoted, reasons = gate(flat, base, interval_above_zero=True)
    assert not promoted and "its interval begins at -" in reasons[0]


def test_gate_without_base_without_benchmark_and_with_lost_samples():
    final = scores("x", "x", aime_math=[2, 1, 2, 2])
    assert gate(final, None)[1] == ["math: no benchmark was evaluated for both the base and this model"]
    base = scores("base", "b", aime_math=[1, 1, 1, 1])
    promoted, reasons = gate(final, base, required_benchmarks=("aime_math", "livecode"))
    assert not promoted and reasons[0] == "benchmark livecode is required and was not evaluated for both models"
    final["benchmarks"]["aime_math"]["infra_errors"] = 1
    promoted, reasons = gate(final, base)
    assert not promoted and reasons[0] == "benchmark aime_math lost 6.2% of its samples to failures of the graders"


def test_settings_are_strict():
    with pytest.raises(ConfigError, match="unknown setting 'gate.min_gian'"):
        RegisterConfig.parse({"gate": {"min_gian": {}}})
    assert issubclass(RegisterConfig, StrictConfig) and RegisterConfig().gate.min_gain == {"math": 0.0}
