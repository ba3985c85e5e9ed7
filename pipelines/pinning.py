"""Pin local files by their content: a step's key then follows what is in a file, not where it lies or when it changed."""

from pathlib import Path
from typing import Any

from components.core.config import StrictConfig
from components.core.digest import sha256_file


def pin_files(config: StrictConfig, root: str) -> StrictConfig:
    """Fill in `sha256` of every `{path, sha256}` file entry that has none. Files that do not exist are left for the
    stage to report, with its own name in the message."""
    settings = config.model_dump(mode="json")
    if not _pin(settings, root):
        return config
    return type(config).parse(settings, where=type(config).__name__)


def _pin(value: Any, root: str) -> bool:
    if isinstance(value, list):
        return any([_pin(item, root) for item in value])
    if not isinstance(value, dict):
        return False
    if {"path", "sha256"} <= set(value) and not value["sha256"] and not str(value["path"]).startswith("bundled:"):
        path = Path(root) / value["path"]
        if path.is_file():
            value["sha256"] = sha256_file(path)
            return True
        return False
    return any([_pin(item, value.get("root") or root) for item in value.values()])
