"""`model.json`: what a model folder is, so that a step passes a small file and not gigabytes.

The files lie beside it locally (`uri` is `.`), on a shared volume or object store on a cluster.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from components.core.digest import sha256_file, sha256_text
from components.core.errors import DataError
from components.core.files import read_json, write_json

TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json")


@dataclass(frozen=True)
class ModelReference:
    """Content of `model.json`."""

    name: str
    uri: str
    """Where the files lie; `.` is the folder of model.json."""
    revision: str
    licence: str
    files: tuple[dict[str, Any], ...]
    """path, sha256, bytes of every file."""
    chat_template_digest: str
    parent: str = ""
    """Digest of the weights this model was trained from, empty for a base model."""

    @property
    def digest(self) -> str:
        """One digest for the whole model: its files' paths and hashes."""
        return sha256_text(json.dumps(sorted([f["path"], f["sha256"]] for f in self.files)))


def require_model_folder(folder: Path) -> None:
    """Raises DataError naming what is missing from a Hugging Face style model folder."""
    if not folder.is_dir():
        raise DataError(f"{folder}: no such model folder")
    if not (folder / "config.json").exists():
        raise DataError(f"{folder}: not a model folder, config.json is missing")
    if not any(folder.glob("*.safetensors")):
        raise DataError(f"{folder}: no *.safetensors file; other weight formats can run code and are refused")
    if not any((folder / name).exists() for name in TOKENIZER_FILES):
        raise DataError(f"{folder}: no tokenizer ({', '.join(TOKENIZER_FILES)}); save the tokenizer beside the weights")


def chat_template(folder: Path) -> str:
    """The chat template of a model folder. Raises DataError when it has none."""
    separate = folder / "chat_template.jinja"
    if separate.exists():
        try:
            return separate.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"{separate}: not UTF-8 text ({error})") from error
    config = folder / "tokenizer_config.json"
    template = read_json(config).get("chat_template") if config.exists() else None
    if not template:
        raise DataError(f"{folder}: no chat template (chat_template.jinja, or chat_template in tokenizer_config.json)")
    return template if isinstance(template, str) else json.dumps(template, sort_keys=True)


def write_model_json(folder: Path, name: str, revision: str, licence: str, parent: str = "") -> ModelReference:
    """Describe the model files that lie in `folder` and write `model.json` there."""
    require_model_folder(folder)
    files = tuple(
        {"path": p.relative_to(folder).as_posix(), "sha256": sha256_file(p), "bytes": p.stat().st_size}
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in ("model.json", "lineage.json")
    )
    digest = sha256_text(chat_template(folder))
    reference = ModelReference(name, ".", revision, licence, files, digest, parent)
    write_json(folder / "model.json", asdict(reference))
    return reference


def read_model_json(folder: Path) -> ModelReference:
    """Raises DataError when `model.json` is missing or not one, or when the files it describes are not beside it."""
    path = folder / "model.json"
    if not path.exists():
        raise DataError(f"{folder}: no model.json; bring the model in with the base_model stage")
    raw = read_json(path)
    try:
        reference = ModelReference(**{**raw, "files": tuple(raw["files"])})
        reference.digest  # noqa: B018 - reads path and sha256 of every file
    except (TypeError, KeyError) as error:
        raise DataError(
            f"{path}: not a description of a model ({error}); write it with the base_model stage"
        ) from error
    if reference.uri == ".":
        require_model_folder(folder)
    return reference
