"""Shingles, MinHash bands and the greedy leader rule against exact computation."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from components.text.leaders import greedy_leaders
from components.text.minhash import band_keys, signatures
from components.text.shingles import jaccard, ngrams, shingles


def test_ngrams_of_short_and_long_texts() -> None:
    assert ngrams(["a", "b", "c", "d"], 3) == [("a", "b", "c"), ("b", "c", "d")]
    assert ngrams(["a"], 3) == [("a",)]
    assert ngrams([], 3) == []


def test_jaccard_by_hand() -> None:
    assert jaccard(shingles("a b c d"), shingles("a b c e")) == 1 / 3
    assert jaccard(frozenset(), frozenset()) == 1.0


def test_signatures_estimate_jaccard_and_do_not_depend_on_company() -> None:
    left = frozenset(f"s{i}" for i in range(100))
    right = frozenset(f"s{i}" for i in range(20, 120))
    a, b = signatures([left, right], num_perm=1024, seed=7)
    (alone,) = signatures([right], num_perm=1024, seed=7)
    assert np.array_equal(b, alone)
    assert abs(float(np.mean(a == b)) - 80 / 120) < 0.06  # four standard deviations


def test_twenty_bands_of_six_find_pairs_above_the_threshold() -> None:
    found = 0
    for start in range(40):
        left = frozenset(f"{start}-{i}" for i in range(90))
        right = frozenset(f"{start}-{i}" for i in range(10, 100))  # 80 / 100
        a, b = signatures([left, right], num_perm=120, seed=1)
        found += bool(set(band_keys(a, 20)) & set(band_keys(b, 20)))
    assert found >= 39


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 3.1), min_size=1, max_size=40), st.floats(0.5, 0.99))
def test_every_removed_row_is_near_a_kept_row_and_kept_rows_are_apart(angles: list[float], threshold: float) -> None:
    vectors = np.asarray([[np.cos(a), np.sin(a)] for a in angles], dtype=np.float32)
    removed = greedy_leaders(vectors, threshold, lambda kept, row: True)
    kept = [i for i in range(len(angles)) if i not in removed]
    for row, (leader, cosine) in removed.items():
        assert leader in kept and leader < row
        assert abs(cosine - float(vectors[row] @ vectors[leader])) < 1e-5 and cosine >= threshold - 1e-5
    assert all(float(vectors[i] @ vectors[j]) < threshold + 1e-5 for i in kept for j in kept if i < j)


def test_a_chain_loses_only_what_is_near_a_kept_row() -> None:
    vectors = np.asarray([[np.cos(a), np.sin(a)] for a in (0.0, 0.4, 0.8, 1.2)], dtype=np.float32)
    assert set(greedy_leaders(vectors, 0.9, lambda kept, row: True)) == {1, 3}


def test_unconfirmed_rows_stay() -> None:
    vectors = np.ones((3, 1), dtype=np.float32)
    assert greedy_leaders(vectors, 0.9, lambda kept, row: (kept, row) == (1, 2)) == {2: (1, 1.0)}
