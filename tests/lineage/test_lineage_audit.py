"""Trace, verify, record, licences and diff on a real chain of artifacts, and every way in which it can be broken."""

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "track"))
from run_folder_fixture import build_run, run_step  # noqa: E402

from components.core.errors import AuditError, DataError  # noqa: E402
from components.core.files import read_json, write_json  # noqa: E402
from components.core.manifest import manifest_digest  # noqa: E402
from components.core.records import read_dropped, read_problems, write_problems  # noqa: E402
from components.lineage.diff import diff, render_diff  # noqa: E402
from components.lineage.licences import licences, render_licences  # noqa: E402
from components.lineage.record import find_record, render_record  # noqa: E402
from components.lineage.trace import render_trace, trace  # noqa: E402
from components.lineage.verify import render_verify, verify  # noqa: E402


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return build_run(tmp_path_factory.mktemp("lineage"), patch, until="train-2")


@pytest.fixture
def run(built, tmp_path):
    """A copy that a test may damage."""
    shutil.copytree(built, tmp_path / "run", symlinks=True)
    return tmp_path / "run"


def rewrite_manifest(folder: Path, change) -> None:
    """Change a manifest and give it the digest that fits: a consistent forgery of one artifact."""
    manifest = read_json(folder / "lineage.json")
    change(manifest)
    manifest["manifest_digest"] = manifest_digest(manifest)
    write_json(folder / "lineage.json", manifest)


def test_trace_reaches_every_source(run):
    traced = trace(run / "steps" / "train-2" / "model.json")
    steps = {node["step"] for node in traced["nodes"].values()}
    assert {"ingest-taco", "filter", "dedup", "base_model", "difficulty", "mix", "train-1", "train-2"} <= steps
    assert [s["step"] for s in traced["sources"]] == [
        "base_model", "ingest-deepscaler", "ingest-numinamath", "ingest-taco"
    ]  # fmt: skip
    assert all(edge["parent"] in traced["nodes"] for edge in traced["edges"])
    text = render_trace(traced)
    assert text.startswith("train-2 › model") and "ingest-taco › kept  [19 rows" in text and "(shown above)" in text
    json.dumps(traced)


@pytest.mark.parametrize("name", ["model.json", "model", "model/lineage.json", "model.lineage.json"])
def test_any_of_its_paths_means_the_model(run, name):
    result = verify(run / "steps" / "train-2" / name)
    assert result["ok"] and result["port"] == "model" and result["files_checked"] == 5


def test_intact_chain_is_unanchored_until_a_digest_is_given(run):
    target = run / "steps" / "mix" / "kept.parquet"
    result = verify(target)
    assert result["anchor"] == "unanchored" and result["ancestors_absent"] == []
    assert len(result["ancestors_present"]) == result["manifests_checked"] - 1 == 11
    assert "unanchored" in render_verify(result) and "intact" in render_verify(result)
    assert verify(target, expect=result["manifest_digest"])["anchor"] == "expected digest (manifest)"
    assert (
        verify(target, expect=f"sha256:{result['content_digest'][:16]}")["anchor"] == "expected digest (content only)"
    )
    for wrong in ("0" * 64, result["manifest_digest"][:4]):
        with pytest.raises(AuditError, match="expected digest"):
            verify(target, expect=wrong)


def test_changed_missing_and_added_files(run):
    model = run / "steps" / "train-2" / "model"
    (model / "config.json").unlink()
    (model / "config.json").write_text("{}")
    with pytest.raises(AuditError, match="config.json: its content was changed"):
        verify(model)
    (model / "config.json").unlink()
    with pytest.raises(AuditError, match="config.json: listed in the lineage and not there"):
        verify(model)
    shutil.copy(run / "steps" / "train-1" / "model" / "config.json", model)
    (model / "extra.bin").write_text("x")
    with pytest.raises(AuditError, match="extra.bin: not listed"):
        verify(model)


@pytest.mark.parametrize("place", ["kept.parquet", "kept/kept.parquet"])
def test_changed_ancestor_file_is_found_in_the_run_folder(run, place):
    target = run / "steps" / "dedup" / place
    problems = read_problems(target)
    target.unlink()
    write_problems(target, problems[1:])
    with pytest.raises(AuditError, match="dedup/.*its content was changed"):
        verify(run / "steps" / "train-2" / "model.json")
    alone = shutil.copytree(run / "steps" / "train-2" / "model", run.parent / "alone")
    assert verify(alone)["ok"]  # the model alone can't see it
    with pytest.raises(AuditError, match="its content was changed"):
        verify(alone, run_dir=run)


def test_changed_manifest_values_are_found(run):
    folder = run / "steps" / "mix" / "kept"
    manifest = read_json(folder / "lineage.json")
    manifest["step"]["counts"]["rows_in"] = 1
    write_json(folder / "lineage.json", manifest)
    with pytest.raises(AuditError, match="the manifest of mix › kept was changed"):
        verify(folder)
    with pytest.raises(AuditError, match="mix"):  # seen from below as well
        verify(run / "steps" / "train-2" / "model.json")


