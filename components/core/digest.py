"""Digests: canonical JSON, files, directories, and the hash of the source code that a stage runs.

All digests are lower-case hex SHA-256. `content_digest` of an artifact leaves out `lineage.json`, so it
says what the artifact is, not how it came about.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

CHUNK_BYTES = 1 << 20
MANIFEST_NAME = "lineage.json"
SHARED_ROOMS = ("core", "text", "verify", "sample", "benchmarks", "track", "lineage", "world")


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces, UTF-8: the same value always gives the same text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def sha256_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_json(value: Any) -> str:
    return sha256_text(canonical_json(value))


def sha256_file(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def list_files(path: Path) -> list[dict[str, Any]]:
    """Every file of an artifact: relative path, sha256 and size, sorted by path, without the lineage manifest.
    A lone file has the empty path: its name is not part of what it is."""
    if path.is_file():
        return [{"path": "", "sha256": sha256_file(path), "bytes": path.stat().st_size}]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name != MANIFEST_NAME)
    return [
        {"path": p.relative_to(path).as_posix(), "sha256": sha256_file(p), "bytes": p.stat().st_size} for p in files
    ]


def content_digest(files: list[dict[str, Any]]) -> str:
    """Digest of an artifact from the list of its files (see `list_files`)."""
    return sha256_json([[f["path"], f["sha256"]] for f in files])


@lru_cache
def source_hash(room: str) -> str:
    """Hash of the source files that a stage can import: the shared rooms and its own (the architecture
    test holds stages to that). A change elsewhere does not re-run the stage."""
    root = Path(__file__).resolve().parent.parent
    paths = [p for r in (*SHARED_ROOMS, room) for p in sorted((root / r).rglob("*.py"))]
    return sha256_json([[p.relative_to(root).as_posix(), sha256_file(p)] for p in paths])
