"""Recipe and run parameters in, one validated config per step out. The first step of every graph.

A wrong setting stops here, in seconds, with its name. Local files are pinned by digest, so that the key of a
step follows their content and not their place. This is the one stage that looks upward (to `pipelines.recipe`):
it stands for the graph itself.
"""

import json
import logging
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from components.core.errors import ConfigError
from components.core.files import write_text

log = logging.getLogger(__name__)


def apply_parameters(recipe_text: str, parameters: Mapping[str, Any]) -> Any:
    """The recipe with the run's parameters applied. Raises ConfigError naming the parameter or field.

    parameters: overrides (JSON object of dotted path -> value), seed (0 keeps the recipe's), base_model and
    model_name (empty keep the recipe's)."""
    from pipelines.recipe import parse_recipe, set_path

    raw = json.loads(recipe_text)
    shape = _shape(raw)
    for path, value in _overrides(str(parameters.get("overrides") or "{}")).items():
        set_path(raw, path, value)
    if parameters.get("seed"):
        raw["seed"] = int(parameters["seed"])
    if parameters.get("base_model"):
        raw.setdefault("base_model", {})["path"] = parameters["base_model"]
    if parameters.get("model_name"):
        raw.setdefault("register_", {})["model_name"] = parameters["model_name"]
    recipe = parse_recipe(raw, f"recipe {raw.get('name')}")
    if _shape(raw) != shape:
        raise ConfigError(
            "overrides: the names of sources and the number of train stages are fixed when the graph is compiled"
        )
    return recipe


def _overrides(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"parameter 'overrides': not valid JSON ({error})") from error
    if not isinstance(value, dict):
        raise ConfigError("parameter 'overrides': expected a JSON object of setting path -> value")
    return value


def _shape(raw: Mapping[str, Any]) -> tuple[list[str], int]:
    return [str(s.get("name")) for s in raw["data"]["sources"]], len(raw.get("train", {}).get("stages", []))


def resolve_to_files(recipe_text: str, parameters: Mapping[str, Any], paths: Mapping[str, str], report: str) -> None:
    """Write the config of every slot to its path (`{}` for slots the recipe does not use), and an HTML overview."""
    from pipelines.pinning import pin_files
    from pipelines.recipe import config_text, expand

    recipe = apply_parameters(recipe_text, parameters)
    texts = {slot: config_text(pin_files(config, recipe.data.root)) for slot, config in expand(recipe).items()}
    unknown = set(texts) - set(paths)
    if unknown:
        raise AssertionError(f"resolve has no output for {sorted(unknown)}")
    for slot, path in paths.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(texts.get(slot, "{}"), encoding="utf-8")
    rows = "".join(f"<h2>{escape(slot)}</h2><pre>{escape(text)}</pre>" for slot, text in texts.items())
    policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    write_text(Path(report), f"<!doctype html><meta charset='utf-8'>{policy}<title>{escape(recipe.name)}</title>{rows}")
    log.info("resolve: %d step configs from recipe %s", len(texts), recipe.name)
