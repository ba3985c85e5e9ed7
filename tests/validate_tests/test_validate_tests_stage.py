"""The validate_tests stage on a handful of problems with known fates."""
# ruff: noqa: E501  (programs and tests are one-line literals)

from pathlib import Path
from typing import Any

from components.core.records import Problem, Source, read_dropped, read_problems, write_problems
from components.core.step import execute
from components.validate_tests.run import STAGE

TESTS = {"kind": "function_call", "fn_name": "f", "inputs": [[1], [2]], "outputs": [1, 4]}
GOOD, BAD = "def f(x): return x * x", "def f(x): return x"


def problem(row: int, tests: Any, *solutions: str, domain: str = "code") -> Problem:
    source = Source("made", "r1", row)
    return Problem(f"row{row}", f"problem{row}", domain, f"Square it, {row}", source, (), tests, "", solutions)  # type: ignore[arg-type]


PROBLEMS = [
    problem(0, TESTS, GOOD),
    problem(1, TESTS, BAD, "print 'python 2'", f"```python\n{GOOD}\n```"),
    problem(2, TESTS, BAD),
    problem(3, TESTS),
    problem(4, {"kind": "function_call", "fn_name": "f", "inputs": [], "outputs": []}, GOOD),
    problem(5, {"kind": "stdin_stdout", "inputs": ["1"], "outputs": []}, GOOD),
    problem(6, None, domain="math"),
    problem(7, {"inputs": ["1 2\n"], "outputs": ["3"]}, "print(sum(map(int, input().split())))"),
]


def test_fates_and_evidence(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.parquet", PROBLEMS)
    outputs = {"kept": tmp_path / "kept", "dropped": tmp_path / "dropped"}
    result = execute(STAGE, "validate_tests", "{}", {"problems": tmp_path / "in.parquet"}, outputs)
    kept = {p.row_id: p.answer_status for p in read_problems(tmp_path / "kept/kept.parquet")}
    assert kept == {"row0": "verified", "row1": "verified", "row7": "verified"}
    dropped = {d.row_id: d for d in read_dropped(tmp_path / "dropped/dropped.parquet")}
    assert {row: d.reason for row, d in dropped.items()} == {
        "row2": "solution_fails_tests",
        "row3": "no_solution",
        "row4": "no_tests",
        "row5": "invalid_tests",
    }
    assert "test 2 of 2: input (2,), expected 4, got 2" in dropped["row2"].evidence["first_failures"][0]
    assert result.counts["rows_in"] == 7


def test_without_the_requirement_unsolved_problems_stay_unverified(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.parquet", PROBLEMS[3:4])
    outputs = {"kept": tmp_path / "kept", "dropped": tmp_path / "dropped"}
    config = '{"require_solution": false}'
    execute(STAGE, "validate_tests", config, {"problems": tmp_path / "in.parquet"}, outputs)
    assert read_problems(tmp_path / "kept/kept.parquet")[0].answer_status == "unverified"
