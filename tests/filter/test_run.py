"""The filter stage through `execute`: accounting, order, evidence, and the empty case."""

import json
from pathlib import Path

import pytest

from components.core.errors import ConfigError, DataError
from components.core.records import Problem, Source, read_dropped, read_problems, write_problems
from components.core.step import execute
from components.filter.run import STAGE

SHARED = Path(__file__).parents[2].parent / "shared"


def problem(row: int, statement: str, answer: str = "7") -> Problem:
    return Problem(f"row-{row}", f"p-{row}", "math", statement, Source("own", "1", row), (answer,))


def run_filter(folder: Path, parts: list[list[Problem]], **config: object) -> tuple[list[Problem], dict, dict]:
    paths = []
    for i, part in enumerate(parts):
        paths.append(folder / f"in-{i}.parquet")
        write_problems(paths[-1], part)
    outputs = {"kept": folder / "kept.parquet", "dropped": folder / "dropped.parquet"}
    result = execute(STAGE, "filter", json.dumps(config), {"problems": paths}, outputs)
    return read_problems(outputs["kept"]), {d.row_id: d for d in read_dropped(outputs["dropped"])}, result.counts


def test_inputs_are_joined_in_order_and_every_row_is_accounted_for(tmp_path: Path) -> None:
    parts = [[problem(2, "What is 3+4?"), problem(0, "Prove it.")], [problem(1, "Is 7 prime?", "Yes")], []]
    parts[2].append(problem(3, "What is 9-2?"))
    kept, dropped, counts = run_filter(tmp_path, parts)
    assert [p.row_id for p in kept] == ["row-2", "row-3"]
    assert {row: d.reason for row, d in dropped.items()} == {"row-0": "proof", "row-1": "yes_no"}
    assert dropped["row-1"].evidence == {"saw": "answer: Yes", "also": []} and dropped["row-1"].stage == "filter"
    assert counts == {"rows_in": 4, "rows_kept": 2, "rows_dropped": 2, "dropped": {"proof": 1, "yes_no": 1}}


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    parts = [[problem(i, f"What is {i}+{i}?" if i % 3 else "Prove it.") for i in range(30)]]
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        run_filter(tmp_path / name, parts)
        files.append([(tmp_path / name / f"{port}.parquet").read_bytes() for port in ("kept", "dropped")])
    assert files[0] == files[1]


def test_nothing_left_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none of 2 problems is left \(proof 1, yes_no 1\).*'disabled'"):
        run_filter(tmp_path, [[problem(0, "Prove it."), problem(1, "Is 7 prime?", "yes")]])
    assert not (tmp_path / "kept.parquet").exists()


def test_an_unknown_rule_and_a_missing_tokenizer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="disabled"):
        run_filter(tmp_path, [[problem(0, "What is 3+4?")]], disabled=["no_such_rule"])
    with pytest.raises(ConfigError, match="'tokenizer'"):
        run_filter(tmp_path, [[problem(0, "What is 3+4?")]], tokenizer=str(tmp_path / "nowhere"))


def test_most_real_contest_problems_without_a_figure_stay(tmp_path: Path) -> None:
    path = SHARED / "data/math_train/aimo_validation_aime_2022_2023.jsonl"
    if not path.exists():
        pytest.skip("the real data samples are not here")
    rows = [json.loads(line) for line in path.read_text().split("\n") if line]
    problems = [problem(i, row["question"], str(row["answer"])) for i, row in enumerate(rows)]
    kept, dropped, _ = run_filter(tmp_path, [problems])
    assert {d.reason for d in dropped.values()} <= {"figure_reference"}
    assert len(kept) >= 0.8 * len(rows)
