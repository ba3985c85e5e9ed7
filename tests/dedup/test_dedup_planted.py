"""The bundled sources hold rows with a known fate: filter, dedup and decontaminate must agree with every one.

Sentence vectors are switched off: no ordinary row and no planted row needs them to be decided rightly.
"""

import json
from pathlib import Path

import pytest
import yaml

from components.benchmarks.catalog import load_benchmark
from components.benchmarks.config import BenchmarkConfig
from components.core.records import Dropped, Problem, read_problems
from components.core.step import execute
from components.decontaminate.config import DecontaminateConfig
from components.decontaminate.run import decontaminate
from components.dedup.config import DedupConfig
from components.dedup.run import deduplicate
from components.filter.config import FilterConfig
from components.filter.run import apply_rules
from components.ingest.run import STAGE as INGEST

ROOT = Path(__file__).parents[2]
OTHER_STEPS = {"answers", "validate_tests"}


@pytest.fixture(scope="module")
def fates(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Problem], dict[str, Dropped]]:
    """All ingested rows, and the dropped record of each that left (by row id)."""
    recipe = yaml.safe_load((ROOT / "pipelines/recipes/tiny.yaml").read_text())
    problems: list[Problem] = []
    for source in recipe["data"]["sources"]:
        folder = tmp_path_factory.mktemp(source["name"])
        outputs = {port: folder / f"{port}.parquet" for port in ("kept", "dropped")}
        execute(INGEST, "ingest", json.dumps(source), {}, outputs)
        problems += read_problems(outputs["kept"])
    benchmarks = [p for item in recipe["benchmarks"] for p in load_benchmark(BenchmarkConfig.parse(item))]
    left, by_filter = apply_rules(problems, FilterConfig.parse(recipe["filter"]))
    left, by_dedup = deduplicate(left, DedupConfig.parse({**recipe.get("dedup", {}), "semantic": False}))
    config = DecontaminateConfig.parse({**recipe.get("decontaminate", {}), "embedding": False})
    _, by_decontaminate = decontaminate(left, benchmarks, config)
    return problems, {d.row_id: d for d in (*by_filter, *by_dedup, *by_decontaminate)}


def truth() -> dict[tuple[str, int], dict]:
    lines = (ROOT / "components/world/data/truth.jsonl").read_text().splitlines()
    return {(row["source"], row["row"]): row for row in map(json.loads, lines)}


def test_no_row_that_should_stay_is_dropped(fates: tuple[list[Problem], dict[str, Dropped]]) -> None:
    problems, gone = fates
    planted = truth()
    wrong = [
        (p.source.name, p.source.row, gone[p.row_id].reason)
        for p in problems
        if p.row_id in gone and planted.get((p.source.name, p.source.row), {"expected": "kept"})["expected"] == "kept"
    ]
    assert not wrong


def test_every_row_that_should_go_is_dropped_for_a_reason_that_fits(
    fates: tuple[list[Problem], dict[str, Dropped]],
) -> None:
    problems, gone = fates
    planted = truth()
    checked = 0
    for problem in problems:
        fate = planted.get((problem.source.name, problem.source.row))
        if fate is None or fate["expected"] == "kept" or not set(fate["stage"]) & {"filter", "dedup", "decontaminate"}:
            continue
        dropped = gone.get(problem.row_id)
        if dropped is None:
            assert set(fate["stage"]) & OTHER_STEPS, f"missed: {fate}"
        else:
            assert (dropped.stage in fate["stage"]) and (dropped.reason in fate["reason"]), f"{dropped.reason}: {fate}"
            checked += 1
    assert checked > 100
