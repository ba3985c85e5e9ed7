"""The first step of the graph: run parameters become step configs, wrong ones are named in seconds."""

import json

import pytest

from components.core.errors import ConfigError
from components.resolve.run import apply_parameters, resolve_to_files
from pipelines.recipe import load_recipe, recipe_json

TINY = recipe_json(load_recipe("tiny"))
NONE = {"overrides": "{}", "seed": 0, "base_model": "", "model_name": ""}


def resolved(tmp_path, **parameters):
    slots = {step.slot for step in load_recipe("tiny").steps()} | {"ingest_12", "train_6"}
    paths = {slot: str(tmp_path / slot) for slot in slots}
    resolve_to_files(TINY, {**NONE, **parameters}, paths, str(tmp_path / "report.html"))
    return {slot: json.loads((tmp_path / slot).read_text()) for slot in slots}


def test_parameters_reach_their_steps_only(tmp_path):
    plain = resolved(tmp_path / "a")
    seeded = resolved(tmp_path / "b", seed=9)
    renamed = resolved(tmp_path / "c", model_name="mine", overrides='{"train.learning_rate": 0.5}')
    changed = {slot for slot in plain if plain[slot] != seeded[slot]}
    assert {"train_1", "difficulty", "evaluate_base"} <= changed and not {"filter", "answers", "ingest_1"} & changed
    assert {slot for slot in plain if plain[slot] != renamed[slot]} == {"train_1", "train_2", "register"}
    assert renamed["train_2"]["learning_rate"] == 0.5 and renamed["register"]["model_name"] == "mine"


def test_unused_slots_are_empty_and_bundled_files_pinned(tmp_path):
    configs = resolved(tmp_path)
    assert configs["ingest_12"] == configs["train_6"] == {}
    assert all(len(file["sha256"]) == 64 for file in configs["ingest_1"]["files"])
    assert "<h2>filter</h2>" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"overrides": "[1]"}, "expected a JSON object"),
        ({"overrides": "{"}, "not valid JSON"),
        ({"overrides": '{"train.stages": []}'}, "fixed when the graph is compiled"),
        ({"overrides": '{"data.sources.0.name": "other"}'}, "fixed when the graph is compiled"),
        ({"overrides": '{"nope": 1}'}, "unknown setting 'nope'"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ConfigError, match=message):
        apply_parameters(TINY, {**NONE, **parameters})
