"""The difficulty stage on scripted responses: what stays, what leaves and why, and the numbers it writes."""

import json
from pathlib import Path

import pytest

from components.core.errors import ConfigError
from components.core.files import read_table
from components.core.records import (
    Problem,
    Source,
    read_completions,
    read_dropped,
    read_problems,
    write_problems,
)
from components.core.step import StepResult, execute
from components.difficulty.config import DifficultyConfig
from components.difficulty.run import PASS_RATE_SCHEMA, STAGE, Tally, reason_to_drop, with_pass_rate

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "handed.jsonl"
RIGHT, WRONG = "so it is</think>\\boxed{5}", "so it is</think>\\boxed{6}"
UNCLOSED = "so \\boxed{5}"
PROGRAM = "easy</think>\n```python\nprint(int(input()) + 1)\n```"
TESTS = {"kind": "stdin_stdout", "inputs": ["1\n", "41\n"], "outputs": ["2\n", "42\n"]}


def problem(name: str, statement: str, domain: str = "math") -> Problem:
    answers, tests = ((), TESTS) if domain == "code" else (("5",), None)
    return Problem(f"row-{name}", f"id-{name}", domain, statement, Source("s", "r", 0), answers, tests)  # type: ignore[arg-type]


PROBLEMS = [
    problem("some", "Sometimes?"),
    problem("never", "Never?"),
    problem("always", "Always?"),
    problem("unclosed", "Unclosed?"),
    problem("long", "Long? " + "x" * 1500),
    problem("code", "Add one.", "code"),
]
SCRIPT = [
    {"prompt_contains": "Sometimes?", "responses": [RIGHT, WRONG, WRONG, WRONG]},
    {"prompt_contains": "Never?", "responses": [WRONG]},
    {"prompt_contains": "Always?", "responses": [RIGHT]},
    {"prompt_contains": "Unclosed?", "responses": [UNCLOSED, {"text": RIGHT, "finish_reason": "length"}]},
    {"prompt_contains": "Add one.", "responses": [PROGRAM, "easy</think>```python\nprint(input())\n```"]},
]


def run_stage(tmp_path: Path, model: Path, **settings: object) -> StepResult:
    (tmp_path / "script.jsonl").write_text("\n".join(json.dumps(e) for e in SCRIPT), encoding="utf-8")
    write_problems(tmp_path / "problems.parquet", PROBLEMS)
    config = {
        "sampler": {"engine": "scripted", "scripted_file": str(tmp_path / "script.jsonl")},
        "sampling": {"max_response_tokens": 200},
        "rollouts_math": 8,
        "rollouts_code": 4,
        **settings,
    }
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("kept", "dropped", "completions", "pass_rates")}
    inputs = {"problems": tmp_path / "problems.parquet", "model": model}
    return execute(STAGE, "difficulty", json.dumps(config), inputs=inputs, outputs=outputs)


def test_keeps_what_is_solved_sometimes(tmp_path: Path, tiny_model: Path):
    result = run_stage(tmp_path, tiny_model)
    kept = {p.problem_id: p for p in read_problems(tmp_path / "kept.parquet")}
    assert set(kept) == {"id-some", "id-code"}
    assert (kept["id-some"].pass_rate, kept["id-some"].num_correct, kept["id-some"].num_graded) == (0.25, 2, 8)
    assert (kept["id-code"].pass_rate, kept["id-code"].num_graded) == (0.5, 4)
    reasons = {d.row_id: d.reason for d in read_dropped(tmp_path / "dropped.parquet")}
    assert reasons == {
        "row-never": "all_wrong",
        "row-always": "all_correct",
        "row-unclosed": "all_wrong",  # the template opens a thinking section: unclosed or cut responses are wrong
        "row-long": "too_long",
    }
    assert result.counts["dropped"] == {"all_correct": 1, "all_wrong": 2, "too_long": 1}
    assert result.counts["rollouts"] == 4 * 8 + 4 and result.counts["infra_errors"] == 0
    completions = read_completions(tmp_path / "completions.parquet")
    assert len(completions) == 36 and all(c.status in ("correct", "wrong") for c in completions)
    assert [c.sample_index for c in completions[:8]] == list(range(8))
    assert len({c.seed for c in completions}) == 36
    rates = {r["problem_id"]: r for r in read_table(tmp_path / "pass_rates.parquet", PASS_RATE_SCHEMA)}
    assert len(rates) == 5 and rates["id-always"]["num_correct"] == 8 and rates["id-some"]["max_response_tokens"] == 200


def test_a_subset_is_nested_and_the_rest_is_accounted_for(tmp_path: Path, tiny_model: Path):
    chosen = []
    for limit in (1, 2):
        folder = tmp_path / str(limit)
        folder.mkdir()
        run_stage(folder, tiny_model, max_problems_math=limit, max_problems_code=0)
        dropped = read_dropped(folder / "dropped.parquet")
        chosen.append({p.row_id for p in PROBLEMS} - {d.row_id for d in dropped if d.reason == "not_sampled"})
    assert len(chosen[0]) == 1 and len(chosen[1]) == 2 and chosen[0] < chosen[1]


def test_the_same_again_gives_the_same_bytes(tmp_path: Path, tiny_model: Path):
    digests = []
    for name in "ab":
        (tmp_path / name).mkdir()
        digests.append(run_stage(tmp_path / name, tiny_model).digests)
    assert digests[0] == digests[1]


@pytest.mark.skipif(not CASES.exists(), reason="no shared/cases beside the repository")
def test_infra_errors_leave_k_and_n():
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    case = next(c for c in cases if c["id"] == "H10")
    config = DifficultyConfig()
    tally = Tally.of(case["input"]["verdicts"])
    assert reason_to_drop(tally, config) == "" and case["expected"]["keep"]
    assert with_pass_rate(PROBLEMS[0], tally).pass_rate == pytest.approx(case["expected"]["pass_rate"], abs=1e-12)
    assert reason_to_drop(Tally.of(case["input"]["other_problem_verdicts"]), config) == "undecided"


def test_window():
    config = DifficultyConfig(min_correct=2, min_wrong=3)
    decisions = [reason_to_drop(Tally(k, 16, 0, 0), config) for k in (0, 1, 2, 13, 14, 16)]
    assert decisions == ["all_wrong", "too_hard", "", "", "too_easy", "all_correct"]
    assert reason_to_drop(Tally.of(["invalid"] * 4), config) == "not_gradable"
    with pytest.raises(ConfigError, match="nothing could stay"):
        DifficultyConfig.parse({"min_correct": 8, "rollouts_code": 8})
