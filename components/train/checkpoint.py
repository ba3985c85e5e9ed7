"""Training state on disk: safetensors and JSON only, whole or absent, checked by hash before it is used.

    step_000020/model.safetensors  optimizer.safetensors  state.json  manifest.json (sha256 and size of the others)

Written under a temporary name, flushed to disk, then renamed. A resume takes the newest folder whose manifest
verifies. Tensors are whole, so another number of ranks can load them.
"""

import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from components.core.digest import list_files
from components.core.errors import DataError, InfraError
from components.core.files import read_json, require_free_disk, write_json

log = logging.getLogger(__name__)
FORMAT = "or1-checkpoint/1"
MANIFEST = "manifest.json"
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Snapshot:
    """Everything that training continues from."""

    weights: Arrays
    """Parameter name -> float32 array."""
    optimizer: Arrays
    """`PARAMETER.exp_avg` and so on; empty before the first update."""
    state: dict[str, Any]
    """JSON values: step counters, controller, history."""


def write(folder: Path, snapshot: Snapshot) -> None:
    """Write the files of a snapshot and their manifest into an existing folder. Raises InfraError (disk)."""
    from safetensors.numpy import save_file

    try:
        save_file(snapshot.weights, folder / "model.safetensors")
        save_file(snapshot.optimizer, folder / "optimizer.safetensors")
        write_json(folder / "state.json", {"format": FORMAT, **snapshot.state})
        write_json(folder / MANIFEST, {"files": [f for f in list_files(folder) if f["path"] != MANIFEST]})
        for path in (*folder.iterdir(), folder):
            _flush(path)
    except OSError as error:
        raise InfraError(f"{folder}: the checkpoint could not be written ({error.strerror or error})") from error


def save(folder: Path, snapshot: Snapshot) -> None:
    """As `write`, but `folder` is there whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    size = sum(a.nbytes for part in (snapshot.weights, snapshot.optimizer) for a in part.values())
    require_free_disk(folder.parent, size + (50 << 20))
    temporary = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        write(temporary, snapshot)
        shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)
        _flush(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fault(folder: Path) -> str:
    """What is wrong with a checkpoint folder, by its manifest; empty when it is whole."""
    try:
        recorded = read_json(folder / MANIFEST)["files"]
        found = {f["path"]: f for f in list_files(folder)}
        for file in recorded:
            if found.get(file["path"]) != file:
                return f"{file['path']} is missing or was changed"
        return "" if {"model.safetensors", "state.json"} <= {f["path"] for f in recorded} else "files are missing"
    except (DataError, KeyError, TypeError, OSError) as error:
        return f"its manifest can't be read ({error})"


def load(folder: Path) -> Snapshot:
    """Read a checkpoint. Raises DataError when it is not whole or of another format."""
    from safetensors.numpy import load_file

    if problem := fault(folder):
        raise DataError(f"{folder}: not a usable checkpoint: {problem}")
    state = read_json(folder / "state.json")
    if state.pop("format", None) != FORMAT:
        raise DataError(f"{folder}: not a checkpoint of format {FORMAT}")
    return Snapshot(load_file(folder / "model.safetensors"), load_file(folder / "optimizer.safetensors"), state)


def step_folder(root: Path, step: int) -> Path:
    return root / f"step_{step:06d}"


def newest(root: Path) -> Path | None:
    """The newest whole checkpoint under `root`; damaged ones are passed over with a warning."""
    for folder in sorted(root.glob("step_*"), reverse=True):
        problem = fault(folder)
        if not problem:
            return folder
        log.warning("checkpoint %s is passed over: %s", folder.name, problem)
    return None


def prune(root: Path, keep: int) -> None:
    """Delete all but the newest `keep` checkpoints."""
    for folder in sorted(root.glob("step_*"), reverse=True)[keep:]:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def lease(root: Path) -> Iterator[None]:
    """Hold `root` alone while training writes there; the system lets go when the process ends, however it ends.
    Raises InfraError when another run holds it."""
    root.mkdir(parents=True, exist_ok=True)
    with open(root / "lease", "w", encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InfraError(f"{root}: another run of this very stage writes here; wait for it or end it") from error
        yield