def test_changed_removed_and_stray_ancestors_are_found(run):
    folder = run / "steps" / "mix" / "kept"

    def ancestor(manifest, step):
        return next(d for d, a in manifest["ancestors"].items() if a["step"]["name"] == step)

    original = read_json(folder / "lineage.json")
    digest = ancestor(original, "dedup")
    changed = json.loads(json.dumps(original))
    changed["ancestors"][digest]["step"]["config"]["quality"] = 9
    write_json(folder / "lineage.json", changed)
    with pytest.raises(AuditError, match="decontaminate ← problems: the manifest of dedup › kept was changed"):
        verify(folder)
    removed = json.loads(json.dumps(original))
    del removed["ancestors"][digest]
    write_json(folder / "lineage.json", removed)
    with pytest.raises(AuditError, match="decontaminate ← problems: the parent manifest .* is missing"):
        verify(folder)
    stray = json.loads(json.dumps(original))
    stray["ancestors"]["f" * 64] = stray["ancestors"][digest]
    write_json(folder / "lineage.json", stray)
    with pytest.raises(AuditError, match="ancestor ffffffffffff is not connected"):
        verify(folder)


def test_consistent_forgery_shows_only_against_the_anchor(run):
    folder = run / "steps" / "mix" / "kept"
    kept = verify(folder)["manifest_digest"]
    rewrite_manifest(folder, lambda manifest: manifest["step"]["counts"].update(rows_in=1, rows_dropped=0))
    (run / "steps" / "mix" / "kept.lineage.json").unlink()
    shutil.copy(folder / "lineage.json", run / "steps" / "mix" / "kept.lineage.json")
    assert verify(folder)["anchor"] == "unanchored"
    with pytest.raises(AuditError, match="expected digest"):
        verify(folder, expect=kept)


def test_nothing_to_audit_is_said(run, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        verify(tmp_path / "nothing")
    (tmp_path / "lone.json").write_text("{}")
    with pytest.raises(AuditError, match="no lineage.json"):
        trace(tmp_path / "lone.json")
    write_json(tmp_path / "lone.lineage.json", {"format": "other/9"})
    with pytest.raises(AuditError, match="not of format or1-lineage/1"):
        verify(tmp_path / "lone.json")


def test_record_tells_the_life_of_a_row(run):
    dropped = read_dropped(run / "steps" / "dedup" / "dropped.parquet")[0]
    found = find_record(run, dropped.row_id[:12])
    match = found["matches"][0]
    assert found["num_matches"] == 1 and match["row_id"] == dropped.row_id
    assert [(n["step"], n["decision"]) for n in match["history"]][-1] == ("dedup", "dropped")
    assert match["history"][-1]["reason"] == "near_duplicate"
    assert match["history"][-1]["evidence"]["similarity"] == 0.93
    assert match["source"]["licence"] in ("apache-2.0", "mit")
    used = next(p for p in read_problems(run / "steps" / "mix" / "kept.parquet") if p.source.name == "taco")
    match = find_record(run, used.row_id)["matches"][0]
    assert match["pass_rates"][0]["num_correct"] == used.num_correct
    assert match["exposures"] and all(e["row_id"] == used.row_id for e in match["exposures"])
    assert match["completions"] == [
        {"step": "difficulty", "num_samples": 8,
         "statuses": {"correct": used.num_correct, "wrong": 8 - used.num_correct}}
    ]  # fmt: skip
    text = render_record(find_record(run, used.row_id))
    assert f"solved {used.num_correct} of 8" in text and "train-2" in text


def test_record_by_text_ignores_case_and_spaces(run):
    found = find_record(run, "a FARMER  has 5 hens")
    assert {m["source"]["name"] for m in found["matches"]} == {"numinamath", "deepscaler"}
    many = find_record(run, "farmer")
    assert len(many["matches"]) == 20 < many["num_matches"] and "more" in render_record(many)
    with pytest.raises(DataError, match="no row with id or text 'no such words'"):
        find_record(run, "no such words")


def test_licences_of_what_reached_training(run):
    found = licences(run)
    kept = read_problems(run / "steps" / "mix" / "kept.parquet")
    assert found["step"] == "mix" and sum(found["rows"].values()) == len(kept)
    assert found["rows"]["mit"] == sum(p.source.name == "taco" for p in kept)
    assert found["models"] == {"base_model": "apache-2.0", "train-1": "apache-2.0", "train-2": "apache-2.0"}
    assert "taco" in render_licences(found)


def test_diff_names_the_first_cause(run, built, tmp_path, monkeypatch):
    assert diff(run, built) == {"same": True, "only_a": [], "only_b": [], "steps": {}}
    shutil.copytree(built.parent / "work", tmp_path / "work")
    monkeypatch.setenv("OR1_RUN_DIR", str(run))
    run_step(tmp_path, "difficulty", "difficulty", {"quality": 0.5}, problems="decontaminate/kept",
             model="base_model/model")  # fmt: skip
    found = diff(built, run)
    assert found["same"] and list(found["steps"]) == ["difficulty"]
    assert found["steps"]["difficulty"]["settings"] == {"quality": [0.0, 0.5]}
    assert "settings quality: 0.0 → 0.5" in render_diff(found)
    models = diff(built / "steps" / "train-1" / "model.json", built / "steps" / "train-2" / "model.json")
    assert not models["same"] and models["only_b"] == ["train-2"]
