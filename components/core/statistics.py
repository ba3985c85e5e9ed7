"""Numbers that models are compared by: avg@k, unbiased pass@k, and intervals with the problem as the unit.

Samples of one problem are alike, so an interval must not treat them as independent: all intervals here
describe the spread over problems (samples are clustered in their problem). They hold for problems like these,
not for the same problems asked once more.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Z_95 = 1.959963984540054
BOOTSTRAP_ROUNDS = 2000


def pass_at_k(num_graded: int, num_correct: int, k: int) -> float:
    """Unbiased chance that at least one of k samples is correct, from n graded samples with c correct:
    1 - C(n-c, k) / C(n, k) (Chen et al. 2021, equation 1). Raises ValueError unless 1 <= k <= n."""
    if not 1 <= k <= num_graded:
        raise ValueError(f"pass@{k} needs at least {k} graded samples, there are {num_graded}")
    return 1.0 - math.comb(num_graded - num_correct, k) / math.comb(num_graded, k)


def bootstrap_interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """95 % percentile interval of the mean: problems are drawn with replacement, BOOTSTRAP_ROUNDS times, seeded.

    With one problem, or when all problems have the same value, drawing again shows no spread though there may be
    one; then the Wilson interval of that share over the problems is given."""
    count = len(values)
    if count == 0:
        return 0.0, 1.0
    if count == 1 or min(values) == max(values):
        return wilson_interval(math.fsum(values), count)
    generator = np.random.Generator(np.random.Philox(key=seed))
    drawn = generator.integers(0, count, size=(BOOTSTRAP_ROUNDS, count))
    means = np.asarray(values, dtype=np.float64)[drawn].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def wilson_interval(successes: float, count: int) -> tuple[float, float]:
    """95 % interval of a share, Wilson (1927); unlike the plain normal one it is not empty at 0 and 1."""
    if count == 0:
        return 0.0, 1.0
    share, z2 = successes / count, Z_95 * Z_95
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = Z_95 / (1 + z2 / count) * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


def compare_scores(base: Mapping[str, Any], final: Mapping[str, Any], seed: int = 1) -> dict[str, dict[str, Any]]:
    """Benchmark -> paired difference of avg@k, final - base, from two `scores.json`: `gain`, its 95 % `interval`
    (bootstrap over problems), `num_problems`. Only problems that both graded count; a benchmark without any is
    left out. Pairing takes out what makes a problem hard for both models."""
    gains = {}
    for name in sorted(set(base["benchmarks"]) & set(final["benchmarks"])):
        before, after = (_solve_rates(scores["benchmarks"][name]) for scores in (base, final))
        shared = sorted(before.keys() & after.keys())
        if shared:
            gains[name] = paired_difference([before[p] for p in shared], [after[p] for p in shared], seed)
    return gains


def paired_difference(before: Sequence[float], after: Sequence[float], seed: int) -> dict[str, Any]:
    """`gain`, `interval`, `num_problems` of per-problem values. One problem, or no spread at all, says nothing
    about others: then the interval is [-1, 1]."""
    differences = [b - a for a, b in zip(before, after, strict=True)]
    gain = math.fsum(differences) / len(differences)
    spread = len(differences) > 1 and min(differences) != max(differences)
    interval = bootstrap_interval(differences, seed) if spread else (-1.0, 1.0)
    return {"gain": gain, "interval": list(interval), "num_problems": len(differences)}


def _solve_rates(benchmark: Mapping[str, Any]) -> dict[str, float]:
    return {
        identifier: problem["num_correct"] / problem["num_graded"]
        for identifier, problem in benchmark["problems"].items()
        if problem["num_graded"]
    }
