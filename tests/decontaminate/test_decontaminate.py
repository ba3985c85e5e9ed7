"""Copies of benchmark problems in disguise are found; other problems are left alone."""

import json
from pathlib import Path

import pytest

from components.benchmarks.catalog import load_benchmark
from components.benchmarks.config import BenchmarkConfig
from components.core.records import Problem, Source, read_dropped, read_problems, write_problems
from components.core.step import execute
from components.decontaminate.config import DecontaminateConfig
from components.decontaminate.run import STAGE, decontaminate

SHARED = Path(__file__).parents[2].parent / "shared"
WORDS_ONLY = DecontaminateConfig(embedding=False)
ORIGINAL = (
    "A baker bakes $24$ loaves in each of $7$ ovens and sells every loaf for $3$ coins. She then pays $85$ coins for "
    "flour and gives the rest to her $5$ children in equal parts. Find the number of coins that each child gets."
)
PARAPHRASE = (
    "Seven ovens hold 24 loaves each. After all the loaves are sold at 3 coins apiece, 85 coins go to the miller for "
    "flour. What does each of the baker's 5 children receive if they split what remains?"
)
TWIN = ORIGINAL.replace("24", "30").replace("85", "105")
OTHER = "Two trains leave at 7 and 9 o'clock and travel 240 kilometres. Find the hour at which the second one arrives."


def math(row: int, statement: str, answer: str, source: str = "own") -> Problem:
    return Problem(f"r{row}", f"p{row}", "math", statement, Source(source, "1", row), (answer,))


BENCHMARK = [math(0, ORIGINAL, "84", "bench"), math(1, "Evaluate $3^4 - 2^5$ modulo $11$.", "5", "bench")]


def reason_of(problem: Problem, config: DecontaminateConfig = WORDS_ONLY) -> str:
    pool = [math(i + 10, f"{OTHER} There are {i} stops.", str(i)) for i in range(20)]
    kept, dropped = decontaminate([*pool, problem], BENCHMARK, config)
    assert len(kept) + len(dropped) == 21 and all(d.row_id == problem.row_id for d in dropped)
    return dropped[0].reason if dropped else ""


def test_copies_in_other_dress_are_found() -> None:
    renamed = ORIGINAL.replace("A baker", "A cook").replace("$24$", r"\( 24 \)").replace("Find", "Determine")
    for statement in (ORIGINAL, renamed, f"{OTHER} {ORIGINAL}", ORIGINAL + " Put the answer in a box."):
        assert reason_of(math(0, statement, "084")) == "benchmark_ngram"


def test_a_copy_with_a_wrong_answer_is_still_a_copy() -> None:
    assert reason_of(math(0, ORIGINAL, "83")) == "benchmark_ngram"


def test_a_paraphrase_is_found_by_numbers_and_answer() -> None:
    assert reason_of(math(0, PARAPHRASE, "84")) == "benchmark_numbers_answer"
    assert reason_of(math(0, PARAPHRASE, "83")) == ""


def test_a_paraphrase_is_found_by_meaning() -> None:
    config = DecontaminateConfig(numbers_answer=False, encoder={"threads": 1})
    assert reason_of(math(0, PARAPHRASE, "84"), config) == "benchmark_embedding"
    assert reason_of(math(0, OTHER, "84"), config) == ""


def test_other_numbers_make_a_variant_that_can_be_kept() -> None:
    assert reason_of(math(0, TWIN, "105")) == "benchmark_variant"
    kept, dropped = decontaminate(
        [math(0, TWIN, "105")], BENCHMARK, WORDS_ONLY.model_copy(update={"drop_variants": False})
    )
    assert not dropped and kept[0].metadata["benchmark_variant"]["benchmark"] == "bench"


def test_swapped_numbers_are_another_problem() -> None:
    swapped = ORIGINAL.replace("$24$", "$T$").replace("$7$", "$24$").replace("$T$", "$3$").replace("for $3$", "for $7$")
    assert reason_of(math(0, swapped, "12")) == "benchmark_variant"


def test_the_evidence_shows_both_texts_and_the_rule() -> None:
    _, dropped = decontaminate([math(0, ORIGINAL, "84")], BENCHMARK, WORDS_ONLY)
    evidence = dropped[0].evidence
    assert evidence["rule"] == "benchmark_ngram" and evidence["similarity"] == 1.0
    assert evidence["benchmark"] == "bench" and evidence["benchmark_problem_id"] == "p0"
    assert ORIGINAL.startswith(evidence["benchmark_statement"]) and ORIGINAL.startswith(evidence["statement"])


def test_domains_are_not_mixed_and_no_benchmark_means_no_change() -> None:
    code = Problem("r", "p", "code", ORIGINAL, Source("own", "1", 0), tests={"kind": "assertions", "assertions": []})
    assert decontaminate([code], BENCHMARK, WORDS_ONLY) == ([code], [])
    assert decontaminate([math(0, ORIGINAL, "84")], [], WORDS_ONLY)[1] == []


