"""The gain of one model over another on the same problems, with its interval.

Both models answered the same problems, so the difference is taken problem by problem: what makes a problem hard
for both cancels, and the interval is much narrower than that of two separate averages.
"""

import math
from typing import Any

Z_95 = 1.959963984540054


def solve_rates(benchmark: dict[str, Any]) -> dict[str, float]:
    """Problem id -> share of graded samples that were correct, from one benchmark of a scores.json. A problem with no
    graded sample (all infra errors) is left out: nobody knows."""
    return {
        identifier: problem["num_correct"] / problem["num_graded"]
        for identifier, problem in benchmark["problems"].items()
        if problem["num_graded"]
    }


def paired_gain(base: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Mean per-problem difference other - base with its 95 % normal interval, from two entries of
    scores.json["benchmarks"]. None when they share no graded problem."""
    before, after = solve_rates(base), solve_rates(other)
    shared = sorted(before.keys() & after.keys())
    if not shared:
        return None
    differences = [after[p] - before[p] for p in shared]
    mean = math.fsum(differences) / len(differences)
    squares = math.fsum((d - mean) ** 2 for d in differences)
    error = math.sqrt(squares / (len(differences) - 1) / len(differences)) if len(differences) > 1 else math.inf
    half = Z_95 * error
    interval = [mean - half, mean + half] if math.isfinite(half) else [-1.0, 1.0]
    return {"gain": mean, "interval": interval, "num_problems": len(shared)}
