"""A finished run in MLflow: one parent run, one nested run per step, on any tracking server or on local SQLite.

Parameters are the step's settings, metrics its counts, scores and training curves, tags its digests. MLflow is
imported inside the functions only; it is quiet and sends nothing home.
"""

import logging
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from components.core.errors import InfraError
from components.core.manifest import code_commit
from components.track.metrics import step_metrics
from components.track.run_folder import RunStep, read_steps

if TYPE_CHECKING:
    from mlflow.tracking import MlflowClient

log = logging.getLogger(__name__)

MAX_PARAMETER_CHARACTERS = 500
BATCH_METRICS, BATCH_PARAMETERS = 1000, 100
SQLITE = "sqlite:///"


def open_client(tracking_uri: str) -> "MlflowClient":
    """A client for a server URL or `sqlite:///…` (its folder is made). Raises InfraError naming the address."""
    os.environ.update(
        MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true", MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR="false"
    )
    if tracking_uri.startswith(SQLITE):
        Path(tracking_uri.removeprefix(SQLITE)).absolute().parent.mkdir(parents=True, exist_ok=True)
    from mlflow.exceptions import MlflowException
    from mlflow.tracking import MlflowClient
    from sqlalchemy.exc import SQLAlchemyError

    for noisy in ("mlflow.store.db.utils", "alembic"):  # their import sets the levels anew
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        client = MlflowClient(tracking_uri=tracking_uri, registry_uri=tracking_uri)
        client.search_experiments(max_results=1)
    except (MlflowException, SQLAlchemyError) as error:
        said = without_password(f"MLflow at {tracking_uri}: not usable ({error}); check the address")
        raise InfraError(said) from error
    return client


def without_password(text: str) -> str:
    """Addresses in a text without the user and password that they may carry."""
    return re.sub(r"://[^/@\s]+@", "://…@", text)


def default_tracking_uri(configured: str = "") -> str:
    """The tracking address: as configured, else from OR1_MLFLOW or MLFLOW_TRACKING_URI, else `mlflow.db` in the
    current folder. A plain path means a folder with its own `mlflow.db`."""
    place = configured or os.environ.get("OR1_MLFLOW") or os.environ.get("MLFLOW_TRACKING_URI") or ""
    if not place:
        return f"{SQLITE}{Path('mlflow.db').absolute()}"
    return place if ":" in place else f"{SQLITE}{Path(place).absolute() / 'mlflow.db'}"


def open_experiment(client: "MlflowClient", tracking_uri: str, name: str) -> str:
    """Id of the experiment, made when new. With SQLite its artifacts lie in `mlflow-artifacts` beside the database."""
    found = client.get_experiment_by_name(name)
    if found is not None:
        return str(found.experiment_id)
    location = None
    if tracking_uri.startswith(SQLITE):
        database = Path(tracking_uri.removeprefix(SQLITE)).absolute()
        location = (database.parent / "mlflow-artifacts").as_uri()
    return str(client.create_experiment(name, artifact_location=location))


def flat_parameters(settings: Any, prefix: str = "") -> dict[str, str]:
    """Settings as MLflow parameters: dotted names, values as text of at most 500 characters."""
    if not isinstance(settings, dict):
        return {prefix or "value": str(settings)[:MAX_PARAMETER_CHARACTERS]}
    parameters: dict[str, str] = {}
    for key, value in settings.items():
        parameters.update(flat_parameters(value, f"{prefix}.{key}" if prefix else str(key)))
    return parameters


def log_batch(
    client: "MlflowClient",
    run_id: str,
    parameters: dict[str, str],
    metrics: Iterable[tuple[str, float, int]],
    tags: dict[str, str],
) -> None:
    """Write parameters, metrics (name, value, training step) and tags in as few requests as the server accepts."""
    from mlflow.entities import Metric, Param, RunTag

    now = int(time.time() * 1000)
    points = [Metric(_safe(name), value, now, step) for name, value, step in metrics]
    settings = [Param(_safe(name), value) for name, value in parameters.items()]
    client.log_batch(run_id, tags=[RunTag(_safe(name), value) for name, value in tags.items()])
    for start in range(0, len(settings), BATCH_PARAMETERS):
        client.log_batch(run_id, params=settings[start : start + BATCH_PARAMETERS])
    for start in range(0, len(points), BATCH_METRICS):
        client.log_batch(run_id, metrics=points[start : start + BATCH_METRICS])


def _safe(name: str) -> str:
    """MLflow names hold letters, digits and `_-. :/`; anything else becomes an underscore."""
    return "".join(c if (c.isascii() and c.isalnum()) or c in "_-. :/" else "_" for c in name)[:250]


def log_run(run_folder: Path, tracking_uri: str, experiment: str, run_name: str = "") -> str:
    """Log a run folder and return the id of its MLflow run. Logging the same folder again makes a new run."""
    client = open_client(tracking_uri)
    experiment_id = open_experiment(client, tracking_uri, experiment)
    steps = read_steps(run_folder)
    parent = client.create_run(experiment_id, run_name=run_name or run_folder.name).info.run_id
    last = steps[-1].digests if steps else {}
    tags = {"or1.commit": str(code_commit()["commit"]), **{f"or1.digest.{k}": v for k, v in last.items()}}
    summary = {f"seconds/{s.step}": s.seconds for s in steps}
    log_batch(client, parent, {}, [(k, v, 0) for k, v in summary.items()], tags)
    for step in steps:
        _log_step(client, experiment_id, parent, step)
    for name in ("report.html", "metrics.jsonl", "recipe.json"):
        if (run_folder / name).exists():
            client.log_artifact(parent, str(run_folder / name))
    client.set_terminated(parent)
    log.info("MLflow: run %s with %d steps in experiment %s", parent, len(steps), experiment)
    return str(parent)


def _log_step(client: "MlflowClient", experiment_id: str, parent: str, step: RunStep) -> None:
    tags = {"mlflow.parentRunId": parent, "or1.step": step.step, "or1.stage": step.stage, "or1.key": step.key}
    tags.update({f"or1.digest.{port}": digest for port, digest in step.digests.items()})
    tags.update({f"or1.lineage.{port}": m["manifest_digest"] for port, m in step.manifests.items()})
    run_id = client.create_run(experiment_id, run_name=step.step, tags=tags).info.run_id
    points = [(row["name"], row["value"], int(row.get("x", 0))) for row in step_metrics(step)]
    log_batch(client, run_id, flat_parameters(step.config), points, {})
    client.set_terminated(run_id)
