"""The bundled data: reproducible, whole, and each planted row really is what it says."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from components.benchmarks.locate import BUNDLED_FOLDER
from components.world.drawing import numbers_of
from components.world.generate import ROWS, generate
from components.world.split import split_of
from components.world.writers import SOURCES, STATEMENT_COLUMN

MIN_CASES = 2
PAIRED = {"exact_duplicate", "layout_duplicate", "near_duplicate", "reworded_duplicate", "conflicting_answers",
          "number_changed_twin", "equal_answer_twin", "question_changed_twin", "code_twin"}  # fmt: skip
WANTED = PAIRED | {
    "external_url", "figure_reference", "proof", "multi_part", "yes_no", "multiple_choice", "missing_reference",
    "missing_answer", "marked_invalid", "url_in_code_statement", "interactive", "special_judge",
    "empty_answer", "non_verifiable_answer", "answer_spelled_otherwise", "answer_contradicts_solution",
    "no_solution_math", "solution_without_answer", "no_solution", "solution_fails_tests",
    "one_of_several_solutions_passes", "class_solution", "tests_empty", "tests_broken", "missing_entry_point",
    "non_ascii", "too_long", "markup_in_statement", "markup_with_url", "repeated_statement", "translator_note",
    "invalid_row", "subset_not_selected", "year_2024_or_later", "contaminated_verbatim", "contaminated_latex",
    "contaminated_renamed", "contaminated_embedded",
}  # fmt: skip


def lines(name: str) -> list[str]:
    return (BUNDLED_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


@pytest.fixture(scope="module")
def truth() -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines("truth")]


def statement_at(source: str, row: int) -> str:
    return str(json.loads(lines(source)[row])[STATEMENT_COLUMN[source]])


def rows_of(source: str) -> list[tuple[int, dict[str, Any]]]:
    """Every line that is a row in the source's columns."""
    rows = []
    for number, line in enumerate(lines(source)):
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(value, dict) and isinstance(value.get(STATEMENT_COLUMN[source]), str):
            rows.append((number, value))
    return rows


def test_the_same_seed_gives_the_committed_bytes(tmp_path: Path) -> None:
    generate(tmp_path, seed=1)
    for name in (*SOURCES, "truth", "tiny_math", "tiny_code"):
        made, committed = tmp_path / f"{name}.jsonl", BUNDLED_FOLDER / f"{name}.jsonl"
        assert made.read_bytes() == committed.read_bytes(), f"{name}.jsonl: run python -m components.world.generate"


def test_sizes() -> None:
    assert {source: len(lines(source)) for source in SOURCES} == ROWS
    assert sum(ROWS.values()) == 3000
    assert len(lines("tiny_math")) >= 160 and len(lines("tiny_code")) >= 140
    assert sum(path.stat().st_size for path in BUNDLED_FOLDER.iterdir()) < 4_000_000


def test_every_case_is_there(truth: list[dict[str, Any]]) -> None:
    counts = Counter(record["case"].removesuffix("_original") for record in truth)
    assert set(counts) == WANTED
    assert min(counts.values()) >= MIN_CASES
    assert len({(record["source"], record["row"]) for record in truth}) == len(truth)


def test_pairs_point_at_each_other_and_the_later_one_goes(truth: list[dict[str, Any]]) -> None:
    by_row = {(record["source"], record["row"]): record for record in truth}
    paired = [record for record in truth if record["case"].removesuffix("_original") in PAIRED]
    for record in paired:
        assert by_row[tuple(record["pair"])]["pair"] == [record["source"], record["row"]]
    for record in paired:
        if record["case"].endswith("_duplicate"):
            original = by_row[tuple(record["pair"])]
            assert original["case"] == f"{record['case']}_original"
            first, second = ((SOURCES.index(r["source"]), r["row"]) for r in (original, record))
            assert first < second


def test_pairs_are_what_they_say(truth: list[dict[str, Any]]) -> None:
    for record in truth:
        if record["pair"] is None:
            continue
        one, two = statement_at(record["source"], record["row"]), statement_at(*record["pair"])
        case = record["case"].removesuffix("_original")
        if case in ("exact_duplicate", "conflicting_answers"):
            assert one == two
        elif case == "layout_duplicate":
            plain = [
                " ".join(s.lower().replace("$", "").replace("\\(", "").replace("\\)", "").split()) for s in (one, two)
            ]
            assert one != two and plain[0] == plain[1]
        elif case in ("number_changed_twin", "equal_answer_twin"):
            assert numbers_of(one) != numbers_of(two)
        else:
            assert one != two


def test_what_stays_is_in_the_pool_and_shares_no_problem_with_the_benchmarks(truth: list[dict[str, Any]]) -> None:
    leaving = {(record["source"], record["row"]) for record in truth if record["expected"] == "dropped"}
    benchmark = {json.loads(line)["problem"] for line in lines("tiny_math")}
    benchmark |= {json.loads(line)["question_content"] for line in lines("tiny_code")}
    assert {split_of(statement) for statement in benchmark} == {"benchmark"}
    for source in SOURCES:
        staying = [row for number, row in rows_of(source) if (source, number) not in leaving]
        statements = [row[STATEMENT_COLUMN[source]] for row in staying]
        assert {split_of(statement) for statement in statements} == {"pool"}
        assert not benchmark & set(statements)


def test_ordinary_rows_never_repeat_a_statement(truth: list[dict[str, Any]]) -> None:
    planted = {(record["source"], record["row"]) for record in truth}
    statements = Counter(
        row[STATEMENT_COLUMN[source]]
        for source in SOURCES
        for number, row in rows_of(source)
        if (source, number) not in planted
    )
    assert max(statements.values()) == 1 and len(statements) > 2600


def test_published_solutions_of_ordinary_code_rows_pass_their_tests(truth: list[dict[str, Any]]) -> None:
    """Runs programs that this project generated itself."""
    failing = {(r["source"], r["row"]) for r in truth if r["expected"] == "dropped"}
    ran = 0
    for number, row in rows_of("leetcode"):
        if ("leetcode", number) in failing:
            continue
        names: dict[str, Any] = {}
        exec(f"{row['prompt']}\n{row['completion']}\n{row['test']}\ncheck({row['entry_point']})", names)
        ran += 1
    for number, row in rows_of("taco"):
        if ("taco", number) in failing or "fn_name" not in (tests := json.loads(row["input_output"])):
            continue
        names = {}
        exec(json.loads(row["solutions"])[-1], names)
        for arguments, output in zip(tests["inputs"], tests["outputs"], strict=True):
            value = names[tests["fn_name"]](*arguments)
            assert output in (value, [value])
        ran += 1
    assert ran > 600
