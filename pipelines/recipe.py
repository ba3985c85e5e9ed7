"""A recipe: one YAML that says what differs from the vetted defaults, and its expansion into one config per step.

Shared settings (`prompt`, `verifier`, `sampler`, `benchmarks`, `seed`, `data.root`) are written once at the top
and handed to every stage whose config has a field of that name; a stage's own section wins. Importing this
module loads no torch, ray, vllm, datasets or kfp.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from components.answers.config import AnswersConfig
from components.base_model.config import BaseModelConfig
from components.benchmarks.config import BenchmarkConfig
from components.core.config import StrictConfig
from components.core.errors import ConfigError
from components.decontaminate.config import DecontaminateConfig
from components.dedup.config import DedupConfig
from components.difficulty.config import DifficultyConfig
from components.evaluate.config import EvaluateConfig
from components.filter.config import FilterConfig
from components.ingest.config import IngestConfig
from components.judge.config import JudgeConfig
from components.mix.config import MixConfig
from components.register.config import RegisterConfig
from components.sample.config import SamplerConfig
from components.text.config import PromptConfig
from components.train.config import TrainConfig
from components.validate_tests.config import ValidateTestsConfig
from components.verify.config import VerifierConfig
from pipelines.steps import PlannedStep, plan_steps

RECIPES = Path(__file__).parent / "recipes"
MAX_SOURCES = 12
MAX_TRAIN_STAGES = 6
STAGE_CONFIGS: dict[str, type[StrictConfig]] = {
    "ingest": IngestConfig,
    "filter": FilterConfig,
    "answers": AnswersConfig,
    "validate_tests": ValidateTestsConfig,
    "dedup": DedupConfig,
    "decontaminate": DecontaminateConfig,
    "base_model": BaseModelConfig,
    "difficulty": DifficultyConfig,
    "judge": JudgeConfig,
    "mix": MixConfig,
    "train": TrainConfig,
    "evaluate": EvaluateConfig,
    "register": RegisterConfig,
}


class DataConfig(StrictConfig):
    """The raw material."""

    root: str = ""
    """Folder that relative file names of sources and benchmarks start from."""
    sources: tuple[dict[str, Any], ...]
    """One ingest config per source, in order: of duplicates the earlier source is kept."""


class Recipe(StrictConfig):
    """The top level of a recipe file. Sections hold only what differs from a stage's own defaults."""

    name: str
    description: str
    seed: int = 1
    data: DataConfig
    prompt: PromptConfig = PromptConfig()
    verifier: VerifierConfig = VerifierConfig()
    sampler: SamplerConfig = SamplerConfig()
    benchmarks: tuple[BenchmarkConfig, ...] = ()
    base_model: dict[str, Any] = {}
    filter: dict[str, Any] = {}
    answers: dict[str, Any] = {}
    validate_tests: dict[str, Any] = {}
    dedup: dict[str, Any] = {}
    decontaminate: dict[str, Any] = {}
    difficulty: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    mix: dict[str, Any] = {}
    train: dict[str, Any] = {}
    """Settings of all train stages, and `stages`: a list with what each stage changes. No stages: no training."""
    evaluate: dict[str, Any] = {}
    register_: dict[str, Any] = {}

    @property
    def train_stages(self) -> list[dict[str, Any]]:
        return list(self.train.get("stages", []))

    def source_names(self) -> list[str]:
        return [str(source.get("name", f"number {i}")) for i, source in enumerate(self.data.sources, 1)]

    def steps(self) -> list[PlannedStep]:
        return plan_steps(self.source_names(), len(self.train_stages))


def recipe_names() -> list[str]:
    return sorted(path.stem for path in RECIPES.glob("*.yaml"))


def recipe_text(name_or_path: str) -> str:
    """The YAML of a recipe by name or path. Raises ConfigError naming what there is."""
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = RECIPES / f"{name_or_path}.yaml"
    if not path.is_file():
        raise ConfigError(
            f"recipe '{name_or_path}' not found; there are {', '.join(recipe_names())}, or give a .yaml file"
        )
    return path.read_text(encoding="utf-8")


def load_recipe(name_or_path: str, overrides: Sequence[str] = ()) -> Recipe:
    """Read a recipe and apply `path=value` overrides (values are YAML). Raises ConfigError naming the field."""
    raw = _read_yaml(name_or_path)
    for override in overrides:
        path, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"--set {override}: expected path=value")
        set_path(raw, path, _yaml_value(path, value))
    return parse_recipe(raw, f"recipe {name_or_path}")


def _read_yaml(name_or_path: str, above: tuple[str, ...] = ()) -> dict[str, Any]:
    """The raw settings of a recipe, on top of those of the recipe it `extends`."""
    if name_or_path in above:
        raise ConfigError(f"recipe {name_or_path}: extends itself through {' -> '.join(above)}")
    try:
        raw = yaml.safe_load(recipe_text(name_or_path))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"recipe {name_or_path}: not valid YAML: {error}") from error
    if not isinstance(raw, dict):
        raise ConfigError(f"recipe {name_or_path}: expected a mapping at the top")
    base = raw.pop("extends", None)
    return merge(_read_yaml(str(base), (*above, name_or_path)), raw) if base else raw


def merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """`above` on top of `below`: mappings are merged, everything else (lists too) is replaced."""
    merged = dict(below)
    for name, value in above.items():
        both = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = merge(merged[name], value) if both else value
    return merged


def parse_recipe(raw: Mapping[str, Any], where: str) -> Recipe:
    settings = dict(raw)
    if (
        "register" in settings
    ):  # `register` is a method name of pydantic's metaclass, so the field has a trailing underscore
        settings["register_"] = settings.pop("register")
    recipe = Recipe.parse(settings, where=where)
    names = recipe.source_names()
    if not names:
        raise ConfigError(f"{where}: data.sources is empty; name at least one source")
    for limit, count, field in (
        (MAX_SOURCES, len(names), "data.sources"),
        (MAX_TRAIN_STAGES, len(recipe.train_stages), "train.stages"),
    ):
        if count > limit:
            raise ConfigError(f"{where}: {field} has {count} items, at most {limit} fit the graph")
    if len(set(names)) != len(names):
        raise ConfigError(f"{where}: data.sources: two sources have the same name")
    return recipe


def _yaml_value(path: str, value: str) -> Any:
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {path}: '{value}' is not a YAML value ({error})") from error


def set_path(raw: dict[str, Any], path: str, value: Any) -> None:
    """Set `a.b.0.c` in nested mappings and lists. Raises ConfigError naming the part that does not exist."""
    where: Any = raw
    parts = path.split(".")
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1
        if isinstance(where, list):
            index = _list_index(where, part, path)
            if last:
                where[index] = value
            else:
                where = where[index]
        elif isinstance(where, dict):
            if last:
                where[part] = value
            else:
                where = where.setdefault(part, {})
        else:
            raise ConfigError(f"--set {path}: '{'.'.join(parts[:depth])}' is a plain value, it has no '{part}'")


def _list_index(items: list[Any], part: str, path: str) -> int:
    names = [item.get("name") for item in items if isinstance(item, dict)]
    if part in names:
        return names.index(part)
    if part.isdigit() and int(part) < len(items):
        return int(part)
    raise ConfigError(f"--set {path}: no item '{part}'; there are {len(items)}" + (f" named {names}" if names else ""))


def expand(recipe: Recipe) -> dict[str, StrictConfig]:
    """Slot -> the full config of its step. Everything is validated; ConfigError names section and field."""
    shared: dict[str, Any] = {
        "seed": recipe.seed,
        "root": recipe.data.root,
        "prompt": recipe.prompt.model_dump(mode="json"),
        "verifier": recipe.verifier.model_dump(mode="json"),
        "sampler": recipe.sampler.model_dump(mode="json"),
        "benchmarks": [b.model_dump(mode="json") for b in recipe.benchmarks],
    }
    configs = {}
    for step in recipe.steps():
        section, where = _section(recipe, step)
        kind = STAGE_CONFIGS[step.stage]
        settings = {name: value for name, value in shared.items() if name in kind.model_fields}
        for name, value in section.items():
            both_maps = isinstance(value, dict) and isinstance(settings.get(name), dict)
            settings[name] = merge(settings[name], value) if both_maps else value
        configs[step.slot] = kind.parse(settings, where=f"recipe {recipe.name}: {where}")
    return configs


def _section(recipe: Recipe, step: PlannedStep) -> tuple[dict[str, Any], str]:
    if step.stage == "ingest":
        index = int(step.slot.rpartition("_")[2]) - 1
        return dict(recipe.data.sources[index]), f"data.sources.{recipe.source_names()[index]}"
    if step.stage == "train":
        index = int(step.slot.rpartition("_")[2]) - 1
        common = {k: v for k, v in recipe.train.items() if k != "stages"}
        stage = recipe.train_stages[index]
        if not isinstance(stage, dict):
            raise ConfigError(f"recipe {recipe.name}: train.stages.{index}: expected a mapping")
        return {**merge(common, stage), "stage_index": index + 1}, f"train.stages.{index}"
    field = "register_" if step.stage == "register" else step.stage
    return dict(getattr(recipe, field)), step.stage


def config_text(config: StrictConfig) -> str:
    """Exact JSON for a parameter. The local subprocess runner rewrites one interpreter name wherever it stands in
    a parameter, so a letter of it is escaped: the parsed value is the same."""
    return config.to_json().replace("python3", "pytho\\u006e3")


def recipe_json(recipe: Recipe) -> str:
    return json.dumps(recipe.model_dump(mode="json"), sort_keys=True, ensure_ascii=False).replace(
        "python3", "pytho\\u006e3"
    )
