"""Rows of `or1 grade`: results in order, every bad row answered with what is wrong with it."""

from components.verify.config import VerifierConfig
from components.verify.grading_files import grade_code_rows, grade_math_rows


def test_math_rows() -> None:
    given = [
        {"id": 1, "response": r"so \boxed{4}", "gold": "4"},
        {"id": 2, "response": r"<think>\boxed{4}</think>\boxed{5}", "gold": ["4", "6"]},
        {"id": 3, "response": r"\boxed{6}", "gold": ["4", 6]},
        {"id": 4, "response": None, "gold": "4"},
        {"id": 5, "response": "4"},
        {"response": "4", "gold": "4", "finish_reason": "tired"},
    ]
    out = grade_math_rows(given, VerifierConfig())
    assert [row["id"] for row in out] == [1, 2, 3, 4, 5, None]
    assert [row["status"] for row in out] == ["correct", "wrong", "correct", "invalid", "invalid", "invalid"]
    assert out[1]["extracted"] == "5" and out[0]["correct"] is True
    assert "response" in out[3]["reason"] and "gold" in out[4]["reason"] and "finish_reason" in out[5]["reason"]


def test_code_rows() -> None:
    tests = {"kind": "stdin_stdout", "inputs": ["1", "2"], "outputs": ["1", "2"]}
    given = [
        {"id": "a", "response": "```python\nprint(input())\n```", "tests": tests},
        {"id": "b", "code": "print(1)", "tests": tests},
        {"id": "c", "code": "print(1)", "tests": {"kind": "stdin_stdout", "inputs": [], "outputs": []}},
        {"id": "d", "tests": tests},
        {"id": "e", "code": "print(1)"},
        {"id": "f", "response": "words", "tests": tests},
    ]
    out = grade_code_rows(given, VerifierConfig())
    assert [row["status"] for row in out] == ["correct", "wrong", "invalid", "invalid", "invalid", "wrong"]
    assert out[0]["tests"] == ["passed", "passed"] and out[1]["tests"] == ["passed", "wrong_answer"]
    assert [row["reason"] for row in out[2:]][:1] == ["no_tests"]
    assert set(out[0]) == {"id", "correct", "status", "reason", "extracted", "tests"}
