"""The whole graph for real, in small: every step through kfp.local, the fate of every planted row, lineage, reuse,
a killed run that continues to the same result, and the graph on vLLM."""

import html
import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from components.core.files import read_json, read_jsonl
from pipelines.recipe import load_recipe

ROOT = Path(__file__).resolve().parents[2]
SMALL = [
    "difficulty.max_problems_math=48", "difficulty.max_problems_code=16", "difficulty.rollouts_math=4",
    "difficulty.rollouts_code=4", "benchmarks.tiny_math.num_samples=2", "benchmarks.tiny_code.num_samples=2",
    "train.num_prompts=8", "train.group_size=4", "train.stages.0.num_steps=2", "train.stages.1.num_steps=2",
]  # fmt: skip
pytestmark = pytest.mark.slow


def or1(*arguments, check=True, **popen):
    command = [sys.executable, "-m", "pipelines.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, **popen)
    assert not check or done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def settings(*more):
    return [part for setting in (*SMALL, *more) for part in ("--set", setting)]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "tiny"
    or1("run", "tiny", "--output", folder, *settings("sampler.engine=transformers"))
    return folder


def digests(folder, steps):
    return {step: read_json(folder / "steps" / step / "step.json")["digests"] for step in steps}


def rows(folder, step, table):
    return pq.read_table(folder / "steps" / step / f"{table}.parquet").to_pylist()


def test_every_planted_row_meets_its_fate(run_folder):
    truth = read_jsonl(ROOT / "components/world/data/truth.jsonl")
    assert len(truth) > 250
    kept = {(r["source"]["name"], r["source"]["row"]) for r in rows(run_folder, "decontaminate", "kept")}
    place = {}
    for source in {t["source"] for t in truth}:
        for row in rows(run_folder, f"ingest-{source}", "kept"):
            place[row["row_id"]] = (source, row["source"]["row"])
    fates = {}
    for step in ("filter", "answers", "validate_tests", "dedup", "decontaminate"):
        for row in rows(run_folder, step, "dropped"):
            fates[place[row["row_id"]]] = (step, row["reason"])
    faults = []
    for planted in truth:
        where = (planted["source"], planted["row"])
        if planted["expected"] == "kept":
            if where not in kept:
                faults.append((planted["case"], where, fates.get(where, "lost in ingest")))
        elif where in fates:
            step, reason = fates[where]
            if step not in planted["stage"] or reason not in planted["reason"]:
                faults.append((planted["case"], where, fates[where]))
        elif "ingest" not in planted["stage"] or where in kept:
            faults.append((planted["case"], where, "kept"))
    assert not faults


def test_no_row_is_lost(run_folder):
    for step in sorted(p.name for p in (run_folder / "steps").iterdir() if not p.name.startswith(".")):
        counts = read_json(run_folder / "steps" / step / "step.json")["counts"]
        if "rows_in" in counts:
            assert counts["rows_in"] == counts["rows_kept"] + counts["rows_dropped"] > 0, step


def test_ports_and_lineage_of_every_step(run_folder):
    for step in load_recipe("tiny").steps():
        folder = run_folder / "steps" / step.name
        record = read_json(folder / "step.json")
        for port in record["digests"]:
            assert (folder / port / "lineage.json").exists(), f"{step.name}.{port}"
    assert (run_folder / "steps/train-2/model.json").exists()
    verified = json.loads(or1("audit", "verify", run_folder / "steps/train-2/model", "--json").stdout)
    assert "unanchored" in json.dumps(verified)
    trace = or1("audit", "trace", run_folder / "steps/register/version.json").stdout
    assert all(name in trace for name in ("train-1", "mix", "decontaminate", "ingest-taco"))


def test_a_changed_byte_is_found(run_folder, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(run_folder / "steps", copy / "steps", symlinks=True)
    weights = copy / "steps/train-1/model/model.safetensors"
    damaged = bytearray(weights.read_bytes())
    damaged[-1] ^= 1
    weights.unlink()
    weights.write_bytes(damaged)
    result = or1("audit", "verify", copy / "steps/train-1/model", check=False)
    assert result.returncode == 3 and "model.safetensors" in result.stderr + result.stdout


def test_report_escapes_and_stands_alone(run_folder):
    page = (run_folder / "report.html").read_text()
    assert "Content-Security-Policy" in page and "default-src 'none'" in html.unescape(page)
    assert "<script" not in page.lower() and "http-equiv" in page
    assert "tiny_math" in page and "tiny_code" in page and "<svg" in page
    assert (run_folder / "metrics.jsonl").stat().st_size > 1000


def test_training_metrics_are_whole(run_folder):
    for stage, number in (("train-1", 2), ("train-2", 2)):
        table = read_jsonl(run_folder / f"steps/{stage}/metrics.jsonl")
        assert len(table) == number
        assert all(0 <= row["train/accuracy_before_rejection"] <= 1 for row in table)
        assert all(row["train/groups_total"] == 8 for row in table)


def test_a_second_run_reuses_every_step(run_folder):
    before = (run_folder / "steps/train-2/model/model.safetensors").stat().st_mtime_ns
    result = json.loads(
        or1("run", "tiny", "--output", run_folder, "--json", *settings("sampler.engine=transformers")).stdout
    )
    assert all(step["reused"] for step in result["steps"])
    assert (run_folder / "steps/train-2/model/model.safetensors").stat().st_mtime_ns == before


def test_a_killed_run_continues_to_the_same_result(run_folder, tmp_path):
    """SIGKILL in the middle, start again: finished steps are reused, and every artifact equals the other run's; the
    training metrics too, times excepted."""
    output = tmp_path / "killed"
    command = [sys.executable, "-m", "pipelines.cli", "run", "tiny", "--output", str(output)]
    command += settings("sampler.engine=transformers")
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not (output / "logs/validate_tests.log").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (output / "steps/validate_tests/step.json").exists()
    result = json.loads(
        or1("run", "tiny", "--output", output, "--json", *settings("sampler.engine=transformers")).stdout
    )
    reused = {step["step"] for step in result["steps"] if step["reused"]}
    assert {"filter", "answers", "ingest-taco"} <= reused and "validate_tests" not in reused
    steps = [step["step"] for step in result["steps"]]
    first, second = digests(run_folder, steps), digests(output, steps)
    for ports in (*first.values(), *second.values()):
        ports.pop("metrics", None)  # holds times
    assert second == first
    assert training_numbers(output) == training_numbers(run_folder)


def training_numbers(folder):
    rows = [row for n in (1, 2) for row in read_jsonl(folder / f"steps/train-{n}/metrics.jsonl")]
    return [{name: value for name, value in row.items() if not name.startswith("time/")} for row in rows]


def test_failures_name_step_and_log(tmp_path):
    done = or1(
        "run",
        "tiny",
        "--until",
        "filter",
        "--output",
        tmp_path,
        "--set",
        "data.sources.0.files=[gone.jsonl]",
        check=False,
    )
    assert done.returncode == 1
    assert "ingest-numinamath failed" in done.stderr and "gone.jsonl" in done.stderr and "log: " in done.stderr
    assert not (tmp_path / "steps/ingest-numinamath").exists()


@pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed here")
def test_the_graph_on_vllm(run_folder, tmp_path):
    """Rollouts, weight sync and evaluation with vLLM engines; the data steps come from the first run's store."""
    workers = [f"{section}sampler.num_workers=1" for section in ("", "difficulty.", "evaluate.")]
    more = ["sampler.engine=vllm", *workers]
    until = ["--until", "evaluate-1"]
    or1("run", "tiny", "--output", tmp_path, "--store", run_folder / "store", *until, *settings(*more))
    scores = read_json(tmp_path / "steps/evaluate-1/scores.json")
    assert scores["benchmarks"]["tiny_math"]["num_problems"] == 168
    assert 0.1 < scores["benchmarks"]["tiny_math"]["avg_at_k"] < 0.95
