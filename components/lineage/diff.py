"""What differs between two artifacts or two runs: step by step, settings, code, packages, counts, content."""

from pathlib import Path
from typing import Any

from components.core.files import read_json
from components.lineage.artifact import locate_artifact, manifest_of, read_step_folders, require_manifest


def diff(a: Path, b: Path) -> dict[str, Any]:
    """Compare the histories of two artifacts, or of two run folders. Returns `same` (contents all equal), steps
    only in one, and per differing step what differs: settings, source code, packages, counts, and output contents
    as [a's value, b's value]. Raises DataError or AuditError when there is nothing to compare."""
    left, right = _steps_of(a), _steps_of(b)
    steps = {}
    for name in [n for n in left if n in right]:
        changes = _compare(left[name], right[name])
        if changes:
            steps[name] = changes
    only_a, only_b = [n for n in left if n not in right], [n for n in right if n not in left]
    same = not only_a and not only_b and not any("content" in changes for changes in steps.values())
    return {"same": same, "only_a": only_a, "only_b": only_b, "steps": steps}


def _steps_of(path: Path) -> dict[str, dict[str, Any]]:
    """Step name -> {"step": its manifest entry, "content": port -> content digest}."""
    if (path / "steps").is_dir():
        manifests = [
            require_manifest(p, read_json(p))
            for folder, _ in read_step_folders(path)
            for p in sorted(folder.glob("*/lineage.json"))
        ]
    else:
        manifest = manifest_of(locate_artifact(path))
        above = sorted(manifest["ancestors"].values(), key=lambda m: m["step"]["ended_at"])
        manifests = [*above, manifest]
    steps: dict[str, dict[str, Any]] = {}
    for one in manifests:
        entry = steps.setdefault(one["step"]["name"], {"step": one["step"], "content": {}})
        entry["content"][one["artifact"]["port"]] = one["artifact"]["content_digest"]
    return steps


def _compare(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    changes = {
        "settings": _changed(flatten(a["step"]["config"]), flatten(b["step"]["config"])),
        "packages": _changed(a["step"]["packages"], b["step"]["packages"]),
        "counts": _changed(flatten(a["step"]["counts"]), flatten(b["step"]["counts"])),
        "content": _changed(a["content"], b["content"]),
    }
    if a["step"]["source_hash"] != b["step"]["source_hash"]:
        changes["code"] = {"source_hash": [a["step"]["source_hash"], b["step"]["source_hash"]]}
    return {kind: change for kind, change in changes.items() if change}


def _changed(a: dict[str, Any], b: dict[str, Any]) -> dict[str, list[Any]]:
    return {k: [a.get(k), b.get(k)] for k in sorted(a.keys() | b.keys()) if a.get(k) != b.get(k)}


def flatten(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, keys joined by dots."""
    if not isinstance(value, dict):
        return {prefix: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat.update(flatten(inner, f"{prefix}.{key}" if prefix else str(key)))
    return flat


def render_diff(found: dict[str, Any]) -> str:
    """The differences as text; the first step that differs is where to look."""
    if found["same"] and not found["steps"]:
        return "no difference"
    lines = ["contents are equal" if found["same"] else "contents differ"]
    lines += [f"only in the first: {name}" for name in found["only_a"]]
    lines += [f"only in the second: {name}" for name in found["only_b"]]
    for name, changes in found["steps"].items():
        lines.append(name)
        for kind, change in changes.items():
            for key, (old, new) in change.items():
                lines.append(f"  {kind} {key}: {_short(old)} → {_short(new)}")
    return "\n".join(lines)


def _short(value: Any) -> str:
    text = str(value)
    is_digest = len(text) == 64 and all(c in "0123456789abcdef" for c in text)
    return text[:12] if is_digest else text[:120]
