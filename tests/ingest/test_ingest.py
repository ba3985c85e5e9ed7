"""The stage: rows in = kept + dropped over every file format, and sentences for files that are wrong."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.core.digest import sha256_file
from components.core.errors import DataError
from components.core.records import Dropped, Problem, read_dropped, read_problems, row_id_of
from components.core.step import execute
from components.ingest.run import STAGE

DATA = Path(__file__).parents[2].parent / "shared" / "data"
ROWS = [{"problem": f"What is {n} + 1?", "answer": str(n + 1), "solution": f"\\boxed{{{n + 1}}}"} for n in range(5)]


def ingest(tmp_path: Path, **settings: Any) -> tuple[dict[str, Any], list[Problem], list[Dropped]]:
    config = {"name": "s", "adapter": "deepscaler", "root": str(tmp_path), **settings}
    outputs = {"kept": tmp_path / "out" / "kept.parquet", "dropped": tmp_path / "out" / "dropped.parquet"}
    result = execute(STAGE, "ingest-s", json.dumps(config), {}, outputs)
    return result.counts, read_problems(outputs["kept"]), read_dropped(outputs["dropped"])


def lines_of(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_as(path: Path) -> None:
    """The same five rows in the format that the name asks for."""
    suffixes = "".join(path.suffixes)
    if suffixes == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif suffixes == ".arrow":
        table = pa.Table.from_pylist(ROWS)
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    elif suffixes == ".json":
        path.write_text(json.dumps(ROWS))
    elif suffixes == ".csv":
        body = "".join(f'"{r["problem"]}",{r["answer"]},"{r["solution"]}"\n' for r in ROWS)
        path.write_text("problem,answer,solution\n" + body)
    elif suffixes == ".jsonl.gz":
        path.write_bytes(gzip.compress(lines_of(ROWS).encode()))
    else:
        path.write_text(lines_of(ROWS))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.csv", "a.parquet", "a.arrow"])
def test_every_format_gives_the_same_problems(tmp_path: Path, name: str) -> None:
    write_as(tmp_path / name)
    counts, problems, _ = ingest(tmp_path, files=[name])
    assert counts["rows_in"] == 5 and counts["rows_dropped"] == 0
    assert [p.statement for p in problems] == [row["problem"] for row in ROWS]
    assert [p.answers for p in problems] == [(row["answer"],) for row in ROWS]
    assert [p.source.row for p in problems] == list(range(5))
    digest = sha256_file(tmp_path / name)
    assert {p.source.revision for p in problems} == {f"sha256:{digest}"}
    assert problems[0].row_id == row_id_of("s", f"sha256:{digest}", 0, ROWS[0])


def test_bad_lines_are_dropped_with_what_is_wrong(tmp_path: Path) -> None:
    bad = [
        "{not json", '"a text"', '{"problem": "x", "answer": "1"}', '{"problem": NaN, "answer": "1", "solution": ""}',
        '{"problem": "half \\ud800", "answer": "1", "solution": ""}', "[" * 100_000,
        '{"problem": "deep", "answer": ' + "[" * 400 + "]" * 400 + ', "solution": ""}',
        '{"problem": "' + "x" * 500 + '", "answer": {}, "solution": ""}',
    ]  # fmt: skip
    text = lines_of(ROWS[:1]) + "\n\n" + "\n".join(bad) + "\n"
    (tmp_path / "a.jsonl").write_bytes(text.encode() + b'{"problem": "\xff\xfe", "answer": "1", "solution": ""}\n')
    counts, problems, dropped = ingest(tmp_path, files=["a.jsonl"])
    assert counts == {"rows_in": 10, "rows_kept": 1, "rows_dropped": 9, "dropped": {"invalid_row": 9}}
    assert [d.evidence["row"] for d in dropped] == list(range(1, 10))
    assert [d.evidence["field"] for d in dropped] == ["", "", "solution", "", "problem", "", "", "answer", ""]
    assert all(len(str(d.evidence)) < 500 for d in dropped)
    assert len({d.row_id for d in dropped}) == 9


def test_lines_are_split_at_the_newline_only(tmp_path: Path) -> None:
    row = {"problem": "one\u2028two\u0085three\x0bfour", "answer": "1", "solution": ""}
    (tmp_path / "a.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    _, problems, dropped = ingest(tmp_path, files=["a.jsonl"])
    assert problems[0].statement == row["problem"] and not dropped


def test_row_numbers_run_on_over_files_and_max_rows_stops(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(lines_of(ROWS))
    (tmp_path / "a.jsonl").write_text(lines_of(ROWS))
    _, problems, _ = ingest(tmp_path, files=["*.jsonl"])
    assert [p.source.row for p in problems] == list(range(10)) and len({p.row_id for p in problems}) == 10
    assert len({p.problem_id for p in problems}) == 5
    counts, problems, _ = ingest(tmp_path, files=["a.jsonl", "b.jsonl"], max_rows=7)
    assert counts["rows_in"] == 7 and len(problems) == 7


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (["none.jsonl"], ["none.jsonl", "no such file"]),
        (["none*.parquet"], ["none*.parquet", "no file matches"]),
        (["a.txt"], ["a.txt", ".txt", "not known"]),
        (["broken.parquet"], ["broken.parquet", "could not be read"]),
        (["broken.jsonl.gz"], ["broken.jsonl.gz", "could not be read"]),
        (["other.jsonl"], ["other.jsonl", "column 'problem' is missing", "question"]),
        (["empty.jsonl"], ["empty.jsonl", "source s", "none of the 0 rows"]),
        ([{"path": "a.jsonl", "sha256": "0" * 64}], ["a.jsonl", "sha256", "0000"]),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, files: list[Any], words: list[str]) -> None:
    for name in ("a.txt", "a.jsonl"):
        (tmp_path / name).write_text(lines_of(ROWS))
    (tmp_path / "broken.parquet").write_bytes(b"these bytes are no such file")
    (tmp_path / "broken.jsonl.gz").write_bytes(gzip.compress(lines_of(ROWS).encode())[:-20] + b"?" * 12)
    (tmp_path / "other.jsonl").write_text('{"question": "?", "answer": "1", "solution": ""}\n')
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError) as error:
        ingest(tmp_path, files=files)
    assert all(word in str(error.value) for word in words), str(error.value)
    assert not (tmp_path / "out" / "kept.parquet").exists()


def test_a_source_without_a_usable_row_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"problem": "?", "solution": "", "answer": "1", "source": "x"}) + "\n")
    with pytest.raises(DataError, match="subset_not_selected"):
        ingest(tmp_path, files=["a.jsonl"], adapter="numinamath")


def test_a_source_that_is_off_reads_nothing(tmp_path: Path) -> None:
    counts, problems, dropped = ingest(tmp_path, files=["none.jsonl"], enabled=False)
    assert counts["rows_in"] == 0 and not problems and not dropped


def test_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines_of(ROWS))
    ingest(tmp_path, files=["a.jsonl"])
    first = (tmp_path / "out" / "kept.parquet").read_bytes()
    ingest(tmp_path, files=["a.jsonl"])
    assert (tmp_path / "out" / "kept.parquet").read_bytes() == first


def test_bundled_sources_lose_exactly_the_planted_rows(tmp_path: Path) -> None:
    from components.benchmarks.locate import BUNDLED_FOLDER
    from components.world.writers import SOURCES

    truth = [json.loads(line) for line in (BUNDLED_FOLDER / "truth.jsonl").read_text().split("\n")[:-1]]
    for source in SOURCES:
        planted = {t["row"]: t for t in truth if t["source"] == source and "ingest" in t["stage"]}
        _, problems, dropped = ingest(tmp_path, name=source, adapter=source, files=[f"bundled:{source}.jsonl"])
        assert {d.evidence["row"] for d in dropped} == set(planted)
        assert all(d.reason in planted[d.evidence["row"]]["reason"] for d in dropped)
        assert all(p.row_id for p in problems)


@pytest.mark.skipif(not DATA.exists(), reason="the folder with samples of real data is not here")
@pytest.mark.parametrize(
    ("name", "settings", "rows"),
    [
        ("math_train/omni_math_num_500.jsonl", {"adapter": "omni_math"}, 200),
        ("code/leetcode_dataset_v0.3.1_test.jsonl.gz", {"adapter": "leetcode"}, 45),
        ("code/taco_areal_rows.jsonl", {"adapter": "taco"}, 3),
        ("code/apps_with_labelled_generations.jsonl", {"adapter": "taco"}, 3),
        (
            "math_train/numina_bigmath_solve_rates.jsonl",
            {
                "adapter": "columns",
                "columns": {"statement": "extra_info.question", "answer": "reward_model.ground_truth"},
            },
            500,
        ),
    ],
)
def test_real_files_are_read_whole(tmp_path: Path, name: str, settings: dict[str, Any], rows: int) -> None:
    counts, problems, _ = ingest(tmp_path, files=[name], **{"root": str(DATA), **settings})
    assert counts["rows_kept"] == rows and not any("tests_error" in p.metadata for p in problems)
    if settings["adapter"] in ("leetcode", "taco"):
        assert all(p.tests and p.solutions for p in problems)


def test_a_hub_that_cannot_be_reached_is_an_infrastructure_error(tmp_path: Path) -> None:
    """In its own process: the hub client reads its offline switch once, when it is imported."""
    program = (
        "from components.benchmarks.config import RawFiles\n"
        "from components.benchmarks.locate import locate\n"
        "from components.core.errors import InfraError\n"
        "for name in ('a.parquet', 'data/*.parquet'):\n"
        "    try:\n"
        "        locate(RawFiles(files=[name], dataset='someone/something', revision='a' * 40))\n"
        "    except InfraError as error:\n"
        "        print(error)\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("data set someone/something") == 2 and "check the network" in done.stdout
