"""The run folder: what `or1 run` leaves behind, written step by step by the steps themselves.

steps/STEP/step.json              step, stage, key, seconds, reused, counts, digests
steps/STEP/PORT/                  the artifact with its lineage.json
steps/STEP/PORT.parquet …         the same file under a short path, with PORT.lineage.json beside it
steps/STEP/model.json             for a model port: a link to model/model.json
steps/.failed-STEP.json           why a step stopped: error type, one sentence, log
logs/STEP.log                     everything that the step logged
"""

import logging
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from components.core.errors import DataError
from components.core.files import read_json, write_json
from components.core.step import SUFFIX, Port, Stage, StepResult, main_file

log = logging.getLogger(__name__)
RECORD_KEYS = {"step", "stage", "key", "seconds", "reused", "counts", "digests"}


def current_run_folder() -> Path | None:
    """The folder of this run, from the environment variable OR1_RUN_DIR, or None outside a run."""
    place = os.environ.get("OR1_RUN_DIR")
    return Path(place) if place else None


@dataclass
class RunStep:
    """One finished step of a run folder, as its step.json says."""

    step: str
    stage: str
    key: str
    seconds: float
    reused: bool
    counts: dict[str, Any]
    digests: dict[str, str]
    folder: Path
    finished_at: str = ""
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Output port -> its lineage manifest, without the ancestors."""

    def file(self, name: str) -> Path | None:
        """A file of the step (`kept.parquet`, `scores.json`…), or None when it is not there."""
        path = self.folder / name
        return path if path.exists() else None

    @property
    def config(self) -> dict[str, Any]:
        """The step's settings as recorded in the manifest of any of its outputs."""
        return next((m["step"]["config"] for m in self.manifests.values()), {})


def read_steps(run_folder: Path) -> list[RunStep]:
    """All finished steps in the order in which they finished. Raises DataError for a folder that is no run."""
    if not (run_folder / "steps").is_dir():
        raise DataError(f"{run_folder}: not a run folder, it has no steps/; give the folder that `or1 run` wrote")
    steps = []
    for path in sorted((run_folder / "steps").glob("[!.]*/step.json")):
        record = read_json(path)
        if not isinstance(record, dict) or not RECORD_KEYS <= record.keys():
            raise DataError(f"{path}: not the record of a step; run the step again")
        manifests = {}
        for port in record["digests"]:
            manifest = path.parent / port / "lineage.json"
            if manifest.exists():
                whole = read_json(manifest)
                if not isinstance(whole, dict):
                    raise DataError(f"{manifest}: not a lineage manifest; run the step again")
                manifests[port] = {k: v for k, v in whole.items() if k != "ancestors"}
        known = {k: record[k] for k in RECORD_KEYS}
        steps.append(
            RunStep(**known, folder=path.parent, finished_at=record.get("finished_at", ""), manifests=manifests)
        )
    return sorted(steps, key=lambda s: (s.finished_at, s.step))


def read_failures(run_folder: Path) -> list[dict[str, Any]]:
    """The records of failed steps (`steps/.failed-STEP.json`)."""
    return [read_json(p) for p in sorted((run_folder / "steps").glob(".failed-*.json"))]


def publish(run_folder: Path, stage: Stage, result: StepResult, outputs: Mapping[str, Path]) -> Path:
    """Put a finished step's outputs under `steps/STEP`, replacing what an earlier run left there.

    Hard links where the disk allows: no second copy of a model, and the run folder stays whole when the
    original is removed."""
    final = run_folder / "steps" / result.step
    building = final.with_name(f".{result.step}.part")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    for port in stage.outputs:
        _publish_port(building, port, outputs[port.name])
    write_json(
        building / "step.json",
        {
            "step": result.step,
            "stage": stage.name,
            "key": result.key,
            "seconds": round(result.seconds, 3),
            "reused": result.reused,
            "counts": result.counts,
            "digests": result.digests,
            "finished_at": datetime.now(UTC).isoformat(),
        },
    )
    shutil.rmtree(final, ignore_errors=True)
    building.rename(final)
    (run_folder / "steps" / f".failed-{result.step}.json").unlink(missing_ok=True)
    return final


def _publish_port(folder: Path, port: Port, source: Path) -> None:
    target = folder / port.name
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link)
    else:  # a lone file with NAME.lineage.json beside it
        target.mkdir()
        _link(source, main_file(target, port))
        _link(source.with_name(f"{source.stem}.lineage.json"), target / "lineage.json")
    if port.kind in SUFFIX:
        main = main_file(target, port)
        _link(main, folder / main.name)
        _link(target / "lineage.json", folder / f"{port.name}.lineage.json")
    elif port.kind == "model":
        (folder / f"{port.name}.json").symlink_to(f"{port.name}/model.json")
        (folder / f"{port.name}.lineage.json").symlink_to(f"{port.name}/lineage.json")


def _link(source: Any, target: Any) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


class StepLog:
    """Context of a running step: its log file, its progress lines, and a record of why it failed.

    Lines of this package go to `logs/STEP.log`; with OR1_PROGRESS set they are also appended to that file as
    `STEP | message`. An exception is recorded in `steps/.failed-STEP.json` and passes on."""

    def __init__(self, run_folder: Path | None, step: str) -> None:
        self.run_folder, self.step = run_folder, step
        self.handlers: list[logging.Handler] = []

    def __enter__(self) -> "StepLog":
        if self.run_folder:
            path = self.run_folder / "logs" / f"{self.step}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            self._add(path, "w", "%(asctime)s %(levelname)s %(name)s: %(message)s", "")
        if progress := os.environ.get("OR1_PROGRESS"):
            Path(progress).parent.mkdir(parents=True, exist_ok=True)
            self._add(Path(progress), "a", f"{self.step.replace('%', '%%')} | %(message)s", "components")
        logging.getLogger("components").setLevel(logging.INFO)
        return self

    def _add(self, path: Path, mode: str, layout: str, logger: str) -> None:
        handler = logging.FileHandler(path, mode=mode, encoding="utf-8")
        handler.setLevel(logging.INFO)
        handler.setFormatter(logging.Formatter(layout))
        logging.getLogger(logger).addHandler(handler)
        self.handlers.append(handler)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            log.error("%s: failed: %s", self.step, error)
            logging.getLogger().error("%s: traceback", self.step, exc_info=error)  # step log only, not the terminal
            if self.run_folder:
                record = {"step": self.step, "error": type(error).__name__, "message": str(error)}
                record["log"] = f"logs/{self.step}.log"
                write_json(self.run_folder / "steps" / f".failed-{self.step}.json", record)
        for handler in self.handlers:
            for logger in (logging.getLogger(), logging.getLogger("components")):
                logger.removeHandler(handler)
            handler.close()
