"""A run folder in a local MLflow: nested runs with settings, metrics, curves and digests."""

import pytest
from run_folder_fixture import build_run, run_step

from components.core.errors import InfraError
from components.track.mlflow_log import default_tracking_uri, flat_parameters, log_run, open_client, without_password
from components.track.run_folder import read_steps


def test_run_is_logged_with_a_nested_run_per_step(tmp_path, monkeypatch):
    folder = build_run(tmp_path, monkeypatch, until="ingest-taco")
    run_step(tmp_path, "base_model", "base_model", {})
    run_step(tmp_path, "train", "train-1", {"name": "train-1"}, problems="ingest-taco/kept", model="base_model/model")
    (folder / "report.html").write_text("<p>report</p>")
    uri = f"sqlite:///{tmp_path / 'tracking' / 'mlflow.db'}"
    run_id = log_run(folder, uri, "or1", run_name="tiny")
    client = open_client(uri)
    parent = client.get_run(run_id)
    assert parent.info.run_name == "tiny" and parent.info.status == "FINISHED"
    assert [a.path for a in client.list_artifacts(run_id)] == ["report.html"]
    experiment = client.get_experiment_by_name("or1").experiment_id
    nested = client.search_runs([experiment], f"tags.`mlflow.parentRunId` = '{run_id}'")
    by_step = {r.info.run_name: r for r in nested}
    assert set(by_step) == {"ingest-numinamath", "ingest-deepscaler", "ingest-taco", "base_model", "train-1"}
    train, record = by_step["train-1"], next(s for s in read_steps(folder) if s.step == "train-1")
    assert train.data.params["target_entropy"] == "0.2"
    assert train.data.tags["or1.digest.model"] == record.digests["model"]
    curve = client.get_metric_history(train.info.run_id, "train/entropy")
    assert sorted(m.step for m in curve) == list(range(1, 21))
    assert by_step["ingest-taco"].data.metrics["ingest/rows_kept"] == 19


def test_addresses(monkeypatch, tmp_path):
    monkeypatch.delenv("OR1_MLFLOW", raising=False)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:////data/mlflow.db")
    assert default_tracking_uri() == "sqlite:////data/mlflow.db"
    assert default_tracking_uri("http://mlflow:5000") == "http://mlflow:5000"
    monkeypatch.setenv("OR1_MLFLOW", "/data/tracking")
    assert default_tracking_uri() == "sqlite:////data/tracking/mlflow.db"
    monkeypatch.delenv("OR1_MLFLOW")
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    monkeypatch.chdir(tmp_path)
    assert default_tracking_uri() == f"sqlite:///{tmp_path}/mlflow.db"


def test_unusable_address_is_told(tmp_path):
    (tmp_path / "mlflow.db").write_text("not a database")
    with pytest.raises(InfraError, match="MLflow at sqlite.*not usable"):
        open_client(f"sqlite:///{tmp_path / 'mlflow.db'}")


def test_parameters_are_dotted_text():
    assert flat_parameters({"a": {"b": [1, 2]}, "c": None}) == {"a.b": "[1, 2]", "c": "None"}
    assert len(flat_parameters({"long": "x" * 900})["long"]) == 500


def test_passwords_are_not_shown():
    assert without_password("at http://user:secret@host:5000/x failed") == "at http://…@host:5000/x failed"
