"""What every Kubeflow component of this project calls: run the step on the artifacts' paths, then say what happened
in the artifacts' metadata, the Metrics artifact, the HTML artifact and the run folder.

Works on anything with `.path` and `.metadata`, so it is the same under the local runner, on a cluster and in a test.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from components.core.files import write_json, write_text
from components.core.manifest import read_manifest
from components.core.step import SUFFIX, Port, Stage, StepResult, execute, main_file
from components.track.metrics import stage_counts
from components.track.parent_watch import follow_run_process
from components.track.report.step_report import step_page
from components.track.run_folder import StepLog, current_run_folder, publish

log = logging.getLogger(__name__)


class Artifact(Protocol):
    """The part of a Kubeflow artifact that is used here."""

    path: str
    metadata: dict[str, Any]


class MetricsArtifact(Artifact, Protocol):
    def log_metric(self, metric: str, value: float) -> None: ...


def run_component(
    stage: Stage,
    step: str,
    config: str,
    inputs: Mapping[str, Artifact | list[Artifact] | None],
    outputs: Mapping[str, Artifact],
    metrics_artifact: MetricsArtifact,
    report_artifact: Artifact,
) -> StepResult:
    """Run `stage` as `step`. `config` is the exact JSON of the stage's settings; an input may be None (an optional
    port that is not connected) or a list (a `many` port, Nones in it are left out).

    With OR1_RUN_DIR set the outputs also appear in that run folder. Raises what the stage raises."""
    folder = current_run_folder()
    follow_run_process()
    with StepLog(folder, step):
        log.info("%s: started", step)
        targets = {name: Path(artifact.path) for name, artifact in outputs.items()}
        result = execute(stage, step, config, {name: _paths(value) for name, value in inputs.items()}, targets)
        manifests = {port.name: _describe(stage, port, result, outputs[port.name]) for port in stage.outputs}
        _log_metrics(stage, result, metrics_artifact)
        dropped = targets.get("dropped")
        page = step_page(result, manifests, main_file(dropped, Port("dropped")) if dropped else None)
        write_text(Path(report_artifact.path), page)
        if folder:
            publish(folder, stage, result, targets)
        log.info("%s: done in %.1f s%s", step, result.seconds, " (reused)" if result.reused else "")
    return result


def _paths(value: Any) -> Path | list[Path] | None:
    if isinstance(value, list | tuple):
        return [Path(artifact.path) for artifact in value if artifact is not None]
    return None if value is None else Path(value.path)


def _describe(stage: Stage, port: Port, result: StepResult, artifact: Artifact) -> dict[str, Any]:
    """Write the artifact's digests into its metadata as flat strings (nested values differ between runners)."""
    folder = Path(artifact.path)
    manifest = read_manifest(folder if folder.is_dir() else main_file(folder, port)) or {}
    artifact.metadata.update(
        step=result.step,
        stage=stage.name,
        key=result.key,
        content_digest=result.digests[port.name],
        manifest_digest=str(manifest.get("manifest_digest", "")),
    )
    if port.kind in SUFFIX and "rows" in manifest.get("artifact", {}):
        artifact.metadata["rows"] = str(manifest["artifact"]["rows"])
    return manifest


def _log_metrics(stage: Stage, result: StepResult, artifact: MetricsArtifact) -> None:
    numbers = {f"{stage.name}/seconds": result.seconds, **stage_counts(stage.name, result.counts)}
    for name, value in numbers.items():
        artifact.log_metric(name, value)
    write_json(Path(artifact.path), numbers)  # the local runner's cache wants a file behind every artifact
