"""The graph: one KFP pipeline built from a recipe's planned steps."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from kfp import dsl

from components.core.digest import source_hash
from components.resolve.component import resolve
from pipelines.recipe import Recipe, recipe_json
from pipelines.steps import PlannedStep, up_to

FUNCTION_NAMES = {"filter": "filter_problems"}
MANY = {("filter", "problems"), ("dedup", "problems"), ("register", "scores")}
"""Ports that take several artifacts: the component has them as NAME_1, NAME_2, …"""


def component_of(stage: str) -> Callable[..., Any]:
    module = import_module(f"components.{stage}.component")
    return getattr(module, FUNCTION_NAMES.get(stage, stage))  # type: ignore[no-any-return]


def build_pipeline(recipe: Recipe, until: str = "") -> Any:
    """The pipeline function of a recipe, cut after step `until` if given. Raises ConfigError for an unknown step."""
    steps = up_to(recipe.steps(), until) if until else recipe.steps()

    @dsl.pipeline(name=f"or1-{recipe.name.replace('_', '-')}", description=recipe.description)
    def pipeline(overrides: str = "{}", seed: int = 0, base_model: str = "", model_name: str = "") -> None:
        """From raw problems to a registered model.

        Args:
            overrides: JSON object of dotted setting path to value, e.g. {"train.learning_rate": 2e-6}.
            seed: Seed of everything random; 0 keeps the recipe's.
            base_model: Path or hub id of the model to start from; empty keeps the recipe's.
            model_name: Name under which the result is registered; empty keeps the recipe's.
        """
        configs = resolve(
            recipe=recipe_json(recipe),
            overrides=overrides,
            seed=seed,
            base_model=base_model,
            model_name=model_name,
            code=source_hash("resolve"),
        )
        tasks: dict[str, Any] = {}
        for step in steps:
            tasks[step.name] = _task(step, configs, tasks)

    return pipeline


def _task(step: PlannedStep, configs: Any, tasks: dict[str, Any]) -> Any:
    arguments: dict[str, Any] = {}
    for port, links in step.inputs.items():
        many = (step.stage, port) in MANY
        for number, (source, output) in enumerate(links, 1):
            name = f"{port}_{number}" if many else f"{port}_in"
            arguments[name] = tasks[source].outputs[output]
    component = component_of(step.stage)
    config = configs.outputs[f"{step.slot}_config"]
    task = component(step=step.name, config=config, code=source_hash(step.stage), **arguments)
    return task.set_display_name(step.name)


def compile_pipeline(recipe: Recipe, output: str, manifest: bool = False, until: str = "") -> None:
    """Write the pipeline IR as YAML, or with `manifest` as Pipeline and PipelineVersion objects."""
    from kfp import compiler
    from kfp.compiler.compiler_utils import KubernetesManifestOptions

    pipeline = build_pipeline(recipe, until)
    if not manifest:
        compiler.Compiler().compile(pipeline, output)
        return
    name = f"or1-{recipe.name.replace('_', '-')}"
    options = KubernetesManifestOptions(
        pipeline_name=name,
        pipeline_version_name=f"{name}-{source_hash('resolve')[:12]}",
        include_pipeline_manifest=True,
    )
    compiler.Compiler().compile(pipeline, output, kubernetes_manifest_format=True, kubernetes_manifest_options=options)
