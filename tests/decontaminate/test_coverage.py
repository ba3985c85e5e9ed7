"""Wording without names, and weighted coverage by hand."""

import math

from components.decontaminate.coverage import CoverageIndex
from components.decontaminate.wording import LETTER, content_words, renamed_ngrams, wording


def test_names_verbs_and_number_words_do_not_matter() -> None:
    left = wording(r"Let $f(x)=ax^{3}$ with five points $ABC$. Determine $a$.")
    right = wording(r"Let \( g(t) = b t^3 \) with 5 points $P Q R$. Find $b$.")
    assert renamed_ngrams(left, 5) == renamed_ngrams(right, 5)


def test_a_name_is_renamed_by_its_place_in_the_ngram() -> None:
    grams = renamed_ngrams(wording("x + y = x"), 5)
    assert grams == {(f"{LETTER}0", "+", f"{LETTER}1", "=", f"{LETTER}0")}
    assert grams != renamed_ngrams(wording("x + y = y"), 5)


def test_numbers_and_operators_matter() -> None:
    assert renamed_ngrams(wording("x + 2 = 3"), 5) != renamed_ngrams(wording("x + 3 = 3"), 5)
    assert renamed_ngrams(wording("x + 2 = 3"), 5) != renamed_ngrams(wording("x - 2 = 3"), 5)


def test_content_words_leave_names_and_numbers_out() -> None:
    assert content_words(wording("Find the 12 hens of ABC in x.")) == {"find", "the", "hens"}


def test_coverage_by_hand() -> None:
    index = CoverageIndex([{"a", "b"}, {"b", "c", "d"}])
    for row in ({"a", "b", "z"}, {"b"}, set()):
        index.add_row(set(row))
    rare, common, unseen = math.log1p(3 / 2), math.log1p(3 / 3), math.log1p(3 / 1)
    assert index.coverage(0)[0] == 1.0
    assert math.isclose(index.coverage(0)[1], common / (common + 2 * unseen))
    assert math.isclose(index.coverage(1)[0], common / (rare + common))
    assert index.coverage(2) == {}
