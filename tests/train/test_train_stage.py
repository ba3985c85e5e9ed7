"""The whole stage on a model that guesses digits: real engine, grader and trainer; stop and resume; two stages."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from small_models import write_digit_problems

from components.core.errors import ConfigError, DataError
from components.core.files import read_json, read_jsonl
from components.core.model_files import read_model_json
from components.core.step import execute
from components.train.run import STAGE

PORTS = ("model", "exposures", "metrics", "checkpoint")
SETTINGS = {
    "num_steps": 5, "num_prompts": 4, "group_size": 8, "max_prompt_tokens": 64, "max_response_tokens": 24,
    "learning_rate": 3e-3, "validation": {"every_steps": 3, "num_problems": 4, "num_samples": 2},
    "checkpoint_every_steps": 1, "sampler": {"engine": "transformers", "num_workers": 0},
    "verifier": {"num_workers": 1},
}  # fmt: skip
NOT_TIMES = ("train/", "dev/", "step", "stage")
SCRIPT = (
    "import sys, json; from pathlib import Path; from test_train_stage import train; train(*json.loads(sys.argv[1]))"
)


def train(model: str, problems: str, out: str, settings: dict, **more):
    outputs = {port: Path(out) / port for port in PORTS}
    inputs = {"problems": Path(problems), "model": Path(model), **more}
    return execute(STAGE, "train", json.dumps({**SETTINGS, **settings}), inputs, outputs)


def numbers(out: Path) -> list[dict]:
    rows = read_jsonl(out / "metrics" / "metrics.jsonl")
    return [{k: v for k, v in row.items() if k.startswith(NOT_TIMES)} for row in rows]


def tables(out: Path) -> list[dict]:
    return pq.read_table(out / "exposures" / "exposures.parquet").to_pylist()


@pytest.fixture(scope="module")
def problems(tmp_path_factory) -> Path:
    return write_digit_problems(tmp_path_factory.mktemp("digits") / "problems.parquet")


@pytest.fixture(scope="module")
def ray_here():
    from components.sample.ray_cluster import start_ray, stop_ray

    start_ray()
    yield
    stop_ray()


@pytest.fixture(scope="module")
def unbroken(guesser, problems, tmp_path_factory, ray_here) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("unbroken")
    result = train(str(guesser), str(problems), str(out), {})
    return out, result


def test_one_row_a_step_with_finite_numbers(unbroken):
    out, result = unbroken
    rows = read_jsonl(out / "metrics" / "metrics.jsonl")
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["dev/accuracy"] is not None for row in rows] == [False, False, True, False, True]
    assert all(0 < row["train/accuracy_before_rejection"] < 1 for row in rows)
    for row in rows:
        assert row["train/groups_total"] == 4
        # The first update is on-policy: nothing clipped, and the engine's log-probs are the trainer's own.
        assert row["train/clip_fraction"] == 0 and row["train/logprob_mismatch_max"] < 1e-4
        assert row["train/entropy"] > 0 and row["train/gradient_norm"] > 0
        assert min(row["time/rollout_s"], row["time/train_s"], row["time/other_s"]) >= 0
    coefficients = [row["train/entropy_coefficient"] for row in rows]
    for before, after, row in zip(coefficients, coefficients[1:], rows, strict=False):
        change = 1e-4 if row["train/entropy"] < 0.2 else -1e-4
        assert after == pytest.approx(max(0.0, before + change), abs=1e-12)
    assert result.counts["problems_held_out"] == 4 and result.counts["steps"] == 5


def test_exposures_agree_with_the_metrics(unbroken):
    out, _ = unbroken
    rows = tables(out)
    assert len(rows) == 20 and len({row["problem_id"] for row in rows}) == 20
    for metric in numbers(out):
        mine = [row for row in rows if row["step"] == metric["step"]]
        assert sum(r["used"] for r in mine) == metric["train/groups_kept"]
        correct, graded = (sum(r[k] for r in mine) for k in ("num_correct", "num_graded"))
        assert correct / graded == metric["train/accuracy_before_rejection"]
        assert all(r["used"] == (0 < r["num_correct"] < r["num_graded"]) for r in mine)


def test_trained_model_loads_and_names_its_parent(unbroken, guesser):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    out, _ = unbroken
    model = AutoModelForCausalLM.from_pretrained(out / "model")
    assert AutoTokenizer.from_pretrained(out / "model").chat_template
    old = AutoModelForCausalLM.from_pretrained(guesser)
    assert any((a != b).any() for a, b in zip(model.parameters(), old.parameters(), strict=True))
    reference = read_model_json(out / "model")
    assert reference.parent == read_model_json(guesser).digest and reference.licence == "Apache-2.0"


def test_killed_stage_continues_and_ends_the_same(unbroken, guesser, problems, tmp_path):
    root = tmp_path / "checkpoints"
    arguments = [str(guesser), str(problems), str(tmp_path / "killed"), {"checkpoint_root": str(root)}]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    here = Path(__file__).parent
    environment["PYTHONPATH"] = f"{here.parents[1]}:{here}"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, json.dumps(arguments)], env=environment)
    deadline = time.monotonic() + 300
    while not list(root.glob("*/step_000002")):
        assert process.poll() is None, "the stage ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not [port for port in PORTS if (tmp_path / "killed" / port).exists()]
    newest = sorted(root.glob("*/step_*"))[-1]
    # The last one may have been damaged by whatever killed the run.
    (newest / "model.safetensors").write_bytes(b"")
    train(*arguments)
    out = unbroken[0]
    assert numbers(tmp_path / "killed") == numbers(out)
    assert tables(tmp_path / "killed") == tables(out)
    assert read_model_json(tmp_path / "killed" / "model").digest == read_model_json(out / "model").digest


def test_second_stage_carries_optimizer_controller_and_steps(unbroken, guesser, problems, tmp_path):
    first = unbroken[0]
    result = train(
        str(first / "model"), str(problems), str(tmp_path), {"num_steps": 1, "stage_index": 2, "num_updates": 2},
        checkpoint_before=first / "checkpoint", exposures_before=first / "exposures",
    )  # fmt: skip
    row = numbers(tmp_path)[0]
    last = numbers(first)[-1]
    change = 1e-4 if last["train/entropy"] < 0.2 else -1e-4
    assert row["step"] == 6 and row["stage"] == 2
    assert row["train/entropy_coefficient"] == pytest.approx(max(0.0, last["train/entropy_coefficient"] + change))
    state = read_json(tmp_path / "checkpoint" / "state.json")
    assert state["step"] == 6 and state["model_digest"] == read_model_json(tmp_path / "model").digest
    assert len(tables(tmp_path)) == 24 and tables(tmp_path)[:20] == tables(first)
    solved = [r for r in tables(first) if r["num_correct"] == r["num_graded"]]
    assert result.counts["problems_solved_before"] == len(solved)
    from safetensors.numpy import load_file

    steps = {
        k: float(v) for k, v in load_file(tmp_path / "checkpoint" / "optimizer.safetensors").items() if "step" in k
    }
    updates = sum(1 for r in numbers(first) if r["train/loss"] is not None) + min(2, row["train/groups_kept"])
    assert set(steps.values()) == {float(updates)}


def test_a_checkpoint_of_another_model_is_refused(unbroken, guesser, problems, tmp_path):
    with pytest.raises(DataError, match="another model"):
        train(str(guesser), str(problems), str(tmp_path), {}, checkpoint_before=unbroken[0] / "checkpoint")
    assert not list(tmp_path.iterdir())


def test_wrong_settings_are_named(guesser, problems, tmp_path):
    with pytest.raises(ConfigError, match="max_position_embeddings"):
        train(str(guesser), str(problems), str(tmp_path), {"max_response_tokens": 1000})
    with pytest.raises(ConfigError, match="num_updates"):
        train(str(guesser), str(problems), str(tmp_path), {"num_updates": 3})
    with pytest.raises(DataError, match="max_prompt_tokens"):
        train(str(guesser), str(problems), str(tmp_path), {"max_prompt_tokens": 3})
