"""`or1 run`: the compiled graph on this machine through kfp.local, step by step, with a store that makes it resumable.

Every step runs in its own process through the same KFP component as on a cluster. A step whose key (stage,
config, input digests, source hash) is in the store is not run again, so a killed run continues where it was.

    DIR/steps/STEP/   outputs of each step       DIR/store/      results by key
    DIR/logs/         one log a step             DIR/report.html DIR/metrics.jsonl
"""

import contextlib
import fcntl
import json
import logging
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from components.core.errors import ConfigError, InfraError
from components.core.files import require_free_disk, write_json
from components.core.step import remove_leftovers
from pipelines.recipe import Recipe, expand
from pipelines.steps import PlannedStep, up_to
from pipelines.terminal import printable

log = logging.getLogger(__name__)
LOCK = ".lock"


class StepFailed(InfraError):
    """A step failed; the message names it, what went wrong, and its log."""


def run_recipe(recipe: Recipe, output: Path, until: str = "", store: Path | None = None) -> list[dict[str, Any]]:
    """Run the graph and return one record per step (name, seconds, reused, counts). Raises ConfigError before any
    work when a setting is wrong, StepFailed when a step fails."""
    expand(recipe)
    steps = up_to(recipe.steps(), until) if until else recipe.steps()
    output = output.resolve()
    _require_run_folder(output)
    output.mkdir(parents=True, exist_ok=True)
    require_free_disk(output)
    with _only_run_in(output):
        _prepare(output, recipe, store, {step.name for step in steps})
        started = time.time()
        with _progress_on_terminal(output / "logs" / "progress.log"):
            _run_graph(recipe, until, output, steps)
        records = step_records(output, steps)
        _finish(output, recipe.name, records, time.time() - started)
    return records


def _require_run_folder(output: Path) -> None:
    """A run tidies its folder, so it takes none that holds other things."""
    if output.exists() and not output.is_dir():
        raise ConfigError(f"--output {output}: is a file; name a folder")
    names = {path.name for path in output.iterdir()} if output.exists() else set()
    if names - {LOCK} and "recipe.json" not in names:
        raise ConfigError(f"--output {output}: holds other files and is no run folder; choose a new or empty folder")


@contextlib.contextmanager
def _only_run_in(output: Path) -> Iterator[None]:
    with open(output / LOCK, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConfigError(
                f"{output}: another run is writing here; wait for it or choose another --output"
            ) from error
        yield


def _prepare(output: Path, recipe: Recipe, store: Path | None, planned: set[str]) -> None:
    """Folders, the environment that steps see, and no leftovers: neither of a killed run nor of another recipe."""
    store = store or output / "store"
    write_json(output / "recipe.json", recipe.model_dump(mode="json"))
    for folder in (output / "logs", output / "steps", store, output / "checkpoints"):
        folder.mkdir(parents=True, exist_ok=True)
    remove_leftovers(store)
    for old in (output / "steps").iterdir():
        if old.name not in planned:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.rmtree(output / "kfp", ignore_errors=True)
    for log_file in (output / "logs").glob("*.log"):
        log_file.unlink()
    (output / "logs" / "progress.log").touch()
    os.environ.update(
        OR1_STORE=str(store),
        OR1_RUN_DIR=str(output),
        OR1_RUN_PID=str(os.getpid()),
        OR1_PROGRESS=str(output / "logs" / "progress.log"),
        OR1_CHECKPOINTS=str(output / "checkpoints"),
        TOKENIZERS_PARALLELISM="false",
        PYTHONUNBUFFERED="1",
    )
    os.environ.setdefault("MLFLOW_TRACKING_URI", f"sqlite:///{output / 'mlflow.db'}")
    # One thread a process: two OpenMP threads spin against each other as soon as anything else runs
    # (the same call took 30 times longer); parallelism comes from processes.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def _run_graph(recipe: Recipe, until: str, output: Path, steps: list[PlannedStep]) -> None:
    import warnings

    warnings.filterwarnings("ignore")  # kfp warns of cluster settings that have no effect here
    from kfp import local

    from pipelines.graph import build_pipeline

    pipeline = build_pipeline(recipe, until)
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        with open(output / "logs" / "kfp.log", "w", encoding="utf-8") as stream, _log_to(stream):
            local.init(local.SubprocessRunner(use_venv=False), pipeline_root=str(output / "kfp"))
            pipeline()
    except Exception as error:
        raise _explain_failure(output, steps, error) from error
    finally:
        signal.signal(signal.SIGTERM, previous)
    shutil.rmtree(output / "kfp", ignore_errors=True)


def _terminate(number: int, frame: Any) -> None:
    sys.exit(128 + number)


@contextlib.contextmanager
def _log_to(stream: Any) -> Iterator[None]:
    """Send what kfp prints and logs to its own file: the terminal shows progress and the table only."""
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, [logging.StreamHandler(stream)]
    try:
        with contextlib.redirect_stdout(stream):
            yield
    finally:
        root.handlers = handlers


@contextlib.contextmanager
def _progress_on_terminal(path: Path) -> Iterator[None]:
    """Show on stderr what the step processes append to the progress file."""
    done = threading.Event()

    def follow() -> None:
        with open(path, encoding="utf-8") as stream:
            while True:
                finished = done.is_set()
                for line in stream:
                    sys.stderr.write(printable(line))
                sys.stderr.flush()
                if finished:
                    return
                done.wait(0.3)

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    try:
        yield
    finally:
        done.set()
        follower.join(timeout=5)


def _explain_failure(output: Path, steps: list[PlannedStep], error: Exception) -> StepFailed:
    """Name the step, its own sentence, and its log; kfp itself only knows the task."""
    for note in sorted((output / "steps").glob(".failed-*.json")):
        failed = json.loads(note.read_text(encoding="utf-8"))
        return StepFailed(f"step {failed['step']} failed: {failed['message']}\nlog: {output / failed['log']}")
    done = {record["step"] for record in step_records(output, steps)}
    first = next((step.name for step in steps if step.name not in done), "resolve")
    return StepFailed(f"step {first} failed: {error}\nlog: {output / 'logs' / 'kfp.log'}")


def step_records(output: Path, steps: list[PlannedStep]) -> list[dict[str, Any]]:
    """The step.json of every finished step, in graph order."""
    paths = [output / "steps" / step.name / "step.json" for step in steps]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def _finish(output: Path, recipe_name: str, records: list[dict[str, Any]], seconds: float) -> None:
    from components.track.mlflow_log import log_run
    from components.track.report.page import write_report

    write_json(output / "run.json", {"seconds": seconds, "steps": [r["step"] for r in records]})
    write_report(output, output / "report.html")
    log_run(output, os.environ["MLFLOW_TRACKING_URI"], f"or1-{recipe_name}")


def table_of(records: list[dict[str, Any]]) -> str:
    """The table that `or1 run` prints."""
    lines = [f"{'step':<22} {'seconds':>8}  {'rows in':>8} {'kept':>8} {'dropped':>8}  reasons"]
    for record in records:
        counts = record["counts"]
        rows = [f"{counts[k]:>8}" if k in counts else " " * 8 for k in ("rows_in", "rows_kept", "rows_dropped")]
        top = sorted(counts.get("dropped", {}).items(), key=lambda item: -item[1])
        reasons = ", ".join(f"{name} {number}" for name, number in top[:4]) + (", …" if len(top) > 4 else "")
        seconds = "reused" if record.get("reused") else f"{record['seconds']:.1f}"
        lines.append(f"{record['step']:<22} {seconds:>8}  {' '.join(rows)}  {reasons}".rstrip())
    return "\n".join(lines)
