"""Every recipe compiles, to one task per planned step, twice to the same bytes."""

import pytest
import yaml

from pipelines.graph import compile_pipeline
from pipelines.recipe import load_recipe, recipe_names


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_compiles(name, tmp_path):
    recipe = load_recipe(name)
    compile_pipeline(recipe, str(tmp_path / "a.yaml"))
    compile_pipeline(recipe, str(tmp_path / "b.yaml"))
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()
    spec = next(yaml.safe_load_all((tmp_path / "a.yaml").read_text()))
    tasks = spec["root"]["dag"]["tasks"]
    names = {task["taskInfo"]["name"] for task in tasks.values()}
    assert names == {step.name for step in recipe.steps()} | {"resolve"}
    assert set(spec["root"]["inputDefinitions"]["parameters"]) == {"overrides", "seed", "base_model", "model_name"}
    images = {e["container"]["image"] for e in spec["deploymentSpec"]["executors"].values()}
    assert all("latest" not in image for image in images)


def test_kubernetes_objects(tmp_path):
    compile_pipeline(load_recipe("tiny"), str(tmp_path / "m.yaml"), manifest=True)
    kinds = [document["kind"] for document in yaml.safe_load_all((tmp_path / "m.yaml").read_text())]
    assert kinds == ["Pipeline", "PipelineVersion"]
