"""Is an artifact what its lineage says, and is its whole history unbroken?

Checked, first fault named: the artifact's files against its manifest; the digest of its manifest and of every ancestor;
every link from child to parent; with a run folder or store also the ancestors' own files where they lie there.
A consistent rewrite of a whole chain shows only against a digest kept elsewhere: give it as `expect`. Without one
the result says "unanchored".
"""

from pathlib import Path
from typing import Any

from components.core.digest import content_digest, list_files
from components.core.errors import AuditError
from components.core.manifest import manifest_digest
from components.lineage.artifact import locate_artifact, manifest_of, manifests_below, run_folder_of

SHORT = 12


def verify(path: Path, expect: str | None = None, run_dir: Path | None = None) -> dict[str, Any]:
    """Check an artifact and its ancestry. `expect`: the manifest or content digest (or its first 12 or more
    characters) that the artifact must have. `run_dir`: a run folder or store whose files are checked too; by
    default the run folder in which the artifact lies.
    Returns what was checked; raises AuditError naming the first broken link, DataError when nothing is there."""
    artifact = locate_artifact(path)
    manifest = manifest_of(artifact)
    num_files = check_files(artifact, manifest, str(path))
    _check_chain(manifest, str(path))
    folder = run_dir or run_folder_of(path)
    present, absent = _check_ancestors(manifest, folder) if folder else ([], [])
    return {
        "ok": True,
        "artifact": str(path),
        "step": manifest["step"]["name"],
        "port": manifest["artifact"]["port"],
        "content_digest": manifest["artifact"]["content_digest"],
        "manifest_digest": manifest["manifest_digest"],
        "manifests_checked": 1 + len(manifest["ancestors"]),
        "files_checked": num_files,
        "ancestors_present": present,
        "ancestors_absent": absent,
        "anchor": _check_anchor(manifest, expect, str(path)),
    }


def check_files(artifact: Path, manifest: dict[str, Any], where: str) -> int:
    """Compare every file with the manifest's list; returns how many there are."""
    recorded = {f["path"]: f for f in manifest["artifact"]["files"]}
    there = {f["path"]: f for f in list_files(artifact)}
    for name in sorted(recorded.keys() | there.keys()):
        shown = f"{where}{'/' + name if name else ''}"
        if name not in there:
            raise AuditError(f"{shown}: listed in the lineage and not there")
        if name not in recorded:
            raise AuditError(f"{shown}: not listed in the lineage, it was added later")
        if there[name]["sha256"] != recorded[name]["sha256"]:
            old, new = recorded[name]["sha256"][:SHORT], there[name]["sha256"][:SHORT]
            raise AuditError(f"{shown}: its content was changed (lineage says sha256 {old}…, the file has {new}…)")
    if content_digest(manifest["artifact"]["files"]) != manifest["artifact"]["content_digest"]:
        raise AuditError(f"{where}: the content digest in its manifest is not that of the files the manifest lists")
    return len(recorded)


def _check_chain(manifest: dict[str, Any], where: str) -> None:
    """Walk from the artifact up; every manifest must have its digest and every link must lead to one."""
    ancestors = manifest["ancestors"]
    _check_digest(manifest, manifest["manifest_digest"], where)
    waiting, reached = [manifest], set()
    while waiting:
        child = waiting.pop(0)
        for link in child["parents"]:
            wanted = link["manifest_digest"]
            if wanted is None or wanted in reached:
                continue
            name = f"{child['step']['name']} ← {link['port']}"
            if wanted not in ancestors:
                raise AuditError(f"{name}: the parent manifest {wanted[:SHORT]} is missing")
            parent = ancestors[wanted]
            _check_digest(parent, wanted, name)
            if parent["artifact"]["content_digest"] != link["content_digest"]:
                raise AuditError(f"{name}: the parent's content digest is not the one that went in")
            reached.add(wanted)
            waiting.append(parent)
    stray = sorted(set(ancestors) - reached)
    if stray:
        raise AuditError(f"{where}: ancestor {stray[0][:SHORT]} is not connected to the artifact, it was added later")


def _check_digest(manifest: dict[str, Any], wanted: str, where: str) -> None:
    if manifest_digest(manifest) != wanted or manifest.get("manifest_digest") != wanted:
        step, port = manifest["step"].get("name", "?"), manifest["artifact"].get("port", "?")
        raise AuditError(
            f"{where}: the manifest of {step} › {port} was changed (its digest is no longer {wanted[:SHORT]})"
        )
    files = manifest["artifact"]["files"]
    if content_digest(files) != manifest["artifact"]["content_digest"]:
        raise AuditError(f"{where}: the content digest of {manifest['step']['name']} is not that of its files")


def _check_ancestors(manifest: dict[str, Any], run_dir: Path) -> tuple[list[str], list[str]]:
    """Check the ancestors' files where they lie below `run_dir`. A step that was made again with the same content
    (another time, so another manifest) stands for the one in the chain; other content is a fault."""
    found = manifests_below(run_dir)
    by_place: dict[tuple[str, str], list[tuple[Path, dict[str, Any]]]] = {}
    for copies in found.values():
        for path, recorded in copies:
            by_place.setdefault((recorded["step"]["name"], recorded["artifact"]["port"]), []).append((path, recorded))
    present: list[str] = []
    absent: list[str] = []
    for digest, ancestor in sorted(manifest["ancestors"].items(), key=lambda item: item[1]["step"]["ended_at"]):
        place = (ancestor["step"]["name"], ancestor["artifact"]["port"])
        copies = found.get(digest) or by_place.get(place, [])
        for path, recorded in copies:
            if recorded["artifact"]["content_digest"] != ancestor["artifact"]["content_digest"]:
                raise AuditError(f"{path}: is not the {place[1]} of {place[0]} that the artifact was made from")
            _check_digest(recorded, recorded["manifest_digest"], str(path))
            check_files(path, ancestor, str(path))
        (present if copies else absent).append("/".join(place))
    return present, absent


def _check_anchor(manifest: dict[str, Any], expect: str | None, where: str) -> str:
    if not expect:
        return "unanchored"
    wanted = expect.strip().lower().removeprefix("sha256:")
    known = (manifest["manifest_digest"], manifest["artifact"]["content_digest"])
    if len(wanted) < SHORT or not any(digest.startswith(wanted) for digest in known):
        raise AuditError(f"{where}: expected digest {wanted[:SHORT]}…, it has manifest {known[0][:SHORT]}…")
    return "expected digest" + (" (manifest)" if known[0].startswith(wanted) else " (content only)")


def render_verify(result: dict[str, Any]) -> str:
    """The result in a few lines."""
    lines = [
        f"{result['artifact']}: intact ({result['step']} › {result['port']})",
        f"  content   {result['content_digest']}",
        f"  manifest  {result['manifest_digest']}",
        f"  checked   {result['manifests_checked']} manifests, {result['files_checked']} files of this artifact",
    ]
    if result["ancestors_present"] or result["ancestors_absent"]:
        lines.append(
            f"  ancestors {len(result['ancestors_present'])} also checked file by file, "
            f"{len(result['ancestors_absent'])} not in the folder"
        )
    anchor = result["anchor"]
    lines.append(
        f"  anchor    {anchor}"
        + ("; keep the manifest digest elsewhere and pass it as --expect" if anchor == "unanchored" else "")
    )
    return "\n".join(lines)
