import json

import numpy as np
import pytest

from components.core.errors import DataError, InfraError
from components.train import checkpoint
from components.train.checkpoint import Snapshot


def snapshot(value: float) -> Snapshot:
    weights = {"w": np.full((3, 2), value, np.float32), "b": np.zeros(4, np.float32)}
    optimizer = {"w.exp_avg": np.ones((3, 2), np.float32), "w.step": np.array(5, np.float32)}
    return Snapshot(weights, optimizer, {"progress": {"step": int(value)}, "controller": {"coefficient": 0.1 + 0.2}})


def test_what_is_saved_is_loaded(tmp_path):
    checkpoint.save(tmp_path / "step_000001", snapshot(1))
    back = checkpoint.load(tmp_path / "step_000001")
    assert np.array_equal(back.weights["w"], np.full((3, 2), 1, np.float32))
    assert back.optimizer["w.step"].shape == () and back.state == snapshot(1).state


def test_no_optimizer_state_before_the_first_update(tmp_path):
    checkpoint.save(tmp_path / "step_000000", Snapshot({"w": np.zeros(2, np.float32)}, {}, {}))
    assert checkpoint.load(tmp_path / "step_000000").optimizer == {}


@pytest.mark.parametrize("damage", ["truncate", "flip", "remove", "no manifest", "bad manifest"])
def test_a_damaged_newest_checkpoint_is_passed_over(tmp_path, damage):
    for step in (1, 2):
        checkpoint.save(checkpoint.step_folder(tmp_path, step), snapshot(step))
    newest = checkpoint.step_folder(tmp_path, 2)
    weights = newest / "model.safetensors"
    raw = bytearray(weights.read_bytes())
    if damage == "truncate":
        weights.write_bytes(raw[:-3])
    elif damage == "flip":
        raw[-1] ^= 1
        weights.write_bytes(raw)
    elif damage == "remove":
        (newest / "state.json").unlink()
    elif damage == "no manifest":
        (newest / "manifest.json").unlink()
    else:
        (newest / "manifest.json").write_text(json.dumps({"files": "x"})[:-4])
    assert checkpoint.newest(tmp_path) == checkpoint.step_folder(tmp_path, 1)
    with pytest.raises(DataError, match="not a usable checkpoint"):
        checkpoint.load(newest)


def test_a_half_written_folder_is_never_seen_and_old_ones_go(tmp_path):
    (tmp_path / ".step_000009.part").mkdir()
    for step in (1, 2, 3):
        checkpoint.save(checkpoint.step_folder(tmp_path, step), snapshot(step))
    checkpoint.prune(tmp_path, 2)
    assert sorted(p.name for p in tmp_path.glob("step_*")) == ["step_000002", "step_000003"]
    assert checkpoint.newest(tmp_path).name == "step_000003"
    assert checkpoint.newest(tmp_path / "nothing") is None


def test_two_runs_cannot_write_to_one_folder(tmp_path):
    with checkpoint.lease(tmp_path / "run"):
        with pytest.raises(InfraError, match="another run"), checkpoint.lease(tmp_path / "run"):
            pass
    with checkpoint.lease(tmp_path / "run"):
        pass
