"""The dependency rules of the rooms, read from the import statements of every source file."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = {
    "core": set(),
    "text": {"core"},
    "verify": {"core", "text"},
    "sample": {"core", "text", "verify"},
    "world": {"core", "text"},
    "benchmarks": {"core", "text", "world"},
    "track": {"core", "text", "benchmarks", "lineage"},
    "lineage": {"core"},
}
HEAVY = ("torch", "ray", "vllm", "datasets", "kfp", "transformers", "sentence_transformers", "sympy", "mlflow")
SOURCES = sorted((ROOT / "components").rglob("*.py")) + sorted((ROOT / "pipelines").rglob("*.py"))


def imports_of(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
        elif isinstance(node, ast.ImportFrom) and node.level:
            raise AssertionError(f"{path}: relative import")
    return names


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "components" and len(parts) > 2 else parts[0]


def test_rooms_import_only_what_is_below_them():
    faults = []
    for path in SOURCES:
        room = room_of(path)
        for name in imports_of(path):
            if not name.startswith("components."):
                continue
            target = name.split(".")[1]
            if room in ("pipelines", "components") or target == room:
                continue
            allowed = SHARED[room] if room in SHARED else set(SHARED)
            if target not in allowed:
                faults.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not faults


def test_only_resolve_and_pipelines_know_the_pipelines_package():
    faults = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if room_of(path) not in ("pipelines", "resolve")
        and any(n.split(".")[0] == "pipelines" for n in imports_of(path))
    ]
    assert not faults


def test_kfp_appears_only_in_wrappers_and_pipelines():
    faults = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.name != "component.py"
        and room_of(path) != "pipelines"
        and any(name.split(".")[0] == "kfp" for name in imports_of(path))
    ]
    assert not faults


def test_init_files_are_empty_and_rooms_are_named_for_what_they_hold():
    for path in SOURCES:
        if path.name == "__init__.py":
            assert not path.read_text().strip(), f"{path} is not empty"
        assert not {"utils", "common", "helpers"} & {*path.relative_to(ROOT).parts, path.stem}, path


@pytest.mark.parametrize("module", ["pipelines.recipe", "pipelines.cli", "pipelines.steps"])
def test_configs_and_recipe_load_nothing_heavy(module):
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "[]"


def test_every_stage_has_its_three_files():
    from pipelines.recipe import STAGE_CONFIGS

    for stage in STAGE_CONFIGS:
        for name in ("config.py", "run.py", "component.py"):
            assert (ROOT / "components" / stage / name).exists(), f"{stage}/{name}"


def test_test_files_have_names_of_their_own():
    """pytest imports test files by their bare name: two of the same name cannot be collected together."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) == len(set(names))
