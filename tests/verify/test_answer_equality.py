"""Are two answers the same: the in-process tiers, then Math-Verify, against verdicts known beforehand."""

import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from components.verify.answer_text import normalise_answer
from components.verify.answers import extract_answer
from components.verify.math_answers import absurdity, answers_equal, quick_verdict

SHARED = Path(__file__).parents[2].parent / "shared"

QUICK_EQUAL = [
    ("025", "25"),
    (r"336^\circ", "336"),
    ("1000", "1,000"),
    ("7425000", "7,425,000"),
    (r"\frac{1}{2}", "0.5"),
    (r"\dfrac{3}{4}", "3/4"),
    (r"-\frac{7}{2}", "\u22127/2"),
    (r"\frac12", "1/2"),
    ("5", "x=5"),
    ("x = 5", "5"),
    ("10\\%", "0.1"),
    ("Yes", r"\text{yes}"),
    (r"\text{(C)}", "C"),
    ("1,2", "2,1"),
    ("3 and 5", "5, 3"),
    ("(1, 2)", r"\left(1,2\right)"),
    (r"1.5 \times 10^{3}", "1500"),
    ("5", r"5 \text{ cm}"),
    ("$12.50", "12.5"),
    ("15000", r"15,000 \, \text{kcal m}^{-2} \text{ yr}^{-1}"),
    ("1/3", "0.333333"),
    (r"2^{100000}", r"2^{100000}"),
]
QUICK_DIFFERENT = [
    ("25", "26"),
    ("1/3", "0.333"),
    ("3.14", "3.14159"),
    ("10000000000000001", "10000000000000000"),
    ("125 and 512", "512"),
    ("512", "125 and 512"),
    ("A", "B"),
    ("(1,2)", "(2,1)"),
    ("0", "1e-9"),
    ("1", ""),
    ("1", "9^{99999999}"),
]


@pytest.mark.parametrize(("gold", "prediction"), QUICK_EQUAL)
def test_equal_without_symbols(gold: str, prediction: str) -> None:
    assert quick_verdict(gold, prediction).equal is True


@pytest.mark.parametrize(("gold", "prediction"), QUICK_DIFFERENT)
def test_different_without_symbols(gold: str, prediction: str) -> None:
    assert quick_verdict(gold, prediction).equal is False


def _spellings(value: Fraction) -> list[str]:
    sign, above, below = "-" if value < 0 else "", abs(value.numerator), value.denominator
    texts = [f"{sign}{above}/{below}", rf"{sign}\frac{{{above}}}{{{below}}}", rf"${sign}\dfrac{{{above}}}{{{below}}}$"]
    if below == 1:
        texts += [f"{sign}{above}", f"{sign}{above:,}", f"{sign}0{above}", f"{sign}{above}.0"]
    if below in (2, 4, 5, 8):
        texts.append(f"{sign}{above / below}")
    return texts


def test_fast_path_agrees_with_exact_arithmetic() -> None:
    draw = random.Random(5)
    for _ in range(5_000):
        left = Fraction(draw.randint(-3_000, 3_000), draw.choice([1, 1, 2, 3, 4, 5, 7, 8]))
        right = left if draw.random() < 0.5 else left + Fraction(draw.choice([-1, 1]), draw.choice([1, 2, 3, 100]))
        gold, prediction = draw.choice(_spellings(left)), draw.choice(_spellings(right))
        assert quick_verdict(gold, prediction).equal is (left == right), (gold, prediction)


SYMBOLIC = [
    (r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}", True),
    ("(x+1)^2", "x^2+2x+1", True),
    ("(x+1)^2", "x^2+2x-1", False),
    (r"3\pm\sqrt{2}", r"3+\sqrt{2}, 3-\sqrt{2}", True),
    (r"\frac{1}{3^{60}}", r"\frac{1}{3^{61}}", False),
    (r"4-\frac{1}{\mathrm{e}}", r"4+\frac{1}{\mathrm{e}}", False),
    (r"4-\frac{1}{\mathrm{e}}", r"4-\frac{1}{e}", True),
    (r"\sqrt{2}", "1.414214", True),
    (r"\sqrt{2}", "1.41", False),
    (r"\frac{355}{113}", r"\pi", False),
    (r"\frac{\pi}{6}", "\u03c0/6", True),
    (r"\{1,2\}", r"\{2,1\}", True),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\3\end{pmatrix}", False),
    (r"(-\infty, 2) \cup (3, \infty)", r"(-\infty,2)\cup(3,\infty)", True),
    (r"1\le x<2", "[1,2)", True),
    (r"2\sqrt{3}", "sqrt(12)", True),
    (r"\frac{\pi}{6}", r"30^\circ", True),
    (r"\frac{\pi}{6}", r"60^\circ", False),
    (r"C = \frac{2\pi}{3}", r"120^\circ", True),
    (r"m_{\max}=n^{2}-n-1", "n^2-n-1", True),
    (r"\{x \mid -1 < x < 1\}", "(-1, 1)", True),
    (r"\{x \mid -1 < x < 1\}", "(-1, 2)", False),
    (r"5 \text{ cm}", r"5 \text{ m}", False),
    (r"\text{no solution}", "0", False),
]


@pytest.mark.parametrize(("gold", "prediction", "expected"), SYMBOLIC)
def test_symbolic_tier(gold: str, prediction: str, expected: bool) -> None:
    assert answers_equal(gold, prediction) is expected


@pytest.mark.parametrize("text", ["9" * 5_000, "9^{9^{9^{9}}}", "99999!", "2^{1000000}", "(" * 60 + "1" + ")" * 60])
def test_absurd_answers_are_named_without_being_evaluated(text: str) -> None:
    assert absurdity(normalise_answer(text))
    assert quick_verdict("7", text, max_answer_chars=10_000).equal is False


@pytest.mark.parametrize("text", ["a^2+b^2+c^2+d^2", "e^{x^{2}}", "x^{10}-x^{9}+x^{8}", "2^{10}", "20!", "100^{12}"])
def test_ordinary_powers_are_not_absurd(text: str) -> None:
    assert absurdity(normalise_answer(text)) == ""


def test_long_answers_match_only_as_text() -> None:
    long = "1+" * 3_000 + "1"
    assert quick_verdict(long, long).equal is True
    assert quick_verdict("3001", long).reason == "answer_too_long"


@pytest.mark.skipif(
    not (SHARED / "cases/handed.jsonl").exists(), reason="the handed cases are not beside this checkout"
)
def test_handed_math_cases() -> None:
    for line in (SHARED / "cases/handed.jsonl").read_text(encoding="utf-8").split("\n"):
        case = json.loads(line) if line else {"area": ""}
        if case["area"] == "math_verify":
            answer = extract_answer(case["input"]["pred"])
            assert answer is not None, case["id"]
            assert answers_equal(case["input"]["gold"], answer) is case["expected"]["correct"], case["id"]
