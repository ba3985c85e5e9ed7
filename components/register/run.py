"""Register the trained model in MLflow with its scores, data card and lineage, and decide whether it is promoted.

The model is registered whatever the gate says; the alias `promoted` follows the decision. Registering the same
model again finds its version again. `version.json` says what was decided and on what grounds; the number that
MLflow gave it is in the counts, since it depends on the registry and not on the model.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from components.core.digest import content_digest, list_files
from components.core.errors import DataError
from components.core.files import read_json, write_json
from components.core.manifest import read_manifest
from components.core.model_files import ModelReference, read_model_json
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.register.config import RegisterConfig
from components.register.gate import compare, decide
from components.track.metrics import flat_numbers
from components.track.mlflow_log import default_tracking_uri, flat_parameters, log_batch, open_client, open_experiment

if TYPE_CHECKING:
    from mlflow.tracking import MlflowClient

log = logging.getLogger(__name__)

PROMOTED = "promoted"


def run(config: RegisterConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Raises DataError when no scores belong to the model, InfraError when MLflow can't be reached."""
    reference = read_model_json(inputs["model"])
    scores = [read_json(path) for path in inputs["scores"]]
    final = _scores_of(reference, scores, inputs["scores"])
    base = scores[0] if scores[0] is not final else None  # the graph connects the base model's scores first
    summary = compare(base, final)
    promoted, reasons = decide(config.gate, summary)
    version: dict[str, Any] = {
        "name": config.model_name,
        "model": {"name": reference.name, "digest": reference.digest, "parent": reference.parent},
        "licence": reference.licence,
        "base": (base or {}).get("model"),
        "data_card_digest": content_digest(list_files(inputs["data_card"])),
        "promoted": promoted,
        "reasons": reasons,
        "scores": summary,
    }
    registry = _register(config, inputs, reference, version)
    write_json(outputs["version"], version)
    log.info("register: %s version %s, promoted: %s (%s)", config.model_name, registry["version"], promoted, reasons)
    gains = {f"gain/{name}": row["gain"] for name, row in summary.items() if "gain" in row}
    return {"promoted": int(promoted), "registry_version": registry["version"], "run_id": registry["run_id"], **gains}


def _scores_of(reference: ModelReference, scores: list[dict[str, Any]], paths: list[Path]) -> dict[str, Any]:
    """The last scores file that was made with this very model."""
    for candidate in reversed(scores):
        if candidate["model"]["digest"] == reference.digest:
            return candidate
    raise DataError(
        f"{paths[-1]}: none of the {len(paths)} scores files belongs to model {reference.name} "
        f"(digest {reference.digest[:12]}); evaluate this model first"
    )


def _register(config: RegisterConfig, inputs: Inputs, reference: ModelReference, version: dict[str, Any]) -> Counts:
    """Find or make the MLflow model version; returns its number and the id of its run."""
    tracking_uri = default_tracking_uri(config.tracking_uri)
    client = open_client(tracking_uri)
    found = _find_version(client, config.model_name, reference.digest)
    manifest = read_manifest(inputs["model"]) or {}
    tags = {
        "or1.model_digest": reference.digest,
        "or1.lineage_digest": str(manifest.get("manifest_digest", "")),
        "or1.data_card_digest": version["data_card_digest"],
        "or1.promoted": str(version["promoted"]).lower(),
        "or1.reasons": "; ".join(version["reasons"])[:4000],
    }
    if found is None:
        run_id = _log_registration(client, tracking_uri, config, inputs, reference, version, tags)
        source = _keep_files(client, run_id, reference, inputs["model"])
        made = client.create_model_version(config.model_name, source=source, run_id=run_id, tags=tags)
        number = int(made.version)
    else:
        number, run_id = int(found.version), str(found.run_id or "")
        for name, value in tags.items():
            client.set_model_version_tag(config.model_name, str(number), name, value)
    _move_alias(client, config.model_name, str(number), version["promoted"])
    return {"version": number, "run_id": run_id}


def _keep_files(client: "MlflowClient", run_id: str, reference: ModelReference, folder: Path) -> str:
    """The lasting address of the model's files: their own when they are on shared storage; else they are copied into
    the registry's artifact store, since the folder of a step may be cleared."""
    if reference.uri != ".":
        return reference.uri
    client.log_artifacts(run_id, str(folder), "model")
    return f"{client.get_run(run_id).info.artifact_uri}/model"


def _move_alias(client: "MlflowClient", name: str, number: str, promoted: bool) -> None:
    """Point the alias at a promoted version; take it away from one that is no longer."""
    aliases = client.get_registered_model(name).aliases
    if promoted:
        client.set_registered_model_alias(name, PROMOTED, number)
    elif str(aliases.get(PROMOTED, "")) == number:
        client.delete_registered_model_alias(name, PROMOTED)


def _find_version(client: "MlflowClient", name: str, digest: str) -> Any:
    from mlflow.exceptions import MlflowException

    try:
        client.create_registered_model(name)
    except MlflowException as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
    quoted = name.replace("'", "\\'")
    found = client.search_model_versions(f"name='{quoted}' and tag.`or1.model_digest`='{digest}'")
    return min(found, key=lambda v: int(v.version)) if found else None


def _log_registration(
    client: "MlflowClient",
    tracking_uri: str,
    config: RegisterConfig,
    inputs: Inputs,
    reference: ModelReference,
    version: dict[str, Any],
    tags: dict[str, str],
) -> str:
    """The run behind a version: settings, scores as metrics, and the small files as artifacts."""
    experiment_id = open_experiment(client, tracking_uri, config.experiment)
    run_id = str(client.create_run(experiment_id, run_name=f"{config.model_name}-{reference.digest[:12]}").info.run_id)
    metrics = [(name, value, 0) for name, value in flat_numbers(version["scores"], "register").items()]
    settings = config.model_dump(mode="json", exclude={"tracking_uri"})
    log_batch(client, run_id, flat_parameters(settings), metrics, tags)
    client.log_dict(run_id, version, "version.json")
    client.log_artifact(run_id, str(inputs["data_card"]))
    for number, path in enumerate(inputs["scores"], 1):
        client.log_dict(run_id, read_json(path), f"scores/scores-{number}.json")
    for path in (inputs["model"] / "model.json", inputs["model"] / "lineage.json"):
        if path.exists():
            client.log_artifact(run_id, str(path))
    client.set_terminated(run_id)
    return run_id


STAGE = Stage(
    "register",
    RegisterConfig,
    run,
    inputs=(Port("model", "model"), Port("scores", "json", many=True), Port("data_card", "json")),
    outputs=(Port("version", "json"),),
)