def test_a_code_copy_is_found() -> None:
    text = "You are given a list of n integers. Return the length of the longest run of equal neighbours in the list."
    bench = Problem("b", "pb", "code", text, Source("bench", "1", 0), tests={})
    copy = Problem("r", "p", "code", text.replace("n integers", "m integers"), Source("own", "1", 0), tests={})
    other = Problem("r2", "p2", "code", "Print the sum of two integers.", Source("own", "1", 1), tests={})
    _, dropped = decontaminate([copy, other], [bench], WORDS_ONLY)
    assert [(d.row_id, d.reason) for d in dropped] == [("r", "benchmark_ngram")]


def test_the_handed_case_of_renamed_variables() -> None:
    path = SHARED / "cases/handed.jsonl"
    if not path.exists():
        pytest.skip("the handed cases are not here")
    case = next(c for c in map(json.loads, path.read_text().splitlines()) if c["id"] == "H09")["input"]
    bench = [math(0, case["eval_problem"], case["eval_answer"], "bench")]
    _, dropped = decontaminate([math(1, case["train_problem"], case["train_answer"])], bench, WORDS_ONLY)
    assert [d.reason for d in dropped] == ["benchmark_ngram"]


def rows_of(name: str) -> list[dict]:
    path = SHARED / "data" / name
    if not path.exists():
        pytest.skip("the real data samples are not here")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def aime(*years: str) -> list[BenchmarkConfig]:
    return [
        BenchmarkConfig(
            name=f"aime{y}", kind="aime", files=(f"math_eval/aime{y}_skywork_or1.jsonl",), expected_problems=30
        )
        for y in years
    ]


def as_problems(rows: list[dict], text: str = "problem", answer: str = "answer") -> list[Problem]:
    return [math(i, row[text], str(row.get(answer, ""))) for i, row in enumerate(rows)]


def test_every_real_aime_copy_is_found() -> None:
    rows = rows_of("contamination/aime24_inside_training_file.jsonl")
    benchmarks = [p for config in aime("24", "25") for p in load_benchmark(config, SHARED / "data")]
    _, dropped = decontaminate(as_problems(rows), benchmarks, WORDS_ONLY)
    assert len(dropped) == 15 and {d.evidence["benchmark"] for d in dropped} == {"aime24"}
    variants = rows_of("contamination/aime_statement_variants.jsonl")
    _, dropped = decontaminate(as_problems(variants, "text"), benchmarks, WORDS_ONLY)
    assert len(dropped) == len(variants) == 240
    right = [d.evidence["benchmark_row"] == v["skywork_row"] for d, v in zip(dropped, variants, strict=True)]
    assert sum(right) == 240


def test_a_real_paraphrase_is_found_and_clean_rows_stay() -> None:
    rows = rows_of("contamination/nemo_skills_examples.jsonl")
    benchmarks = [p for config in aime("24", "25") for p in load_benchmark(config, SHARED / "data")]
    pool = as_problems(rows, answer="expected_answer")
    kept, _ = decontaminate(pool, benchmarks, DecontaminateConfig(encoder={"threads": 1}))
    found = [row.get("id") for p, row in zip(pool, rows, strict=True) if p not in kept]
    assert "aime24-21" in found and len(found) == 7


def test_shared_boilerplate_of_real_pairs_is_not_contamination() -> None:
    pairs = rows_of("contamination/ngram_matches_aime25.jsonl")
    pool = [math(i, row["train_prompt"], "") for i, row in enumerate(pairs)]
    bench = [math(i, row["test_prompt"], "1", "bench") for i, row in enumerate(pairs)]
    assert decontaminate(pool, bench, WORDS_ONLY)[1] == []
    clean = as_problems(rows_of("math_train/deepscaler40k_difficulty5.jsonl"), "prompt")
    real = [p for config in aime("24", "25") for p in load_benchmark(config, SHARED / "data")]
    assert decontaminate(clean, real, WORDS_ONLY)[1] == []


def test_the_stage_reads_its_benchmarks_and_repeats_its_bytes(tmp_path: Path) -> None:
    rows_of("math_eval/aime24_skywork_or1.jsonl")
    config = DecontaminateConfig(benchmarks=tuple(aime("24")), root=str(SHARED / "data"), embedding=False).to_json()
    pool = [*as_problems(rows_of("contamination/aime24_inside_training_file.jsonl")), math(99, OTHER, "11")]
    write_problems(tmp_path / "in.parquet", pool)
    files = []
    for name in ("a", "b"):
        outputs = {port: tmp_path / name / f"{port}.parquet" for port in ("kept", "dropped")}
        counts = execute(STAGE, "decontaminate", config, {"problems": tmp_path / "in.parquet"}, outputs).counts
        files.append([path.read_bytes() for path in outputs.values()])
    assert files[0] == files[1]
    assert (counts["rows_kept"], counts["dropped"], counts["benchmark_problems"]) == (1, {"benchmark_ngram": 15}, 30)
    assert [p.row_id for p in read_problems(outputs["kept"])] == ["r99"]
    assert len(read_dropped(outputs["dropped"])) == 15
