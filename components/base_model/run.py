"""The base_model stage: bring the model to start from into an artifact, and describe it.

A model is a folder with config.json, safetensors weights, a tokenizer and a chat template. Nothing that would need
code from outside is taken.
"""

import logging
import os
import re
import shutil
from pathlib import Path
from typing import Any

from components.base_model.config import BaseModelConfig
from components.core.digest import sha256_file
from components.core.errors import ConfigError, DataError, InfraError
from components.core.files import read_json
from components.core.model_files import chat_template, require_model_folder, write_model_json
from components.core.step import Counts, Inputs, Outputs, Port, Stage

log = logging.getLogger(__name__)

BUNDLED = Path(__file__).parent / "bundled"
BUNDLED_PREFIX = "bundled:"
MODEL_FILES = (
    "config.json", "generation_config.json", "chat_template.jinja", "tokenizer.json", "tokenizer_config.json",
    "tokenizer.model", "vocab.json", "merges.txt", "special_tokens_map.json", "added_tokens.json",
)  # fmt: skip
"""Files that are copied when present, besides `*.safetensors` and the weight index. Never any `*.py` or `*.bin`."""
WEIGHTS = "model.safetensors"
LINK_BYTES = 64 << 20
"""A file this big is linked: a copy of billions of parameters would be slow and fill the disk."""


def run(config: BaseModelConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Raises ConfigError, DataError (the folder is not a usable model) or InfraError (the hub cannot be reached)."""
    source = find_folder(config)
    require_model_folder(source)
    chat_template(source)
    refuse_remote_code(source)
    require_digests(source, recorded_digests(config, source))
    require_digests(source, config.expected_sha256)
    target = outputs["model"]
    for path in chosen_files(source):
        _bring(path, target / path.name)
    revision = config.revision or ("bundled" if config.path.startswith(BUNDLED_PREFIX) else "local")
    reference = write_model_json(target, config.name, revision, config.licence)
    size = sum(f["bytes"] for f in reference.files)
    log.info("model %s: %d files, %.1f MB, digest %s", config.name, len(reference.files), size / 1e6, reference.digest)
    return {"files": len(reference.files), "bytes": size, "digest": reference.digest}


def find_folder(config: BaseModelConfig) -> Path:
    """The local folder of the model, downloaded at the pinned commit when `path` is a hub id."""
    if config.path.startswith(BUNDLED_PREFIX):
        name = config.path.removeprefix(BUNDLED_PREFIX)
        known = sorted(p.name for p in BUNDLED.iterdir() if p.is_dir()) if BUNDLED.is_dir() else []
        if name not in known:
            raise ConfigError(f"base_model.path: no bundled model '{name}'; there is {', '.join(known) or 'none'}")
        return BUNDLED / name
    folder = Path(config.path).expanduser()
    if folder.is_dir():
        return folder
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", config.path) or folder.is_absolute():
        raise DataError(f"base_model.path: {config.path} is no folder, and no hub id of the form owner/name")
    return _download(config)


def _download(config: BaseModelConfig) -> Path:
    if not re.fullmatch(r"[0-9a-f]{40}", config.revision):
        raise ConfigError("base_model.revision: a hub model needs the full 40-digit commit, a branch can change")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    log.info("fetching %s at %s", config.path, config.revision)
    wanted = [*MODEL_FILES, "*.safetensors", "*.safetensors.index.json"]
    try:
        return Path(snapshot_download(config.path, revision=config.revision, allow_patterns=wanted))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise InfraError(
            f"base_model.path: {config.path} at {config.revision} could not be fetched ({error}); "
            "check the network and the id, or give a local folder"
        ) from error


def chosen_files(folder: Path) -> list[Path]:
    """The files of a model folder that make the model, sorted by name."""
    patterns = (*MODEL_FILES, "*.safetensors", "*.safetensors.index.json")
    return sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})


def refuse_remote_code(folder: Path) -> None:
    """Raises DataError when a config names Python classes that the repository would have to bring along."""
    for name in ("config.json", "tokenizer_config.json"):
        settings: Any = read_json(folder / name) if (folder / name).exists() else {}
        if not isinstance(settings, dict):
            raise DataError(f"{folder / name}: not a JSON object")
        if settings.get("auto_map"):
            raise DataError(
                f"{folder / name}: 'auto_map' asks for code from the model's repository; "
                "such models are refused, choose one whose architecture the transformers library has"
            )


def recorded_digests(config: BaseModelConfig, folder: Path) -> dict[str, str]:
    """What the training record of a bundled model says of its weights; nothing for other models."""
    if not config.path.startswith(BUNDLED_PREFIX):
        return {}
    return {WEIGHTS: str(read_json(folder / "training_record.json")["weights_sha256"])}


def require_digests(folder: Path, expected: dict[str, str]) -> None:
    """Raises DataError naming the first file that is absent or different."""
    for name, digest in sorted(expected.items()):
        if not (folder / name).is_file():
            raise DataError(f"{folder / name}: missing, but a sha256 is expected for it")
        actual = sha256_file(folder / name)
        if actual != digest.lower():
            raise DataError(f"{folder / name}: sha256 is {actual}, expected {digest}; fetch the file again")


def _bring(source: Path, target: Path) -> None:
    """Copy a file into the artifact; hard link a big one where the disk allows. Follows the hub's links."""
    if source.stat().st_size >= LINK_BYTES:
        try:
            os.link(source.resolve(), target)
            return
        except OSError:
            log.info("%s: copied, not linked (another file system)", source.name)
    shutil.copyfile(source, target)


STAGE = Stage("base_model", BaseModelConfig, run, outputs=(Port("model", "model"),))
