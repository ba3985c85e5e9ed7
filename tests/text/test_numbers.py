"""Given numbers and answer keys."""

from hypothesis import given
from hypothesis import strategies as st

from components.text.numbers import answer_key, given_numbers, share_in_order, share_of_numbers


def test_numbers_are_read_in_order_with_words_and_without_drawings() -> None:
    statement = r"Five boys share $1{,}200$ and 2.50 coins [asy] draw((3,4)); [/asy] in $x^{3}$ ways"
    assert given_numbers(statement) == ("5", "1200", "2.5", "3")


def test_an_unclosed_drawing_is_left_out_too() -> None:
    assert given_numbers("Take 7. [asy] draw((1,2));") == ("7",)


def test_shares_count_each_number_as_often_as_wanted() -> None:
    assert share_of_numbers(("3", "3", "4", "5"), ("3", "4", "9")) == 0.5
    assert share_in_order(("12", "5"), ("5", "12")) == 0.5
    assert share_of_numbers(("12", "5"), ("5", "12")) == 1.0
    assert share_in_order((), ("1",)) == share_of_numbers((), ()) == 1.0


def test_answer_keys_agree_for_spellings_of_one_value() -> None:
    groups = [
        ["025", "25", "$25$", r"\boxed{25}", "25.0", r"\dfrac{50}{2}"],
        [r"\frac12", "0.5", "1/2", r"$\frac{2}{4}$"],
        [r"336^\circ", "336", r"336^{\circ}"],
        ["-3", "−3"],
        [r"2\sqrt3", r"2\sqrt{3}"],
    ]
    keys = [{answer_key(a) for a in group} for group in groups]
    assert all(len(k) == 1 for k in keys)
    assert len(set.union(*keys)) == len(groups)


def test_answer_key_takes_anything() -> None:
    for text in ("", "1/0", "no answer", r"\boxed{", "9" * 5000):
        assert isinstance(answer_key(text), str)


@given(st.integers(-(10**6), 10**6), st.integers(1, 999))
def test_equal_fractions_have_equal_keys(top: int, bottom: int) -> None:
    assert answer_key(f"{top}/{bottom}") == answer_key(f"{2 * top}/{2 * bottom}")
