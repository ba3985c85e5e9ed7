"""Where a stage starts and what it leaves: its own checkpoints, the earlier stage's state, the best weights."""

import logging
import os
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from components.core.digest import content_digest, list_files, sha256_json, source_hash
from components.core.errors import DataError
from components.core.model_files import ModelReference
from components.core.step import Inputs
from components.train import checkpoint
from components.train.checkpoint import Snapshot
from components.train.config import TrainConfig
from components.train.loop import Progress, StageLoop

log = logging.getLogger(__name__)
WITHOUT_EFFECT = {"checkpoint_root", "checkpoint_every_steps", "keep_checkpoints"}
"""Settings that do not change the result, so they may change between a stop and its resume."""


class StageState:
    """The checkpoints of one stage, in a folder named by settings, inputs and code, held alone until the stage ends."""

    def __init__(self, config: TrainConfig, inputs: Inputs, stack: ExitStack) -> None:
        self.config = config
        root = config.checkpoint_root or (Path(p) if (p := os.environ.get("OR1_CHECKPOINTS")) else None)
        self.resumable = root is not None
        if root is None:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="or1-train-")))
            return
        digests = {n: content_digest(list_files(p)) if p else None for n, p in sorted(inputs.items())}
        settings = config.model_dump(mode="json", exclude=WITHOUT_EFFECT)
        self.folder = root / sha256_json([settings, digests, source_hash("train")])[:32]
        stack.enter_context(checkpoint.lease(self.folder))

    def resumed(self) -> Snapshot | None:
        """The newest whole checkpoint of this stage."""
        newest = checkpoint.newest(self.folder)
        if newest is None:
            return None
        log.info("%s: continuing from checkpoint %s", self.config.label, newest.name)
        return checkpoint.load(newest)

    def after_step(self, loop: StageLoop, is_best: bool) -> None:
        """Save the best weights (`select: best`), and the state to resume from when that is due."""
        done, config = loop.progress.stage_step, loop.config
        keep_best = is_best and config.select == "best"
        due = self.resumable and (done % config.checkpoint_every_steps == 0 or done == config.num_steps)
        if not (keep_best or due):
            return
        taken = snapshot(loop)
        if keep_best:
            checkpoint.save(self.folder / "best", taken)
        if due:
            checkpoint.save(checkpoint.step_folder(self.folder, done), taken)
            checkpoint.prune(self.folder, config.keep_checkpoints)

    def chosen(self, loop: StageLoop) -> Snapshot:
        """The weights and state that the stage hands on."""
        best = loop.progress.best
        if loop.config.select == "best" and best:
            log.info("%s: best held-out accuracy %.3f at step %d", loop.config.label, best["accuracy"], best["step"])
            return checkpoint.load(self.folder / "best")
        return snapshot(loop)


def snapshot(loop: StageLoop) -> Snapshot:
    return Snapshot(loop.ranks.weights(), loop.ranks.optimizer_state(), loop.state())


def carried_state(folder: Path | None, reference: ModelReference) -> Snapshot | None:
    """The earlier stage's optimizer, controller, step counter and float32 weights. Raises DataError."""
    if folder is None:
        return None
    earlier = checkpoint.load(folder)
    if earlier.state.get("model_digest") != reference.digest:
        raise DataError(f"{folder}: this checkpoint was written beside another model than the one given as 'model'")
    progress = Progress(step=earlier.state["step"])
    state = {"controller": earlier.state["controller"], "progress": asdict(progress)}
    return Snapshot(earlier.weights, earlier.optimizer, state)


def write_carried_state(folder: Path, final: Snapshot, stage_index: int, trained: ModelReference) -> None:
    """What the next stage starts from (its input `checkpoint_before`)."""
    state = {
        "step": final.state["progress"]["step"],
        "controller": final.state["controller"],
        "model_digest": trained.digest,
        "stage": stage_index,
    }
    checkpoint.write(folder, Snapshot(final.weights, final.optimizer, state))
