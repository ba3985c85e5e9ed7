"""One function, four doors: how a stage is described and executed.

A stage is `run(config, inputs, outputs) -> counts` over files. `execute` is what a test, `or1 stage`, and the
KFP component (local or cluster) all call: it validates the config, finds the inputs, computes the step key,
reuses a finished result from the store if there is one, runs the stage into a temporary folder, writes the
lineage manifests, and only then moves everything to its final place.
"""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from components.core.config import StrictConfig
from components.core.delivery import deliver, require_free_places
from components.core.digest import content_digest, list_files, sha256_json, sha256_text, source_hash
from components.core.errors import ConfigError
from components.core.files import read_json, require_free_disk, write_json
from components.core.manifest import (
    build_manifest,
    code_commit,
    machine,
    package_versions,
    read_manifest,
    write_manifest,
)
from components.core.ports import SUFFIX, Port, locate_input, main_file

log = logging.getLogger(__name__)

SCRATCH_PREFIX = ".or1-unfinished."
"""Of the folder a step works in; the process id follows."""
Counts = dict[str, Any]
Inputs = Mapping[str, Any]
"""Port name -> Path of its main file (folder for model and folder ports); a list of them for a `many` port;
None for an optional port that is not connected."""
Outputs = Mapping[str, Path]
"""Port name -> Path of the file to write (an existing empty folder for model and folder ports)."""


@dataclass(frozen=True)
class Stage:
    """What the graph needs to know of a stage."""

    name: str
    config: type[StrictConfig]
    run: Callable[[Any, Inputs, Outputs], Counts]
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()


@dataclass
class StepResult:
    """What `execute` hands back: the counts, the step key, seconds, and whether the store had it already."""

    step: str
    key: str
    counts: Counts
    seconds: float
    reused: bool
    digests: dict[str, str] = field(default_factory=dict)
    """Output port -> content digest."""


def execute(
    stage: Stage,
    step: str,
    config: str,
    inputs: Mapping[str, Path | list[Path] | None],
    outputs: Mapping[str, Path],
    store: Path | None = None,
) -> StepResult:
    """Run one step (or reuse it) and leave its outputs at `outputs`.

    `config` is JSON of the stage's own settings. An output path with a file suffix gets the file and
    `NAME.lineage.json` beside it; any other path becomes the port folder. Raises ConfigError, DataError,
    InfraError; then nothing is left under a final name.
    """
    started = time.time()
    settings = stage.config.parse(config, where=f"{step} config")
    located = _locate(stage, inputs)
    missing = {p.name for p in stage.outputs} ^ set(outputs)
    if missing:
        raise ConfigError(
            f"stage {stage.name}: outputs are {[p.name for p in stage.outputs]}; wrong or missing: {sorted(missing)}"
        )
    require_free_places(stage.outputs, outputs, located)
    digests = {n: _digest_of(v) for n, v in located.items()}
    key = sha256_json(
        [stage.name, sha256_text(settings.to_json()), digests, source_hash(stage.run.__module__.split(".")[1])]
    )
    root = store or (Path(os.environ["OR1_STORE"]) if os.environ.get("OR1_STORE") else None)
    finished = root / key if root else None
    record = _finished_record(finished, stage) if finished else None
    reused = record is not None
    if finished and record:
        log.info("%s: reused from the store (key %s)", step, key[:12])
        deliver(stage.outputs, finished, outputs)
    else:
        scratch_parent = root or next(iter(outputs.values())).parent
        scratch_parent.mkdir(parents=True, exist_ok=True)
        require_free_disk(scratch_parent)
        scratch = Path(tempfile.mkdtemp(dir=scratch_parent, prefix=f"{SCRATCH_PREFIX}{os.getpid()}."))
        try:
            record = _run_into(scratch, stage, step, settings, located, key, started)
            if finished:
                _settle(scratch, finished)
            deliver(stage.outputs, finished or scratch, outputs)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return StepResult(step, key, record["counts"], time.time() - started, reused, record["digests"])


def remove_leftovers(store: Path) -> None:
    """Remove what killed processes left unfinished in a store. Other folders, and those of living processes (a second
    run may share the store), stay."""
    for folder in store.glob(f"{SCRATCH_PREFIX}*"):
        process = folder.name.removeprefix(SCRATCH_PREFIX).partition(".")[0]
        if process.isdigit() and not Path(f"/proc/{process}").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _finished_record(finished: Path, stage: Stage) -> dict[str, Any] | None:
    """The record of a stored result, or None. A result whose files no longer have their digests is thrown away."""
    if not (finished / "step.json").exists():
        return None
    record: dict[str, Any] = read_json(finished / "step.json")
    for port in stage.outputs:
        target = main_file(finished / port.name, port)
        if not target.exists() or _digest_of(target) != record["digests"].get(port.name):
            log.warning(
                "store: output '%s' of %s was changed or lost since it was made; running the step again",
                port.name,
                record["step"],
            )
            shutil.rmtree(finished)
            return None
    return record


