"""The answers stage on a handful of problems with known fates."""
# ruff: noqa: E501  (programs and tests are one-line literals)

from pathlib import Path

from components.answers.run import STAGE
from components.core.records import Problem, Source, read_dropped, read_problems, write_problems
from components.core.step import execute


def problem(row: int, answers: tuple[str, ...], solutions: tuple[str, ...], domain: str = "math") -> Problem:
    source = Source("made", "r1", row)
    return Problem(f"row{row}", f"problem{row}", domain, f"What is it, {row}?", source, answers, None, "", solutions)  # type: ignore[arg-type]


PROBLEMS = [
    problem(0, ("7",), (r"3 + 4 = \boxed{7}",)),
    problem(1, (r"\frac{1}{2}",), (r"so \boxed{0.5}.",)),
    problem(2, ("7",), (r"3 + 5 = \boxed{8}",)),
    problem(3, ("7",), ()),
    problem(4, ("7",), ("It follows from 3 + 5 at once.",)),
    problem(5, ("7",), (r"\boxed{9}", r"\boxed{7}")),
    problem(6, (r"\frac{1}{\sqrt{3}}",), (r"\boxed{\frac{\sqrt{3}}{3}}",)),
    problem(7, (), (), "code"),
    problem(8, (), (r"\boxed{1}",)),
]


def test_fates_and_evidence(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.parquet", PROBLEMS)
    outputs = {"kept": tmp_path / "kept", "dropped": tmp_path / "dropped"}
    result = execute(STAGE, "answers", "{}", {"problems": tmp_path / "in.parquet"}, outputs)
    kept = {p.row_id: p.answer_status for p in read_problems(tmp_path / "kept/kept.parquet")}
    assert kept == {
        "row0": "verified",
        "row1": "verified",
        "row3": "unverified",
        "row4": "unverified",
        "row5": "verified",
        "row6": "verified",
    }
    dropped = {d.row_id: d for d in read_dropped(tmp_path / "dropped/dropped.parquet")}
    assert {r: d.reason for r, d in dropped.items()} == {"row2": "answer_contradicts_solution", "row8": "no_answer"}
    assert dropped["row2"].evidence["answers"] == ["7"] and dropped["row2"].evidence["solution_answers"] == ["8"]
    assert result.counts["rows_in"] == 8 and result.counts["verified"] == 4


def test_require_solution_drops_what_can_not_be_checked(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.parquet", PROBLEMS)
    outputs = {"kept": tmp_path / "kept", "dropped": tmp_path / "dropped"}
    result = execute(STAGE, "answers", '{"require_solution": true}', {"problems": tmp_path / "in.parquet"}, outputs)
    assert result.counts["dropped"] == {
        "answer_contradicts_solution": 1,
        "no_answer": 1,
        "no_answer_in_solution": 1,
        "no_solution": 1,
    }
