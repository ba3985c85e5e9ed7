"""The paired gain against numbers worked out by hand."""

import math

import pytest

from components.track.paired import paired_gain, solve_rates


def benchmark(counts: dict[str, tuple[int, int]]) -> dict:
    return {"problems": {p: {"num_correct": c, "num_graded": n} for p, (c, n) in counts.items()}}


def test_by_hand():
    base = benchmark({"a": (1, 4), "b": (2, 4), "c": (0, 4), "d": (4, 4)})
    other = benchmark({"a": (3, 4), "b": (2, 4), "c": (1, 4), "d": (4, 4)})
    found = paired_gain(base, other)
    differences = [0.5, 0.0, 0.25, 0.0]
    mean = 0.1875
    error = math.sqrt(sum((d - mean) ** 2 for d in differences) / 3 / 4)
    assert found["gain"] == mean and found["num_problems"] == 4
    assert found["interval"] == pytest.approx([mean - 1.96 * error, mean + 1.96 * error], rel=1e-4)


def test_ungraded_and_unshared_problems_stay_out():
    base = benchmark({"a": (1, 2), "b": (0, 0), "c": (1, 2)})
    other = benchmark({"a": (2, 2), "b": (2, 2), "d": (2, 2)})
    assert solve_rates(base) == {"a": 0.5, "c": 0.5}
    found = paired_gain(base, other)
    assert (found["gain"], found["num_problems"], found["interval"]) == (0.5, 1, [-1.0, 1.0])
    assert paired_gain(base, benchmark({"x": (1, 1)})) is None