def _settle(scratch: Path, finished: Path) -> None:
    try:
        scratch.rename(finished)
    except OSError:  # another run finished the same key first; its result is the same
        if not (finished / "step.json").exists():
            raise


def _locate(stage: Stage, inputs: Mapping[str, Path | list[Path] | None]) -> dict[str, Any]:
    unknown = set(inputs) - {p.name for p in stage.inputs}
    if unknown:
        raise ConfigError(
            f"stage {stage.name}: unknown input {sorted(unknown)}; it has {[p.name for p in stage.inputs]}"
        )
    located: dict[str, Any] = {}
    for port in stage.inputs:
        given = inputs.get(port.name)
        if port.many:
            paths = [given] if isinstance(given, Path) else [p for p in (given or []) if p is not None]
            if not paths and not port.optional:
                raise ConfigError(f"stage {stage.name}: input '{port.name}' is missing")
            located[port.name] = [locate_input(p, port) for p in paths]
        elif given is None:
            if not port.optional:
                raise ConfigError(f"stage {stage.name}: input '{port.name}' is missing")
            located[port.name] = None
        else:
            if isinstance(given, list):
                raise ConfigError(f"stage {stage.name}: input '{port.name}' takes one path, got {len(given)}")
            located[port.name] = locate_input(given, port)
    return located


def _digest_of(value: Any) -> Any:
    if isinstance(value, list):
        return [_digest_of(v) for v in value]
    return None if value is None else content_digest(list_files(value))


def _run_into(
    folder: Path, stage: Stage, step: str, settings: StrictConfig, located: dict[str, Any], key: str, started: float
) -> dict[str, Any]:
    """Run the stage with `folder/PORT/` as its outputs, check its accounting, write manifests and step.json."""
    targets = {}
    for port in stage.outputs:
        (folder / port.name).mkdir()
        targets[port.name] = main_file(folder / port.name, port)
    counts = stage.run(settings, located, targets)
    if {"rows_in", "rows_kept", "rows_dropped"} <= set(counts):
        if counts["rows_in"] != counts["rows_kept"] + counts["rows_dropped"]:
            raise AssertionError(
                f"{step}: rows in {counts['rows_in']} != kept {counts['rows_kept']} + dropped {counts['rows_dropped']}"
            )
    description = {
        "name": step,
        "stage": stage.name,
        "config": settings.model_dump(mode="json"),
        "config_digest": sha256_text(settings.to_json()),
        "key": key,
        "source_hash": source_hash(stage.run.__module__.split(".")[1]),
        **code_commit(),
        "image": os.environ.get("OR1_IMAGE", ""),
        "packages": package_versions(),
        "counts": counts,
        "started_at": datetime.fromtimestamp(started, UTC).isoformat(),
        "ended_at": datetime.now(UTC).isoformat(),
        "machine": machine(),
    }
    parents = [p for name, value in located.items() for p in _parents(name, value)]
    digests = {}
    for port in stage.outputs:
        target = targets[port.name]
        if not target.exists():
            raise AssertionError(f"{step}: stage {stage.name} did not write its output '{port.name}'")
        files = list_files(folder / port.name if port.kind not in SUFFIX else target)
        artifact = {"port": port.name, "kind": port.kind, "content_digest": content_digest(files), "files": files}
        if port.kind == "table":
            artifact["rows"] = pq.read_metadata(target).num_rows
        write_manifest(folder / port.name, build_manifest(artifact, description, parents))
        digests[port.name] = artifact["content_digest"]
    record: dict[str, Any] = {"step": step, "stage": stage.name, "key": key, "counts": counts, "digests": digests}
    record["seconds"] = time.time() - started
    write_json(folder / "step.json", record)
    return record


def _parents(port: str, value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    if isinstance(value, list):
        return [p for v in value for p in _parents(port, v)]
    manifest = read_manifest(value)
    if manifest is None:
        return [{"port": port, "content_digest": content_digest(list_files(value))}]
    return [{"port": port, "manifest": manifest}]
