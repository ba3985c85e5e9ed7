"""Dedup on small pools: which copy stays, what is a twin, and that every removed row points to a kept one."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.core.records import Problem, Source, read_dropped, read_problems, write_problems
from components.core.step import execute
from components.dedup.config import DedupConfig
from components.dedup.run import STAGE, deduplicate
from components.dedup.sameness import confirmed, same_answers
from components.text.agreement import agreeing_tests

SHARED = Path(__file__).parents[2].parent / "shared"
TEXT_ONLY = DedupConfig(semantic=False)
LONG = (
    "A farmer has 12 hens and 7 cows in a field. Each morning he feeds every hen 3 spoons of corn and every cow 40 "
    "spoons of hay. How many spoons of food does he use in all {} on one such morning when nothing is left over?"
)


def math(row: int, statement: str, answer: str = "7", status: str = "") -> Problem:
    return Problem(f"r{row}", f"p{row}", "math", statement, Source("own", "1", row), (answer,), answer_status=status)


def code(row: int, statement: str, inputs: list[Any], outputs: list[Any], name: str = "f") -> Problem:
    tests = {"kind": "function_call", "fn_name": name, "inputs": inputs, "outputs": outputs}
    return Problem(f"r{row}", f"p{row}", "code", statement, Source("own", "1", row), tests=tests)


def reasons(problems: list[Problem], config: DedupConfig = TEXT_ONLY) -> dict[str, str]:
    kept, dropped = deduplicate(problems, config)
    assert [p.row_id for p in kept] + [d.row_id for d in dropped] != [] or not problems
    assert sorted([p.row_id for p in kept] + [d.row_id for d in dropped]) == sorted(p.row_id for p in problems)
    kept_ids = {p.row_id for p in kept}
    assert all(d.evidence["kept_row_id"] in kept_ids for d in dropped if d.reason != "conflicting_answers")
    return {d.row_id: d.reason for d in dropped}


def test_of_equal_texts_the_first_verified_copy_stays() -> None:
    problems = [
        math(0, "Find $x^{2}$ for x=3.", "9"),
        math(1, r"find \( x^2 \) for $x = 3$", "9", "verified"),
        math(2, "Find x² for x=3", "9.0", "verified"),
    ]
    assert reasons(problems) == {"r0": "exact_duplicate", "r2": "exact_duplicate"}


def test_other_answers_to_one_text_conflict_unless_one_is_verified() -> None:
    text = "How many primes are below 20?"
    assert reasons([math(0, text, "8"), math(1, text, "7")]) == dict.fromkeys(("r0", "r1"), "conflicting_answers")
    one_verified = [math(0, text, "7"), math(1, text, "8", "verified"), math(2, text, "8")]
    assert reasons(one_verified) == {"r0": "conflicting_answers", "r2": "exact_duplicate"}
    two_verified = [math(0, text, "7", "verified"), math(1, text, "8", "verified")]
    assert reasons(two_verified) == dict.fromkeys(("r0", "r1"), "conflicting_answers")


def test_conflict_evidence_shows_both_answers() -> None:
    _, dropped = deduplicate([math(0, "3+4?", "7"), math(1, "3+4?", "8")], TEXT_ONLY)
    assert dropped[0].evidence["answers"] == ["7"] and dropped[0].evidence["other_answers"] == [["8"]]
    assert dropped[0].evidence["other_row_ids"] == ["r1"]


def test_near_copies_go_and_twins_with_other_numbers_or_answers_stay() -> None:
    problems = [
        math(0, LONG.format(""), "316"),
        math(1, LONG.format("together"), "316"),
        math(2, LONG.format("together").replace("12", "13"), "319"),
        math(3, LONG.format("altogether"), "317"),
    ]
    assert reasons(problems) == {"r1": "near_duplicate"}
    _, dropped = deduplicate(problems, TEXT_ONLY)
    assert 0.8 <= dropped[0].evidence["similarity"] < 1 and dropped[0].evidence["kept_row_id"] == "r0"


def test_without_confirmation_twins_go_too() -> None:
    problems = [math(0, LONG.format("")), math(1, LONG.format("").replace("12 hens", "15 hens"))]
    assert reasons(problems) == {}
    assert reasons(problems, DedupConfig(semantic=False, confirm=False)) == {"r1": "near_duplicate"}


def test_reworded_copies_go_and_reworded_twins_stay() -> None:
    problems = [
        math(0, "Tom has 12 apples and buys 3 bags of 4 apples. How many apples does he have?", "24"),
        math(1, "Tom owns 12 apples. He buys 3 bags with 4 apples. How many apples has he?", "24"),
        math(2, "Tom owns 12 apples. He buys 3 bags with 5 apples. How many apples has he?", "27"),
        math(3, "A triangle has sides 12, 3 and 4 larger than 5. Find the number of such shapes.", "24"),
    ]
    config = DedupConfig(embedding={"threads": 1})
    assert reasons(problems, config) == {"r1": "reworded_duplicate"}
    assert reasons(problems, config.model_copy(update={"semantic": False})) == {}


def test_code_twins_with_other_outputs_stay() -> None:
    text = "Write a function f that returns the given number a plus {}."
    same = "Write a function f which returns the given number a plus {}."
    problems = [
        code(0, text.format(3), [[1], [2]], [4, 5]),
        code(1, same.format(3), [[2], [1], [9]], [5, 4, 12]),
        code(2, text.format(4), [[1], [2]], [5, 6]),
    ]
    assert reasons(problems, DedupConfig(embedding={"threads": 1})) == {"r1": "reworded_duplicate"}


def test_tests_decide_only_where_they_can() -> None:
    left = code(0, "", [[1], [2]], [4, 5]).tests or {}
    assert agreeing_tests(left, code(0, "", [[1], [2]], [4, 5]).tests or {}, 2) is True
    assert agreeing_tests(left, code(0, "", [[1], [2]], [4, 6]).tests or {}, 2) is False
    assert agreeing_tests(left, code(0, "", [[8], [9]], [4, 6]).tests or {}, 2) is None
    assert agreeing_tests(left, {}, 2) is None


def test_code_problems_are_one_by_tests_by_a_common_solution_or_by_nearly_the_same_text() -> None:
    left, other_inputs = code(0, "Add 3.", [[1], [2]], [4, 5]), code(1, "Add 3!", [[8], [9]], [11, 12])
    assert not confirmed(left, other_inputs, 2, same_text=False)
    assert confirmed(left, other_inputs, 2, same_text=True)
    program = "def f(a):\n    return a + 3"
    with_program = replace(left, solutions=(program,)), replace(other_inputs, solutions=(program + "\n",))
    assert confirmed(*with_program, 2, same_text=False)
    assert not confirmed(left, code(1, "Add 3.", [[1], [2]], [4, 5], "g"), 2, same_text=True)


def test_equal_answers_in_other_spellings() -> None:
    assert same_answers(math(0, "", r"\frac{1}{2}"), math(1, "", "0.5"))
    assert same_answers(math(0, "", "025"), math(1, "", "25"))
    assert not same_answers(math(0, "", "25"), math(1, "", "52"))


def test_a_chain_of_near_copies_never_removes_for_a_removed_row() -> None:
    words = ["".join(chr(97 + int(d)) for d in f"{i:03}") for i in range(60)]
    chain = [math(i, " ".join(words[3 * i : 3 * i + 40])) for i in range(6)]
    gone = reasons(chain, DedupConfig(semantic=False, min_jaccard=0.75))
    assert "r0" not in gone and 0 < len(gone) < 6


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=12))
def test_accounting_and_order_for_any_pool(rows: list[tuple[int, int, bool]]) -> None:
    pool = [
        math(i, f"What is {text} plus {text}?", str(answer), "verified" if good else "")
        for i, (text, answer, good) in enumerate(rows)
    ]
    gone = reasons(pool)
    kept = [p for p in pool if p.row_id not in gone]
    assert len({p.statement for p in kept}) == len(kept)
    again, _ = deduplicate(kept, TEXT_ONLY)
    assert again == kept


def test_the_stage_joins_inputs_in_order_and_repeats_its_bytes(tmp_path: Path) -> None:
    first = [math(i, f"What is {i}+{i}?", str(2 * i)) for i in range(5)]
    second = [replace(first[2], row_id="r9"), code(10, "Double it.", [[1]], [2])]
    files = []
    for name in ("a", "b"):
        paths = [tmp_path / name / f"in{i}.parquet" for i in range(2)]
        for path, part in zip(paths, (first, second), strict=True):
            write_problems(path, part)
        outputs = {port: tmp_path / name / f"{port}.parquet" for port in ("kept", "dropped")}
        counts = execute(STAGE, "dedup", '{"semantic": false}', {"problems": paths}, outputs).counts
        files.append([path.read_bytes() for path in outputs.values()])
    assert files[0] == files[1]
    assert counts == {"rows_in": 7, "rows_kept": 6, "rows_dropped": 1, "dropped": {"exact_duplicate": 1}}
    assert [p.row_id for p in read_problems(outputs["kept"])] == ["r0", "r1", "r2", "r3", "r4", "r10"]
    assert read_dropped(outputs["dropped"])[0].evidence["kept_row_id"] == "r2"


def test_real_twins_are_kept_apart_and_real_copies_are_found() -> None:
    path = SHARED / "data/contamination/near_duplicate_pairs.jsonl.gz"
    if not path.exists():
        pytest.skip("the real data samples are not here")
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
    rows = [r for r in rows if r["a_answer"] and r["b_answer"]]
    merged = {True: 0, False: 0}
    totals = {True: 0, False: 0}
    for row in rows:
        if row["band"] not in ("norm_equal", "j80"):
            continue
        pair = [math(0, row["a_text"], row["a_answer"]), math(1, row["b_text"], row["b_answer"])]
        gone = reasons(pair)
        totals[same_answers(*pair)] += 1
        merged[same_answers(*pair)] += any(reason != "conflicting_answers" for reason in gone.values())
    assert merged[False] == 0
    assert merged[True] >= 0.6 * totals[True] > 0
