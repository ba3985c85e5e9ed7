"""Benchmarks are read whole or not at all; hidden tests are never unpickled."""

import base64
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from components.benchmarks.aime import spellings
from components.benchmarks.catalog import KINDS, load_benchmark
from components.benchmarks.config import BenchmarkConfig
from components.benchmarks.pickled_text import decode, text_of_pickle
from components.core.errors import ConfigError, DataError

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the folder with samples of real data is not here")
MB = 1 << 20
CASES = [{"input": "1 2", "output": "3", "testtype": "stdin"}]
LCB_ROW = {
    "question_content": "Add two numbers.", "contest_date": "2024-10-05T00:00:00", "starter_code": "",
    "public_test_cases": json.dumps(CASES), "metadata": "{}",
}  # fmt: skip


def config(kind: str, files: list[Any], **settings: Any) -> BenchmarkConfig:
    return BenchmarkConfig.parse({"name": "b", "kind": kind, "files": files, **settings})


def load_rows(tmp_path: Path, kind: str, rows: list[dict[str, Any]], **settings: Any) -> list[Any]:
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_benchmark(config(kind, ["b.jsonl"], **settings), tmp_path)


def packed(value: Any, protocol: int = 4) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value, protocol))).decode()


def test_the_config_names_exactly_the_catalog() -> None:
    assert set(KINDS) == {"aime", "livecodebench", "tiny_math", "tiny_code"}
    for kind in KINDS:
        assert config(kind, ["a.jsonl"]).kind == kind
    with pytest.raises(ConfigError, match="start_date"):
        config("livecodebench", ["a.jsonl"], start_date="August")


def test_bundled_benchmarks() -> None:
    math = load_benchmark(config("tiny_math", ["bundled:tiny_math.jsonl"], expected_problems=168))
    assert {p.source.name for p in math} == {"b"} and all(p.metadata["family"] for p in math)
    assert all(0 <= int(p.answers[0]) <= 999 for p in math)
    assert any(not p.statement.isascii() for p in math)
    code = load_benchmark(config("tiny_code", ["bundled:tiny_code.jsonl"], expected_problems=144))
    assert {p.tests["kind"] for p in code if p.tests} == {"function_call", "stdin_stdout"}
    assert all(p.tests and len(p.tests["inputs"]) >= 5 for p in code)
    assert all(bool(p.starter_code) == (p.tests["kind"] == "function_call") for p in code if p.tests)


def test_spellings_of_a_gold_answer() -> None:
    assert spellings("025") == ("25", "025")
    assert spellings("336^\\circ") == ("336", "336^\\circ")
    assert spellings("$70$") == ("70", "$70$")
    assert spellings("000") == ("0", "000")
    assert spellings("204") == ("204",)
    with pytest.raises(ValueError):
        spellings("\\frac12")


@needs_data
def test_the_published_aime_files_agree() -> None:
    files = {
        "24": ["math_eval/aime24_skywork_or1.parquet", "math_eval/aime24_deepscaler.jsonl"],
        "25": ["math_eval/aime25_skywork_or1.parquet", "math_eval/aime25_nemo_skills.jsonl"],
    }
    for names in files.values():
        first, second = (load_benchmark(config("aime", [n], expected_problems=30), DATA) for n in names)
        assert sorted(p.answers[0] for p in first) == sorted(p.answers[0] for p in second)
    skywork = load_benchmark(config("aime", files["25"][:1]), DATA)
    assert skywork[19].answers == ("336", "336^\\circ")


@needs_data
def test_the_instruction_is_taken_off_only_when_asked_for() -> None:
    suffix = "Let's think step by step and output the final answer within \\boxed{}."
    name = "math_eval/aime24_skywork_or1.parquet"
    as_it_is = load_benchmark(config("aime", [name]), DATA)
    bare = load_benchmark(config("aime", [name], strip_suffix=suffix), DATA)
    assert all(p.statement.endswith(suffix) for p in as_it_is)
    assert [p.statement for p in bare] == [p.statement.removesuffix(suffix).rstrip() for p in as_it_is]


