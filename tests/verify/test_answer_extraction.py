"""The one extractor: thinking, boxes, plain final answers, fenced code."""

import pytest

from components.verify.answers import after_thinking, extract_answer, extract_code, extract_stated_answer


@pytest.mark.parametrize(
    ("response", "required", "expected"),
    [
        ("thought</think> answer", True, " answer"),
        ("a</think>b</think>c", True, "c"),
        ("no tag at all", True, None),
        ("no tag at all", False, "no tag at all"),
        ("</think>", True, ""),
    ],
)
def test_text_after_the_last_thinking_tag(response: str, required: bool, expected: str | None) -> None:
    assert after_thinking(response, required) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"so \boxed{3}, no wait, \boxed{4}.", "4"),
        (r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}"),
        (r"\boxed{\left\{1, 2\right\}}", r"\left\{1, 2\right\}"),
        (r"\fbox{7}", "7"),
        (r"$\boxed 5$", "5"),
        (r"first \boxed{3}, then \boxed{", None),
        (r"\boxed{}", None),
        (r"\boxed{ 12 }", "12"),
    ],
)
def test_the_last_box_wins(text: str, expected: str | None) -> None:
    assert extract_answer(text) == expected
    assert extract_answer(text, require_box=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 42.", "42"),
        ("The answer is $x = \\frac{3}{4}$. This is small.", r"x = \frac{3}{4}"),
        ("**Final answer:** 17", "17"),
        ("The answer is $3$ and $5$.", "3, 5"),
        ("Final answer 5. Then 17 apples", "5"),
        ("work\n#### 1,234", "1,234"),
        ("We add them.\nHence the sum is 3.5", "3.5"),
        ("So $a+b$ gives\nthe value \\(n^2\\)", "n^2"),
        ("The answer is \u22127/2", "\u22127/2"),
        ("The answer is 12 apples.", "12"),
        ("512", "512"),
        ("", None),
        ("There is no number in this long sentence that could be an answer", None),
    ],
)
def test_without_a_box_the_plain_final_answer_counts(text: str, expected: str | None) -> None:
    assert extract_answer(text) == expected
    assert extract_answer(text, require_box=True) is None


def test_a_solution_states_its_answer_or_none_is_taken() -> None:
    assert extract_stated_answer(r"Adding, 3 + 4 = \boxed{7}. Check: 7 - 4 = 3") == "7"
    assert extract_stated_answer("Adding, 3 + 4. The answer is 7.") == "7"
    assert extract_stated_answer("Adding gives 7, because 7 - 4 = 3") is None
    assert extract_stated_answer("The answer is unique. Hence the sum is 7") is None


@pytest.mark.parametrize("label", ["python", "py", "python3", "", "Python"])
def test_code_labels(label: str) -> None:
    assert extract_code(f"text\n```{label}\nprint(1)\n```\nmore") == "print(1)\n"


def test_the_last_code_block_of_a_known_label_wins() -> None:
    text = "```python\na = 1\n```\n```py\nb = 2\n```\n```text\nnot code\n```\n```cpp\nint x;\n```"
    assert extract_code(text) == "b = 2\n"
    assert extract_code("```python\nprint(1)") is None
    assert extract_code("no block, print(1)") is None
    assert extract_code('````python\ns = """\n```\n"""\n````') == 's = """\n```\n"""\n'
