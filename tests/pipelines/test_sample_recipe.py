"""The sample recipe on real rows up to decontamination: copies of AIME24 in a published training file must go."""

import json
import os
from pathlib import Path

import pytest

from components.core.records import read_dropped, read_problems
from components.core.step import execute
from components.decontaminate.run import STAGE as DECONTAMINATE
from components.ingest.config import IngestConfig
from components.ingest.run import STAGE as INGEST
from pipelines.recipe import expand, load_recipe
from pipelines.run_local import run_recipe

DATA = Path(__file__).parents[2].parent / "shared" / "data"
CONTAMINATED = "training_file_with_aime24"
AIME24_ROWS = 15
"""Rows of the contaminated file; all are problems of AIME 2024."""
ROWS = {
    "deepscaler": 60,  # of the first of its five files
    "deepscaler_math": 40,
    "omni_math": 40,
    "aime_history": 40,
    "math500": 30,
    "numina_bigmath": 30,
    "leetcode_v020": 8,
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="the data samples are not there (../shared/data)"),
]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recipe with few rows, without sentence vectors, and with every row of the contaminated file let through to
    decontamination (three of them have a drawing or a link, for which `filter` would drop them before)."""
    recipe = load_recipe(
        "sample",
        [
            f"data.root={os.path.relpath(DATA)}",  # relative, as the steps run in processes of their own
            *(f"data.sources.{name}.max_rows={rows}" for name, rows in ROWS.items()),
            "data.sources.leetcode.enabled=false",  # its programs compute for minutes
            "filter.disabled=[figure_reference, external_url]",
            "dedup.semantic=false",
            "decontaminate.embedding=false",
        ],
    )
    output = tmp_path_factory.mktemp("sample")
    before = dict(os.environ)
    try:
        run_recipe(recipe, output, until="decontaminate")
    finally:
        os.environ.clear()
        os.environ.update(before)
    return output


def test_every_aime24_row_of_the_contaminated_file_goes(run_folder: Path) -> None:
    steps = run_folder / "steps"
    given = read_problems(steps / f"ingest-{CONTAMINATED}" / "kept" / "kept.parquet")
    assert len(given) == AIME24_ROWS and all(p.metadata["year"] == 2024 for p in given)
    dropped = {d.row_id: d for d in read_dropped(steps / "decontaminate" / "dropped" / "dropped.parquet")}
    for problem in given:
        row = dropped[problem.row_id]
        assert row.reason.startswith("benchmark_") and row.evidence["benchmark"] == "aime24"
        assert row.evidence["benchmark_statement"] and row.evidence["coverage"] > 0.5
    kept = read_problems(steps / "decontaminate" / "kept" / "kept.parquet")
    assert kept and CONTAMINATED not in {p.source.name for p in kept}


def test_problems_of_livecodebench_go_too(tmp_path: Path) -> None:
    """Two stages alone, on all rows of the leetcode source: none of its programs needs to run for this."""
    root = f"data.root={os.path.relpath(DATA)}"
    configs = expand(load_recipe("sample", [root, "decontaminate.embedding=false"]))
    sources = {c.name: c for c in configs.values() if isinstance(c, IngestConfig)}
    rows = tmp_path / "kept"
    execute(INGEST, "ingest", sources["leetcode"].to_json(), {}, {"kept": rows, "dropped": tmp_path / "ingest_dropped"})
    outputs = {"kept": tmp_path / "clean", "dropped": tmp_path / "dropped"}
    counts = execute(DECONTAMINATE, "d", configs["decontaminate"].to_json(), {"problems": rows}, outputs).counts
    dropped = read_dropped(tmp_path / "dropped" / "dropped.parquet")
    assert counts["rows_in"] == 45 and counts["rows_dropped"] == len(dropped) > 15
    assert all(d.evidence["benchmark"] == "livecodebench" for d in dropped)


def test_rows_in_are_rows_kept_and_dropped(run_folder: Path) -> None:
    seen = set()
    for path in sorted((run_folder / "steps").glob("*/step.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        counts, folder = record["counts"], path.parent
        kept = read_problems(folder / "kept" / "kept.parquet")
        dropped = read_dropped(folder / "dropped" / "dropped.parquet")
        assert counts["rows_in"] == counts["rows_kept"] + counts["rows_dropped"], record["step"]
        assert (counts["rows_kept"], counts["rows_dropped"]) == (len(kept), len(dropped)), record["step"]
        assert sum(counts["dropped"].values()) == len(dropped), record["step"]
        assert not {p.row_id for p in kept} & {d.row_id for d in dropped}, record["step"]
        seen.add(record["step"])
    assert {"filter", "answers", "validate_tests", "dedup", "decontaminate", f"ingest-{CONTAMINATED}"} <= seen


def test_no_row_is_lost_between_the_steps(run_folder: Path) -> None:
    def counts(step: str) -> dict[str, int]:
        record = json.loads((run_folder / "steps" / step / "step.json").read_text(encoding="utf-8"))
        return dict(record["counts"])

    ingested = sum(counts(path.parent.name)["rows_kept"] for path in run_folder.glob("steps/ingest-*/step.json"))
    assert counts("filter")["rows_in"] == ingested
    assert counts("answers")["rows_in"] + counts("validate_tests")["rows_in"] == counts("filter")["rows_kept"]
    assert counts("dedup")["rows_in"] == counts("answers")["rows_kept"] + counts("validate_tests")["rows_kept"]
    assert counts("decontaminate")["rows_in"] == counts("dedup")["rows_kept"]
