"""Pin local files and models by their content: a step's key then follows what is in a file, not its name or date."""

import glob
from pathlib import Path
from typing import Any

import components.world
from components.base_model.config import BaseModelConfig
from components.base_model.run import BUNDLED_PREFIX, chosen_files, find_folder
from components.benchmarks.config import BUNDLED
from components.core.config import StrictConfig
from components.core.digest import sha256_file
from components.core.errors import ConfigError

WORLD_DATA = Path(next(iter(components.world.__path__))) / "data"


def pin_files(config: StrictConfig, root: str) -> StrictConfig:
    """Fill in `sha256` of every local `{path, sha256}` file entry that has none, spell out `*` patterns, and fill in
    `expected_sha256` of a local base model. What does not exist is left for the stage to report, with its own name in
    the message."""
    pinned = _pinned(config.model_dump(mode="json"), root)
    if isinstance(config, BaseModelConfig):
        pinned["expected_sha256"] = _model_digests(config) | config.expected_sha256
    return type(config).parse(pinned, where=type(config).__name__)


def _model_digests(config: BaseModelConfig) -> dict[str, str]:
    """File name to digest of a bundled model or one in a local folder. A hub model is pinned by its commit."""
    if not config.path.startswith(BUNDLED_PREFIX) and not Path(config.path).expanduser().is_dir():
        return {}
    try:
        return {path.name: sha256_file(path) for path in chosen_files(find_folder(config))}
    except ConfigError:
        return {}


def _pinned(value: Any, root: str) -> Any:
    if isinstance(value, list):
        return [_pinned(item, root) for item in value]
    if not isinstance(value, dict):
        return value
    pinned = {name: _pinned(item, value.get("root") or root) for name, item in value.items()}
    if "files" in pinned and not pinned.get("dataset"):
        pinned["files"] = [entry for file in pinned["files"] for entry in _entries(file, value.get("root") or root)]
    return pinned


def _entries(file: dict[str, Any], root: str) -> list[dict[str, Any]]:
    """A file entry with its digest; several for a pattern; unchanged when pinned already or not there."""
    if file["sha256"]:
        return [file]
    if file["path"].startswith(BUNDLED):
        path = WORLD_DATA / file["path"].removeprefix(BUNDLED)
        return [{**file, "sha256": sha256_file(path)}] if path.is_file() else [file]
    found = (
        sorted(glob.glob(str(Path(root) / file["path"]))) if "*" in file["path"] else [str(Path(root) / file["path"])]
    )
    if not found or not all(Path(path).is_file() for path in found):
        return [file]
    base = Path(root)
    names = [str(Path(path).relative_to(base)) if root and Path(path).is_relative_to(base) else path for path in found]
    return [{**file, "path": name, "sha256": sha256_file(Path(path))} for name, path in zip(names, found, strict=True)]
