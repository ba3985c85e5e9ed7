"""The bundled tiny model as a model folder."""

import shutil
from pathlib import Path

import pytest

from components.core.model_files import write_model_json

BUNDLED = Path(__file__).parents[2] / "components" / "base_model" / "bundled" / "tiny"


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (BUNDLED / "model.safetensors").exists():
        pytest.skip("the bundled tiny model is not there")
    folder = tmp_path_factory.mktemp("model") / "tiny"
    shutil.copytree(BUNDLED, folder)
    if not (folder / "model.json").exists():
        write_model_json(folder, "tiny", "bundled", "Apache-2.0")
    return folder
