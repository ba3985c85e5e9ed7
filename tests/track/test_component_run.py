"""What a Kubeflow component leaves: artifacts, metadata, metrics, a step page, the run folder, and failures told."""

import json
from pathlib import Path

import pytest
from kfp.dsl import HTML, Dataset, Metrics
from run_folder_fixture import SCRIPT, STAGES, FolderArtifact, run_step

from components.core.errors import ConfigError
from components.core.files import read_json
from components.core.records import read_dropped, read_problems
from components.core.step import execute
from components.track.component_run import run_component
from components.track.run_folder import read_failures, read_steps

INGEST = STAGES["ingest"]


def kfp_artifact(kind, folder: Path, name: str):
    artifact = kind(uri=str(folder / name))
    artifact.name = name
    return artifact


def run_with_kfp(root: Path, config: str = '{"name": "taco"}'):
    outputs = {name: kfp_artifact(Dataset, root, name) for name in ("kept", "dropped")}
    metrics, report = kfp_artifact(Metrics, root, "metrics"), kfp_artifact(HTML, root, "report.html")
    run_component(INGEST, "ingest-taco", config, {}, outputs, metrics, report)
    return outputs, metrics, report


def test_kfp_artifacts_get_flat_strings_numbers_and_a_page(tmp_path, monkeypatch):
    monkeypatch.delenv("OR1_RUN_DIR", raising=False)
    outputs, metrics, report = run_with_kfp(tmp_path)
    manifest = read_json(tmp_path / "kept" / "lineage.json")
    said = outputs["kept"].metadata
    assert all(isinstance(value, str) for value in said.values())
    assert said["content_digest"] == manifest["artifact"]["content_digest"]
    assert said["manifest_digest"] == manifest["manifest_digest"]
    assert (said["rows"], said["key"]) == ("19", manifest["step"]["key"])
    assert metrics.metadata["ingest/rows_in"] == 20.0
    assert metrics.metadata["ingest/dropped/no_statement"] == 1.0
    assert read_json(Path(metrics.path))["ingest/rows_kept"] == 19.0
    assert "no_statement" in Path(report.path).read_text()


def test_run_folder_has_folders_short_paths_and_the_same_content(tmp_path, monkeypatch):
    monkeypatch.setenv("OR1_RUN_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("OR1_PROGRESS", str(tmp_path / "progress.log"))
    run_with_kfp(tmp_path / "kfp")
    step = tmp_path / "run" / "steps" / "ingest-taco"
    record = read_json(step / "step.json")
    assert (record["step"], record["stage"], record["reused"]) == ("ingest-taco", "ingest", False)
    assert (step / "kept" / "kept.parquet").read_bytes() == (step / "kept.parquet").read_bytes()
    assert read_json(step / "kept.lineage.json") == read_json(step / "kept" / "lineage.json")
    assert len(read_problems(step / "kept.parquet")) == 19 and len(read_dropped(step / "dropped.parquet")) == 1
    assert "ingest-taco | ingest-taco: started" in (tmp_path / "progress.log").read_text()
    assert "ingest-taco: done" in (tmp_path / "run" / "logs" / "ingest-taco.log").read_text()


def test_run_folder_survives_removal_of_the_original_and_a_second_run(tmp_path, monkeypatch):
    monkeypatch.setenv("OR1_RUN_DIR", str(tmp_path / "run"))
    run_step(tmp_path, "base_model", "base_model", {})
    run_step(tmp_path, "base_model", "base_model", {"quality": 1.0})
    for path in (tmp_path / "work" / "base_model" / "model").iterdir():
        path.unlink()
    step = tmp_path / "run" / "steps" / "base_model"
    assert (step / "model.json").is_symlink()
    assert read_json(step / "model.json")["name"] == "tiny-base"
    assert read_steps(tmp_path / "run")[0].config["quality"] == 1.0
    outputs = {"completions": tmp_path / "c", "scores": tmp_path / "s"}
    execute(STAGES["evaluate"], "evaluate-base", "{}", {"model": step / "model.json"}, outputs)


def test_none_inputs_are_left_out_and_missing_ones_are_told(tmp_path, monkeypatch):
    monkeypatch.setenv("OR1_RUN_DIR", str(tmp_path / "run"))
    run_step(tmp_path, "ingest", "ingest-taco", {"name": "taco"})
    run_step(tmp_path, "filter", "filter", {}, problems=["ingest-taco/kept"])  # the fixture adds a None to lists
    assert read_json(tmp_path / "run" / "steps" / "filter" / "step.json")["counts"]["rows_in"] == 19
    side = [FolderArtifact(str(tmp_path / name)) for name in ("kept", "dropped", "metrics", "report.html")]
    with pytest.raises(ConfigError, match="'problems' is missing"):
        run_component(
            STAGES["dedup"], "dedup", "{}", {"problems": [None]}, dict(kept=side[0], dropped=side[1]), side[2], side[3]
        )
    failure = read_failures(tmp_path / "run")[0]
    assert (failure["step"], failure["error"], failure["log"]) == ("dedup", "ConfigError", "logs/dedup.log")
    assert "'problems' is missing" in failure["message"]
    assert "Traceback" in (tmp_path / "run" / "logs" / "dedup.log").read_text()


def test_a_later_success_clears_the_failure(tmp_path, monkeypatch):
    monkeypatch.setenv("OR1_RUN_DIR", str(tmp_path / "run"))
    with pytest.raises(ConfigError, match="unknown setting 'nmae'"):
        run_step(tmp_path, "ingest", "ingest-taco", {"nmae": "taco"})
    assert not (tmp_path / "run" / "steps" / "ingest-taco").exists()
    assert len(read_failures(tmp_path / "run")) == 1
    run_step(tmp_path, "ingest", "ingest-taco", {"name": "taco"})
    assert read_failures(tmp_path / "run") == []


def test_step_page_escapes_what_others_wrote(tmp_path, monkeypatch):
    monkeypatch.delenv("OR1_RUN_DIR", raising=False)
    run_step(tmp_path, "ingest", "ingest-taco", {"name": "taco"})
    run_step(tmp_path, "filter", "filter", {"name": SCRIPT}, problems=["ingest-taco/kept"])
    page = (tmp_path / "work" / "filter" / "report.html").read_text()
    assert "<script" not in page and "&lt;script&gt;alert" in page
    assert json.loads((tmp_path / "work" / "filter" / "step_metrics").read_text())["filter/dropped/has_url"] > 0
