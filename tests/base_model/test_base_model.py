"""The base_model stage on the bundled model, on broken folders, and on folders that want foreign code."""

import json
import shutil
from pathlib import Path

import pytest

from components.base_model.config import BaseModelConfig
from components.base_model.run import BUNDLED, STAGE, recorded_digests, require_digests
from components.core.digest import sha256_file
from components.core.errors import ConfigError, DataError
from components.core.model_files import read_model_json
from components.core.step import execute

TINY = BUNDLED / "tiny"


def stage(path, target, **settings):
    config = BaseModelConfig(name="tiny", path=str(path), **{"revision": "", "licence": "Apache-2.0", **settings})
    return execute(STAGE, "base_model", config.to_json(), {}, {"model": target})


@pytest.fixture
def folder(tmp_path) -> Path:
    return Path(shutil.copytree(TINY, tmp_path / "source"))


def test_bundled_model_becomes_an_artifact(tmp_path):
    result = stage("bundled:tiny", tmp_path / "model")
    reference = read_model_json(tmp_path / "model")
    assert (reference.revision, reference.licence, reference.uri) == ("bundled", "Apache-2.0", ".")
    assert {f["path"] for f in reference.files} == {
        "config.json", "generation_config.json", "chat_template.jinja", "model.safetensors", "tokenizer.json",
        "tokenizer_config.json",
    }  # fmt: skip
    assert all(sha256_file(tmp_path / "model" / f["path"]) == f["sha256"] for f in reference.files)
    assert result.counts["digest"] == reference.digest
    assert sum(p.stat().st_size for p in TINY.rglob("*")) < 6e6


def test_bundled_weights_are_the_recorded_ones(folder):
    config = BaseModelConfig(path="bundled:tiny")
    require_digests(TINY, recorded_digests(config, TINY))
    with open(folder / "model.safetensors", "r+b") as stream:
        stream.seek(-4, 2)
        stream.write(b"\x00\x01\x02\x03")
    with pytest.raises(DataError, match=r"model\.safetensors: sha256 is"):
        require_digests(folder, recorded_digests(config, TINY))


def test_same_model_has_the_same_digest_wherever_it_lies(tmp_path, folder):
    assert stage(folder, tmp_path / "a").counts == stage("bundled:tiny", tmp_path / "b").counts


@pytest.mark.parametrize(
    ("remove", "message"),
    [
        ("config.json", "config.json is missing"),
        ("model.safetensors", "no \\*.safetensors file"),
        ("tokenizer.json", "no tokenizer"),
        ("chat_template.jinja", "no chat template"),
    ],
)
def test_incomplete_folder_is_refused(tmp_path, folder, remove, message):
    (folder / remove).unlink()
    with pytest.raises(DataError, match=message):
        stage(folder, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_folder_with_remote_code_is_refused_and_python_files_stay_behind(tmp_path, folder):
    (folder / "modeling_custom.py").write_text("raise SystemExit")
    stage(folder, tmp_path / "model")
    assert not (tmp_path / "model" / "modeling_custom.py").exists()
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModelForCausalLM": "modeling_custom.Custom"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match="auto_map"):
        stage(folder, tmp_path / "again")


def test_wrong_settings_are_named(tmp_path, folder):
    with pytest.raises(ConfigError, match=r"no bundled model 'small'; there is tiny"):
        stage("bundled:small", tmp_path / "m")
    with pytest.raises(DataError, match="no folder, and no hub id"):
        stage(tmp_path / "nowhere", tmp_path / "m")
    with pytest.raises(ConfigError, match=r"base_model\.revision: a hub model needs the full 40-digit commit"):
        stage("some-owner/some-model", tmp_path / "m", revision="main")
    with pytest.raises(DataError, match=r"tokenizer\.json: sha256 is"):
        stage(folder, tmp_path / "m", expected_sha256={"tokenizer.json": "0" * 64})
    with pytest.raises(DataError, match=r"merges\.txt: missing"):
        stage(folder, tmp_path / "m", expected_sha256={"merges.txt": "0" * 64})