@needs_data
def test_encoded_hidden_tests() -> None:
    problems = load_benchmark(config("livecodebench", ["code/livecodebench_encoded_private_tests_3.jsonl"]), DATA)
    kinds = [p.tests["kind"] for p in problems if p.tests]
    assert len(problems) == 3 and kinds.count("stdin_stdout") >= 2
    assert problems[0].tests and problems[0].tests["inputs"][1] == "1\nabc\n" and len(problems[0].tests["inputs"]) == 5


@needs_data
def test_date_window_and_public_tests() -> None:
    name = "code/livecodebench_original_schema_v5v6.jsonl"
    window = {"start_date": "2024-08-01", "end_date": "2025-02-01"}
    problems = load_benchmark(config("livecodebench", [name], public_tests_only=True, **window), DATA)
    days = [p.metadata["contest_date"][:10] for p in problems]
    assert 0 < len(days) < 110 and min(days) >= "2024-08-01" and max(days) <= "2025-02-01"
    with pytest.raises(DataError, match="public_tests_only"):
        load_benchmark(config("livecodebench", [name]), DATA)


def test_public_and_hidden_tests_are_joined(tmp_path: Path) -> None:
    hidden = [{"input": "5 6", "output": "11", "testtype": "stdin"}]
    for form in (hidden, json.dumps(hidden), packed(json.dumps(hidden)), packed(json.dumps(hidden), protocol=2)):
        (problem,) = load_rows(tmp_path, "livecodebench", [LCB_ROW | {"private_test_cases": form}])
        assert problem.tests == {"kind": "stdin_stdout", "inputs": ["1 2", "5 6"], "outputs": ["3", "11"]}


def test_functional_tests_read_a_line_of_json_for_each_argument(tmp_path: Path) -> None:
    case = {"input": '[1, 2]\n"x"', "output": "true", "testtype": "functional"}
    row = LCB_ROW | {"public_test_cases": json.dumps([case]), "metadata": '{"func_name": "go"}'}
    (problem,) = load_rows(tmp_path, "livecodebench", [row], public_tests_only=True)
    assert problem.tests == {"kind": "function_call", "fn_name": "go", "inputs": [[[1, 2], "x"]], "outputs": [True]}


class Runs:
    """Unpickling this would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Path.write_text, (self.path, "ran")


def test_a_pickle_that_is_more_than_text_is_refused_and_not_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    for value in (Runs(marker), {"input_output": Runs(marker)}, ["a"], 5, {"a": {"b": "c"}}, ("a", "b")):
        for protocol in range(5):
            with pytest.raises(ValueError):
                decode(packed(value, protocol), MB)
    assert not marker.exists()
    assert decode(packed({"a": "b", "c": "d"}), MB) == {"a": "b", "c": "d"}
    with pytest.raises(ValueError):
        text_of_pickle(b"\x80\x04\x8c\x01a")


def test_unpacking_is_capped() -> None:
    with pytest.raises(ValueError, match="more than"):
        decode(packed("a" * (2 * MB)), MB)
    with pytest.raises(ValueError, match="base64"):
        decode("not base64!", MB)
    with pytest.raises(ValueError, match="cut off|no text"):
        decode(base64.b64encode(zlib.compress(pickle.dumps("a" * 99))[:-4]).decode(), MB)


@pytest.mark.parametrize(
    ("rows", "settings", "words"),
    [
        ([{"problem": "a?", "answer": "1"}], {"expected_problems": 2}, ["1 problems, expected 2"]),
        ([{"problem": "a?", "answer": "x"}], {}, ["row 0", "not a whole number"]),
        ([{"problem": "a?"}], {}, ["row 0", "answer"]),
        ([{"problem": " ", "answer": "1"}], {}, ["row 0", "empty"]),
        ([{"problem": "a?", "answer": "1"}] * 2, {}, ["rows 0 and 1", "same problem"]),
        ([], {}, ["none of its 0 rows"]),
    ],
)
def test_an_unsound_benchmark_is_refused(
    tmp_path: Path, rows: list[dict[str, Any]], settings: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(DataError) as error:
        load_rows(tmp_path, "aime", rows, **settings)
    assert all(word in str(error.value) for word in words), str(error.value)


@needs_data
def test_mixed_tests_are_refused() -> None:
    row = json.loads((DATA / "code/livecodebench_v5_corrupted_tests.jsonl").read_text().split("\n")[0])
    from components.benchmarks.test_specs import spec_or_error

    spec, error = spec_or_error(row["tests"])
    assert spec is None and "several types" in error
