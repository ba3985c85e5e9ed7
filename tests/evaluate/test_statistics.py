"""avg@k, pass@k and intervals against independent computations and a published score table."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from components.core.records import Completion, Problem, Source
from components.core.statistics import (
    bootstrap_interval,
    compare_scores,
    paired_difference,
    pass_at_k,
    wilson_interval,
)
from components.evaluate.metrics import benchmark_scores

TABLE = Path(__file__).parents[2].parent / "shared" / "data" / "evaluation" / "aime24_run_scores.jsonl"


def graded(verdicts: list[list[str]]) -> tuple[list[Problem], list[list[Completion]]]:
    problems = [
        Problem(f"r{i}", f"p{i}", "math", "s", Source("b", "r", i), metadata={"family": f"f{i}"})
        for i in range(len(verdicts))
    ]
    completions = [
        [
            Completion(p.problem_id, j, "", 10 * (j + 1), "length" if j else "stop", "d", j, "b", status)
            for j, status in e
        ]
        for p, e in zip(problems, (list(enumerate(row)) for row in verdicts), strict=True)
    ]
    return problems, completions


def test_pass_at_k_is_the_share_of_subsets_with_a_correct_one():
    for n, c in itertools.product(range(1, 8), range(8)):
        for k in range(1, n + 1):
            if c <= n:
                subsets = list(itertools.combinations([1] * c + [0] * (n - c), k))
                assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets), abs=1e-12)
    with pytest.raises(ValueError, match="at least 5"):
        pass_at_k(4, 1, 5)


def test_infra_errors_leave_both_counts():
    correct, wrong, lost = "correct", "wrong", "infra_error"
    problems, completions = graded([[correct, wrong, lost, lost], [wrong] * 4, [lost] * 4, [correct] * 4])
    scores = benchmark_scores(problems, completions, 4, seed=1)
    assert scores["avg_at_k"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert scores["infra_errors"] == 6 and scores["num_problems"] == 4
    assert scores["problems"]["p0"] == {"num_correct": 1, "num_graded": 2, "family": "f0"}
    assert scores["pass_at_k"] == pytest.approx({"1": 0.5, "2": 2 / 3, "4": 0.5})
    assert scores["mean_tokens"] == 25 and scores["truncated_share"] == 0.75


@pytest.mark.skipif(not TABLE.exists(), reason="no shared/data beside the repository")
def test_published_runs_of_aime24():
    """avg@k of each published run equals its own mean of scores, pass@n equals the share of problems solved at all."""
    runs: dict[str, dict[int, list[bool]]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        runs.setdefault(f"{row['run']}@{row['blob']}", {})[row["idx"]] = row["score"]
    assert runs
    for rows in runs.values():
        table = [rows[i] for i in sorted(rows)]
        n = len(table[0])
        if any(len(r) != n for r in table):
            continue
        verdicts = [["correct" if s else "wrong" for s in r] for r in table]
        scores = benchmark_scores(*graded(verdicts), num_samples=n, seed=1)
        array = np.array(table, dtype=float)
        assert scores["avg_at_k"] == pytest.approx(array.mean())
        assert scores["pass_at_k"]["1"] == pytest.approx(array.mean())
        assert scores["pass_at_k"][str(n)] == pytest.approx(array.any(axis=1).mean())
        low, high = scores["interval"]
        assert low <= array.mean() <= high


def test_bootstrap_agrees_with_the_normal_interval():
    generator = np.random.default_rng(3)
    values = generator.beta(2, 3, size=200)
    low, high = bootstrap_interval(values.tolist(), seed=1)
    half = 1.96 * values.std(ddof=1) / math.sqrt(200)
    assert low == pytest.approx(values.mean() - half, abs=0.004)
    assert high == pytest.approx(values.mean() + half, abs=0.004)
    assert bootstrap_interval(values.tolist(), seed=1) == (low, high) != bootstrap_interval(values.tolist(), seed=2)


def test_bootstrap_covers_the_truth():
    """Of 300 benchmarks of 40 problems with 8 samples each, about 95 % of intervals hold the true mean."""
    generator = np.random.default_rng(5)
    held = 0
    for number in range(300):
        rates = generator.binomial(8, generator.beta(1, 1, size=40)) / 8
        low, high = bootstrap_interval(rates.tolist(), seed=number)
        held += low <= 0.5 <= high
    assert 0.90 <= held / 300 <= 0.98


def test_no_spread_is_not_certainty():
    """Wilson's interval at 0 of 10 and 10 of 10, worked by hand: z2 / (n + z2) = 3.8415 / 13.8415."""
    assert bootstrap_interval([0.0] * 10, 1) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert bootstrap_interval([1.0] * 10, 1) == pytest.approx((0.72247, 1.0), abs=1e-5)
    assert wilson_interval(0, 0) == bootstrap_interval([], 1) == (0.0, 1.0)


def test_paired_difference_is_narrower_than_two_intervals():
    generator = np.random.default_rng(7)
    before = generator.beta(0.5, 0.5, size=60) * 0.9
    after = before + 0.05 + generator.normal(0, 0.02, size=60)
    result = paired_difference(before.tolist(), after.tolist(), 1)
    assert result["gain"] == pytest.approx((after - before).mean())
    assert 0.03 < result["interval"][0] < result["gain"] < result["interval"][1] < 0.07
    assert paired_difference([0.5], [0.7], 1)["interval"] == [-1.0, 1.0]


def test_compare_scores_takes_problems_that_both_graded():
    def entry(counts: dict[str, tuple[int, int]]) -> dict:
        return {"problems": {p: {"num_correct": c, "num_graded": n} for p, (c, n) in counts.items()}}

    base = {"benchmarks": {"a": entry({"x": (1, 4), "y": (2, 4), "z": (0, 0)}), "b": entry({"x": (1, 1)})}}
    final = {"benchmarks": {"a": entry({"x": (3, 4), "y": (2, 4), "z": (4, 4), "w": (1, 4)}), "c": entry({})}}
    gains = compare_scores(base, final)
    assert set(gains) == {"a"} and gains["a"]["num_problems"] == 2 and gains["a"]["gain"] == pytest.approx(0.25)
