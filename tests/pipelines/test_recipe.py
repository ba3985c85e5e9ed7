"""Recipes: every one parses and expands, shared settings reach the stages, and wrong input is named."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from components.core.errors import ConfigError
from pipelines.pinning import pin_files
from pipelines.recipe import config_text, expand, load_recipe, parse_recipe, recipe_json, recipe_names

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_expands_to_one_config_per_step(name):
    recipe = load_recipe(name)
    configs = expand(recipe)
    assert set(configs) == {step.slot for step in recipe.steps()}
    again = parse_recipe(json.loads(recipe_json(recipe)), name)
    assert {k: v.to_json() for k, v in expand(again).items()} == {k: v.to_json() for k, v in configs.items()}


def test_paper_stage_tables():
    """Tables 10 to 12: steps, context, batch and group of each stage."""
    expected = {
        "or1_math_7b": [
            (740, 8192, 256, 16, 2),
            (1000, 16384, 256, 16, 2),
            (340, 32768, 256, 16, 2),
            (80, 32768, 128, 64, 2),
        ],
        "or1_7b": [(660, 16384, 256, 16, 1), (660, 32768, 160, 32, 1)],
        "or1_32b": [(760, 16384, 256, 16, 1), (370, 24576, 160, 32, 1)],
    }
    for name, stages in expected.items():
        configs = [c for slot, c in sorted(expand(load_recipe(name)).items()) if slot.startswith("train_")]
        got = [(c.num_steps, c.max_response_tokens, c.num_prompts, c.group_size, c.num_updates) for c in configs]
        assert got == stages
        assert all(
            (c.learning_rate, c.temperature, c.clip_low, c.entropy.target) == (1e-6, 1.0, 0.2, 0.2) for c in configs
        )


def test_shared_settings_reach_the_stages_and_sections_win():
    recipe = load_recipe(
        "tiny",
        ["seed=7", "verifier.test_timeout_s=1.5", "evaluate.verifier.test_timeout_s=9", "train.stages.1.num_steps=3"],
    )
    configs = expand(recipe)
    assert configs["train_1"].seed == configs["difficulty"].seed == configs["evaluate_final"].seed == 7
    assert (
        configs["difficulty"].verifier.test_timeout_s == 1.5 and configs["evaluate_base"].verifier.test_timeout_s == 9
    )
    assert configs["evaluate_base"].verifier.memory_limit_mb == recipe.verifier.memory_limit_mb
    assert (configs["train_1"].num_steps, configs["train_2"].num_steps, configs["train_2"].stage_index) == (25, 3, 2)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["trian.num_prompts=4"], "unknown setting 'trian'"),
        (["train.num_promts=4"], "train.stages.0: unknown setting 'num_promts'"),
        (["train.stages.5.num_steps=4"], "no item '5'"),
        (["data.sources.nope.licence=x"], "no item 'nope'"),
        (["dedup=3"], "setting 'dedup'"),
        (["seed"], "expected path=value"),
        (["data.sources=[]"], "data.sources is empty"),
        (["data.sources.1.name=numinamath"], "same name"),
    ],
)
def test_wrong_settings_are_named(overrides, message):
    with pytest.raises(ConfigError, match=message):
        expand(load_recipe("tiny", overrides))


def test_unknown_and_broken_recipes(tmp_path):
    with pytest.raises(ConfigError, match="'nope' not found; there are .*tiny"):
        load_recipe("nope")
    (tmp_path / "a.yaml").write_text("name: [")
    with pytest.raises(ConfigError, match="not valid YAML"):
        load_recipe(str(tmp_path / "a.yaml"))
    (tmp_path / "b.yaml").write_text(f"extends: {tmp_path}/b.yaml\nname: b")
    with pytest.raises(ConfigError, match="extends itself"):
        load_recipe(str(tmp_path / "b.yaml"))


def test_the_local_runner_cannot_change_a_config():
    recipe = load_recipe("tiny", ["data.sources.0.url=see python3 notes"])
    text = config_text(expand(recipe)["ingest_1"])
    assert "python3" not in text and json.loads(text)["url"] == "see python3 notes"


def test_local_files_are_pinned_by_content(tmp_path):
    for name, body in (("b.jsonl", "2"), ("a.jsonl", "1")):
        (tmp_path / name).write_text(body)
    raw = yaml.safe_load((ROOT / "pipelines/recipes/tiny.yaml").read_text())
    raw["data"]["root"] = str(tmp_path)
    raw["data"]["sources"][0]["files"] = ["*.jsonl"]
    config = pin_files(expand(parse_recipe(raw, "t"))["ingest_1"], str(tmp_path))
    assert [(f.path, f.sha256[:8]) for f in config.files] == [("a.jsonl", "6b86b273"), ("b.jsonl", "d4735e3a")]


def test_help_and_recipes_load_nothing_heavy():
    """`or1 --help` and `or1 recipes` must be instant: neither pydantic models of stages nor any engine is loaded."""
    for verb in (["--help"], ["recipes"]):
        code = (
            f"import sys; from pipelines.cli import main\ntry:\n main({verb!r})\nexcept SystemExit: pass\n"
            "print('HEAVY', [m for m in ('torch','ray','kfp','pyarrow','transformers') if m in sys.modules])"
        )
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
        assert out.strip().endswith("HEAVY []")


def test_exit_codes(tmp_path):
    def code(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "pipelines.cli", *arguments], capture_output=True, text=True, cwd=ROOT
        )

    assert code("run", "nope").returncode == 2
    assert "no stage 'nope'" in code("stage", "nope").stderr
    missing = code("grade", "math", "--input", str(tmp_path / "none.jsonl"))
    assert missing.returncode == 1 and "no such file" in missing.stderr


def test_a_local_base_model_is_pinned_by_its_files(tmp_path):
    """Two models under one name must not share a step key, else a stored result of the old one is taken."""

    def pinned(path):
        raw = {"name": "t", "description": "t", "data": {"sources": [{"name": "a", "adapter": "deepscaler"}]}}
        raw["data"]["sources"][0]["files"] = ["a.jsonl"]
        raw["base_model"] = {"path": path, "name": "m", "revision": "", "licence": ""}
        return pin_files(expand(parse_recipe(raw, "t"))["base_model"], "")

    bundled = pinned("bundled:tiny").expected_sha256
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(bundled)
    (tmp_path / "config.json").write_text("{}")
    before = pinned(str(tmp_path))
    assert before.expected_sha256 == {"config.json": hashlib.sha256(b"{}").hexdigest()}
    (tmp_path / "config.json").write_text("{ }")
    assert pinned(str(tmp_path)).to_json() != before.to_json()
    assert pinned("owner/model").expected_sha256 == {} == pinned("bundled:absent").expected_sha256
