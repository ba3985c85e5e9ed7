"""Verdicts against labels of real data (hardverify, model outputs, LeetCode, LiveCodeBench, APPS, TACO)."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.verify.answers import extract_code
from components.verify.catalog import Grader
from components.verify.config import VerifierConfig
from components.verify.requests import GradeRequest

DATA = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data samples are not beside this checkout")


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(VerifierConfig()) as grader:
        yield grader


def rows(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.decode("utf-8").split("\n") if line.strip()]


def passes(grader: Grader, requests: list[GradeRequest]) -> list[bool]:
    verdicts = grader.grade(requests)
    assert not [v for v in verdicts if v.status == "infra_error"]
    return [v.is_correct for v in verdicts]


def test_hardverify_wrong_answers_are_rejected_and_most_correct_ones_accepted(grader: Grader) -> None:
    labelled = rows("verifier/hardverify_math.jsonl")
    right = passes(grader, [GradeRequest("math", answers=(r["ground_truth"],), code=r["fn_output"]) for r in labelled])
    wrong = passes(grader, [GradeRequest("math", answers=(r["ground_truth"],), code=r["tn_output"]) for r in labelled])
    assert sum(wrong) == 0
    assert sum(right) >= 84  # plain Math-Verify: 78


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("outputs_qwen25_14b_math500.jsonl.gz", 148),
        ("outputs_qwen25_14b_olympiadbench.jsonl.gz", 89),
        ("outputs_qwen25_14b_minerva.jsonl", 75),
    ],
)
def test_model_outputs_agree_with_their_scores(grader: Grader, name: str, least: int) -> None:
    labelled = rows(f"verifier/{name}")
    verdicts = passes(grader, [GradeRequest("math", r["code"][0], (r["gt"],)) for r in labelled])
    assert sum(v == r["score"][0] for v, r in zip(verdicts, labelled, strict=True)) >= least


def test_math500_solutions_verify_against_their_answers(grader: Grader) -> None:
    labelled = rows("math_train/math500_with_answers.jsonl")
    verdicts = passes(grader, [GradeRequest("math", r["solution"], (r["answer"],)) for r in labelled])
    assert sum(verdicts) >= 249


def test_leetcode_programs_pass_their_own_tests_and_not_those_of_another_problem(grader: Grader) -> None:
    fixed, mismatched = rows("code/leetcode_rllm_fixed_tests.jsonl"), rows("code/leetcode_rllm_mismatched_tests.jsonl")
    verdicts = grader.grade([GradeRequest("code", tests=r["tests"], code=r["completion"]) for r in fixed])
    failures = [v.reason for v in verdicts if not v.is_correct]
    assert len(failures) == 12 and all("Node' is not defined" in reason for reason in failures)
    foreign = passes(grader, [GradeRequest("code", tests=r["tests"], code=r["completion"]) for r in mismatched])
    assert not any(foreign)


def test_leetcode_dataset_references_pass(grader: Grader) -> None:
    dataset = rows("code/leetcode_dataset_v0.2.0_train.jsonl.gz")
    tests = [{key: r[key] for key in ("test", "entry_point", "prompt")} for r in dataset]
    asked = [GradeRequest("code", tests=t, code=r["completion"]) for t, r in zip(tests, dataset, strict=True)]
    assert all(passes(grader, asked))


def test_livecodebench_programs_graded_true_pass_the_public_tests(grader: Grader) -> None:
    public = {r["problem"]: r["tests"] for r in rows("code/livecodebench_v5_public_tests.jsonl")}
    graded = [r for r in rows("code/livecodebench_o1mini_graded.jsonl.gz") if r["question_content"] in public]
    good = [r for r in graded if r["graded_list"][0]]
    assert len(good) == 44
    asked = [GradeRequest("code", tests=public[r["question_content"]], code=r["code_list"][0]) for r in good]
    assert all(passes(grader, asked))


def test_corrupted_livecodebench_tests_are_refused(grader: Grader) -> None:
    corrupted = rows("code/livecodebench_v5_corrupted_tests.jsonl")
    verdicts = grader.grade([GradeRequest("code", tests=r["tests"], code="print(1)") for r in corrupted])
    assert {v.reason for v in verdicts if v.status == "invalid"} == {"mixed_test_types"}
    assert not any(v.is_correct for v in verdicts)


def test_taco_and_verifiable_coding_solutions_pass(grader: Grader) -> None:
    taco, coding = rows("code/taco_areal_rows.jsonl"), rows("code/verifiable_coding_rows.jsonl")
    asked = [GradeRequest("code", tests=r["input_output"], code=r["solutions"][0]) for r in taco]
    asked += [GradeRequest("code", tests=r["tests"], code=extract_code(r["solutions"][0])) for r in coding]
    assert all(passes(grader, asked))
