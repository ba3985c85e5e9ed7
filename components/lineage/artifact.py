"""Find an artifact and its manifest from whatever path a person gives."""

from pathlib import Path
from typing import Any

from components.core.errors import AuditError, DataError
from components.core.files import read_json
from components.core.manifest import FORMAT, read_manifest


def locate_artifact(path: Path) -> Path:
    """The file or folder whose digest the manifest records. `model.json` stands for its folder; a manifest for
    the artifact beside it; a port folder for its one file. Raises DataError when there is nothing."""
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    if path.name == "model.json":
        return path.resolve().parent
    if path.is_file() and path.name.endswith("lineage.json"):
        return _beside(path)
    if path.is_dir() and read_manifest(path) is None:
        raise DataError(f"{path}: holds no lineage.json; give an artifact (STEP/kept.parquet, STEP/model.json)")
    return _lone_file(path)


def _beside(manifest: Path) -> Path:
    """The artifact that a manifest lies beside: `kept.lineage.json` -> `kept.parquet`."""
    if manifest.name == "lineage.json":
        return _lone_file(manifest.parent)
    stem = manifest.name.removesuffix(".lineage.json")
    if manifest.is_symlink():
        return _lone_file(manifest.resolve().parent)
    for suffix in (".parquet", ".jsonl", ".json"):
        candidate = manifest.with_name(stem + suffix)
        if candidate.exists():
            return candidate
    raise DataError(f"{manifest}: the artifact it describes is not beside it")


def _lone_file(path: Path) -> Path:
    """For the folder of a table or JSON port, the one file in it, as the manifest's file list has it."""
    manifest = read_manifest(path)
    if path.is_dir() and manifest and [f["path"] for f in manifest["artifact"]["files"]] == [""]:
        files = [p for p in path.iterdir() if p.name != "lineage.json" and not p.name.startswith(".")]
        if len(files) != 1:
            raise AuditError(f"{path}: its manifest lists one file, the folder holds {len(files)}")
        return files[0]
    return path


def manifest_of(path: Path) -> dict[str, Any]:
    """The whole manifest of an artifact. Raises AuditError when it is missing or of another format."""
    try:
        manifest = read_manifest(path)
    except DataError as error:
        raise AuditError(str(error)) from error
    if manifest is None:
        raise AuditError(f"{path}: no lineage.json beside it, so nothing is known about where it came from")
    return require_manifest(path, manifest)


def require_manifest(path: Path, manifest: Any) -> dict[str, Any]:
    """The manifest, when it and its ancestors have all that audits read. Raises AuditError naming what is missing."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise AuditError(f"{path}: its manifest is not of format {FORMAT}")
    for key in ("artifact", "step", "parents", "manifest_digest", "ancestors"):
        if key not in manifest:
            raise AuditError(f"{path}: its manifest has no '{key}'")
    if not isinstance(manifest["ancestors"], dict):
        raise AuditError(f"{path}: the ancestors in its manifest are no mapping")
    for digest, one in [("", manifest), *manifest["ancestors"].items()]:
        if not _is_whole(one):
            who = f"ancestor {digest[:12]}" if digest else "its manifest"
            raise AuditError(f"{path}: {who} was changed: parts of it are missing or of another kind")
    return manifest


def _is_whole(manifest: Any) -> bool:
    return (
        _has(manifest, ("artifact", "step", "parents", "manifest_digest"))
        and _has(manifest["artifact"], ("port", "kind", "content_digest", "files"))
        and _has(manifest["step"], ("name", "stage", "key", "config", "counts", "packages", "source_hash", "ended_at"))
        and isinstance(manifest["artifact"]["files"], list)
        and all(_has(file, ("path", "sha256", "bytes")) for file in manifest["artifact"]["files"])
        and isinstance(manifest["parents"], list)
        and all(_has(link, ("port", "content_digest", "manifest_digest")) for link in manifest["parents"])
    )


def _has(value: Any, keys: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)


def run_folder_of(path: Path) -> Path | None:
    """The run folder that a path lies in (`RUN/steps/STEP/…`), or None."""
    for parent in path.absolute().parents:
        if parent.name == "steps" and any(parent.glob("*/step.json")):
            return parent.parent
    return None


def manifests_below(folder: Path) -> dict[str, list[tuple[Path, dict[str, Any]]]]:
    """manifest digest -> every (artifact, manifest) with it below a run folder (its steps only) or a store. The same
    file under a second name (hard link) is listed once."""
    root = folder / "steps" if (folder / "steps").is_dir() else folder
    found: dict[str, list[tuple[Path, dict[str, Any]]]] = {}
    seen: set[tuple[int, int]] = set()
    for path in sorted(root.rglob("*lineage.json")):
        if path.is_symlink():
            continue
        manifest, artifact = read_json(path), _beside(path)
        where = (artifact.stat().st_dev, artifact.stat().st_ino)
        if isinstance(manifest, dict) and "manifest_digest" in manifest and where not in seen:
            seen.add(where)
            found.setdefault(str(manifest["manifest_digest"]), []).append((artifact, manifest))
    return found


def read_step_folders(run_dir: Path) -> list[tuple[Path, dict[str, Any]]]:
    """(folder, step.json) of every step of a run, in the order in which they finished. Raises DataError."""
    if not (run_dir / "steps").is_dir():
        raise DataError(f"{run_dir}: not a run folder, it has no steps/; give the folder that `or1 run` wrote")
    records = [(p.parent, read_json(p)) for p in (run_dir / "steps").glob("[!.]*/step.json")]
    for folder, record in records:
        if not _has(record, ("step", "stage")):
            raise DataError(f"{folder / 'step.json'}: not the record of a step; run the step again")
    return sorted(records, key=lambda item: (item[1].get("finished_at", ""), item[1]["step"]))
