"""Every engine by its name in the config, and the choice that `auto` makes.

To add one: a file with the engine, a builder here, the name in config.py.
"""

import importlib.util
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from components.core.errors import ConfigError
from components.core.files import read_json
from components.sample.config import SamplerConfig
from components.sample.engine import Engine

log = logging.getLogger(__name__)

TINY_MODEL_PARAMETERS = 20_000_000
"""Below this vLLM's start-up on a CPU costs more than the sampling itself."""

Builder = Callable[[SamplerConfig, Path, int], Engine]


def _transformers(config: SamplerConfig, folder: Path, max_model_tokens: int) -> Engine:
    from components.sample.transformers_engine import TransformersEngine

    return TransformersEngine(folder, max_model_tokens, config.batch_size, config.dtype)


def _vllm(config: SamplerConfig, folder: Path, max_model_tokens: int) -> Engine:
    from components.sample.vllm_engine import VllmEngine

    canary = config.canary and num_parameters(folder) < TINY_MODEL_PARAMETERS
    return VllmEngine(
        folder, max_model_tokens, config.batch_size, config.dtype, config.vllm_gpu_memory_share,
        config.vllm_cpu_cache_gib, canary,
    )  # fmt: skip


def _endpoint(config: SamplerConfig, folder: Path, max_model_tokens: int) -> Engine:
    from components.sample.endpoint_engine import EndpointEngine

    return EndpointEngine(config, _tokenizer(folder), max_model_tokens)


def _scripted(config: SamplerConfig, folder: Path, max_model_tokens: int) -> Engine:
    from components.sample.scripted_engine import ScriptedEngine

    if not config.scripted_file:
        raise ConfigError("setting 'sampler.scripted_file': engine 'scripted' needs the file of its responses")
    has_tokenizer = (folder / "tokenizer.json").exists()
    return ScriptedEngine.from_file(Path(config.scripted_file), _tokenizer(folder) if has_tokenizer else None)


ENGINES: dict[str, Builder] = {
    "transformers": _transformers,
    "vllm": _vllm,
    "endpoint": _endpoint,
    "scripted": _scripted,
}
WITHOUT_WORKERS = ("endpoint", "scripted")
"""Engines that compute nothing here: a pool of them would gain nothing."""


def make_engine(config: SamplerConfig, model_folder: Path, max_model_tokens: int) -> Engine:
    """Build the engine that the config asks for. Raises ConfigError (a wrong setting, vLLM missing), DataError."""
    name, reason = choose_engine(config, model_folder)
    log.info("sampling with the %s engine (%s)", name, reason)
    return ENGINES[name](config, model_folder, max_model_tokens)


def choose_engine(config: SamplerConfig, model_folder: Path) -> tuple[str, str]:
    """The engine's name, and why."""
    if config.engine != "auto":
        return config.engine, "set in the config"
    if importlib.util.find_spec("vllm") is None:
        return "transformers", "auto: vLLM is not installed"
    size = num_parameters(model_folder)
    if size < TINY_MODEL_PARAMETERS and not _has_gpu():
        return (
            "transformers",
            f"auto: {size / 1e6:.1f} million parameters on a CPU, vLLM would start longer than it runs",
        )
    return "vllm", f"auto: vLLM is installed and the model has {size / 1e6:.0f} million parameters"


def num_parameters(folder: Path) -> int:
    """Parameters stored in a model folder, from the headers of its safetensors files."""
    import math

    from safetensors import safe_open

    total = 0
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="numpy") as tensors:
            total += sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118
    return total


def context_tokens(config: SamplerConfig, folder: Path) -> int:
    """Prompt and response tokens that fit the model together: its max_position_embeddings, or less if so set."""
    model = read_json(folder / "config.json")
    positions = model.get("max_position_embeddings") or model.get("text_config", {}).get("max_position_embeddings")
    if config.max_model_tokens and positions and config.max_model_tokens > positions:
        raise ConfigError(
            f"setting 'sampler.max_model_tokens': {config.max_model_tokens} is more than the model's {positions}"
        )
    if not (config.max_model_tokens or positions):
        raise ConfigError(f"{folder}/config.json has no max_position_embeddings; set sampler.max_model_tokens")
    return int(config.max_model_tokens or positions)


def _has_gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
