"""Weights out of the trainer: to the engines that sample, and into a model folder."""

import json
import logging
import shutil
from pathlib import Path

import numpy as np

from components.core.errors import InfraError
from components.core.files import read_json
from components.core.model_files import ModelReference, read_model_json, write_model_json
from components.sample.engine import Engine

log = logging.getLogger(__name__)
Arrays = dict[str, np.ndarray]
COPIED = (
    "config.json", "generation_config.json", "tokenizer*", "vocab.json", "merges.txt", "special_tokens_map.json",
    "added_tokens.json", "chat_template*", "LICENSE*",
)  # fmt: skip
MAX_SHARD_BYTES = 5_000_000_000


def push_weights(engines: Engine, weights: Arrays) -> None:
    """Give every engine the trainer's whole weights. The engine checks names and shapes, and itself."""
    engines.load_weights(weights)


def weights_dtype(folder: Path) -> str:
    """The type in which a model folder keeps its weights, by its config.json."""
    settings = read_json(folder / "config.json")
    return str(settings.get("dtype") or settings.get("torch_dtype") or "float32")


def write_model(folder: Path, weights: Arrays, source: Path, label: str, step: int) -> ModelReference:
    """A Hugging Face model folder: trained weights as safetensors in the type of the model trained from, tokenizer
    and config copied from it, and model.json with its digest as parent. Raises InfraError (disk)."""
    parent = read_model_json(source)
    try:
        for pattern in COPIED:
            for path in sorted(source.glob(pattern)):
                shutil.copyfile(path, folder / path.name)
        _write_shards(folder, weights, weights_dtype(source))
    except OSError as error:
        raise InfraError(f"{folder}: the model could not be written ({error.strerror or error})") from error
    return write_model_json(folder, f"{parent.name}-{label}", f"step-{step}", parent.licence, parent.digest)


def _write_shards(folder: Path, weights: Arrays, dtype: str) -> None:
    """One file, or several with an index when the weights are large."""
    import torch
    from safetensors.torch import save_file

    shards: list[list[str]] = [[]]
    used = 0
    for name in sorted(weights):
        if shards[-1] and used + weights[name].nbytes > MAX_SHARD_BYTES:
            shards.append([])
            used = 0
        shards[-1].append(name)
        used += weights[name].nbytes
    files = {}
    for number, names in enumerate(shards, 1):
        lone = len(shards) == 1
        file = "model.safetensors" if lone else f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        tensors = {n: torch.from_numpy(weights[n]).to(getattr(torch, dtype)).contiguous() for n in names}
        save_file(tensors, folder / file, metadata={"format": "pt"})
        files.update(dict.fromkeys(names, file))
    if len(shards) > 1:
        total = sum(a.size for a in weights.values()) * getattr(torch, dtype).itemsize
        index = {"metadata": {"total_size": total}, "weight_map": files}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1, sort_keys=True), "utf-8")
