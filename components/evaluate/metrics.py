"""Scores of one benchmark from its graded completions: avg@k, unbiased pass@k, intervals, lengths."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from components.core.records import Completion, Problem
from components.core.statistics import bootstrap_interval, pass_at_k


def benchmark_scores(
    problems: Sequence[Problem], completions: Sequence[Sequence[Completion]], num_samples: int, seed: int
) -> dict[str, Any]:
    """One entry of scores.json["benchmarks"]. `completions[i]` are the graded samples of `problems[i]`.

    avg@k is the mean over problems of the share of correct among graded samples; a sample that nobody could judge
    leaves both counts, a problem with no graded sample leaves the mean. The 95 % interval is a bootstrap over
    problems (core/statistics.py).
    """
    flat = [c for row in completions for c in row]
    entries = {p.problem_id: _problem_entry(p, row) for p, row in zip(problems, completions, strict=True)}
    graded = [(e["num_graded"], e["num_correct"]) for e in entries.values() if e["num_graded"]]
    rates = [correct / n for n, correct in graded]
    statuses = Counter(c.status for c in flat)
    return {
        "domain": problems[0].domain if problems else "",
        "num_problems": len(problems),
        "num_samples": num_samples,
        "avg_at_k": math.fsum(rates) / len(rates) if rates else 0.0,
        "interval": list(bootstrap_interval(rates, seed)),
        "pass_at_k": pass_at_ks(graded, num_samples),
        "mean_tokens": sum(c.num_tokens for c in flat) / len(flat) if flat else 0.0,
        "truncated_share": sum(c.finish_reason == "length" for c in flat) / len(flat) if flat else 0.0,
        "infra_errors": statuses["infra_error"],
        "problems": entries,
    }


def pass_at_ks(graded: Sequence[tuple[int, int]], num_samples: int) -> dict[str, float]:
    """k -> mean pass@k, for k = 1, 2, 4 … and num_samples. `graded` holds (graded, correct) of each problem; for a
    k that infra errors left a problem too few samples for, the mean is over the others."""
    ks = sorted({1 << i for i in range(num_samples.bit_length()) if 1 << i <= num_samples} | {num_samples})
    means = {}
    for k in ks:
        values = [pass_at_k(n, correct, k) for n, correct in graded if n >= k]
        if values:
            means[str(k)] = math.fsum(values) / len(values)
    return means


def _problem_entry(problem: Problem, completions: Sequence[Completion]) -> dict[str, Any]:
    count = Counter(c.status for c in completions)
    entry = {"num_correct": count["correct"], "num_graded": count["correct"] + count["wrong"]}
    family = problem.metadata.get("family")
    return {**entry, "family": family} if family else entry
