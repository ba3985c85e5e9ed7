"""Each adapter reads its own example, and refuses what the schema does not allow."""

import typing
from typing import Any

import pytest

from components.core.errors import ConfigError
from components.ingest.config import ColumnMapping, IngestConfig
from components.ingest.sources.adapter import Draft, RowRefused
from components.ingest.sources.catalog import ADAPTERS
from components.ingest.sources.fields import literal, lone_surrogate, programs_of


def config(adapter: str, **settings: Any) -> IngestConfig:
    return IngestConfig.parse({"name": "s", "adapter": adapter, "files": ["a.jsonl"], **settings})


def adapt(adapter: str, change: dict[str, Any] | None = None, **settings: Any) -> Draft:
    return ADAPTERS[adapter].adapt(ADAPTERS[adapter].example | (change or {}), config(adapter, **settings))


def test_the_config_names_exactly_the_catalog() -> None:
    assert typing.get_args(IngestConfig.model_fields["adapter"].annotation) == tuple(ADAPTERS)


@pytest.mark.parametrize("name", ADAPTERS)
def test_examples_give_a_problem(name: str) -> None:
    given = config(name, columns={"answer": "answer"}) if name == "columns" else config(name)
    draft = ADAPTERS[name].adapt(ADAPTERS[name].example, given)
    assert draft.statement and not lone_surrogate(ADAPTERS[name].example)
    assert set(ADAPTERS[name].required(given)) <= set(ADAPTERS[name].example)
    if ADAPTERS[name].domain(given) == "math":
        assert len(draft.answers) == 1 and draft.tests is None
    else:
        assert draft.tests and draft.solutions


def test_numinamath_keeps_the_selected_subsets_only() -> None:
    assert adapt("numinamath").metadata["question_type"] == "math-word-problem"
    with pytest.raises(RowRefused) as refused:
        adapt("numinamath", {"source": "orca_math"})
    assert refused.value.reason == "subset_not_selected"
    assert adapt("numinamath", {"source": "orca_math"}, subsets=["orca_math"]).answers == ("6",)


def test_aime_history_stops_before_2024() -> None:
    assert adapt("aime_history", {"Year": 2023}).metadata["year"] == 2023
    assert adapt("aime_history", {"Year": "1999", "Answer": 7}).answers == ("7",)
    with pytest.raises(RowRefused) as refused:
        adapt("aime_history", {"Year": 2024})
    assert refused.value.reason == "year_2024_or_later"


def test_null_and_empty_answers_are_told_apart() -> None:
    assert adapt("deepscaler", {"answer": None}).answers == ()
    assert adapt("deepscaler", {"answer": ""}).answers == ("",)
    assert adapt("deepscaler", {"solution": None}).solutions == ()


@pytest.mark.parametrize(
    ("adapter", "change", "field"),
    [
        ("deepscaler", {"problem": 5}, "problem"),
        ("deepscaler", {"problem": None}, "problem"),
        ("still3", {"question": " \n"}, "question"),
        ("numinamath", {"answer": True}, "answer"),
        ("omni_math", {"solution": ["a"]}, "solution"),
        ("leetcode", {"test": 3}, "test"),
        ("aime_history", {"Year": "soon"}, "Year"),
    ],
)
def test_wrong_values_name_the_field(adapter: str, change: dict[str, Any], field: str) -> None:
    with pytest.raises(RowRefused) as refused:
        adapt(adapter, change)
    assert refused.value.reason == "invalid_row" and refused.value.evidence["field"] == field


def test_leetcode_tests_are_a_check_function() -> None:
    tests = adapt("leetcode", {"entry_point": " f "}).tests or {}
    assert tests["kind"] == "check_function" and tests["entry_point"] == "f"
    assert tests["import_prefix"] == "from typing import *\n"


def test_taco_tests_and_solutions() -> None:
    draft = adapt("taco")
    assert draft.tests == {"kind": "stdin_stdout", "inputs": ["1 2\n", "-5 5\n"], "outputs": ["3\n", "0\n"]}
    assert draft.metadata["raw_tags"] == ["implementation"]
    wrapped = adapt("taco", {"input_output": '{"fn_name": "f", "inputs": [[1], [2]], "outputs": [[5], [6]]}'})
    assert wrapped.tests == {"kind": "function_call", "fn_name": "f", "inputs": [[1], [2]], "outputs": [5, 6]}
    plain = adapt("taco", {"input_output": '{"fn_name": "f", "inputs": [[1], [2]], "outputs": [[5], [6, 7]]}'})
    assert plain.tests and plain.tests["outputs"] == [[5], [6, 7]]


def test_broken_tests_keep_the_problem_and_say_why() -> None:
    for text in ('{"inputs": ["1"', '{"inputs": ["1"], "outputs": []}', '{"inputs": 1, "outputs": 2}', "[1, 2]"):
        draft = adapt("taco", {"input_output": text})
        assert draft.tests is None and draft.metadata["tests_error"]
    huge = adapt("taco", {"input_output": '{"fn_name": "f", "inputs": [[%s]], "outputs": [1]}' % ("9" * 5000)})
    assert huge.tests is None and "digits" in huge.metadata["tests_error"]
    big = adapt("taco", {"input_output": '{"fn_name": "f", "inputs": [[%s]], "outputs": [1]}' % ("9" * 50)})
    assert big.tests and big.tests["inputs"] == [[10**50 - 1]]
    assert "tests_error" not in adapt("taco", {"input_output": None}).metadata
    assert adapt("taco", {"solutions": "[not a list"}).metadata["solutions_error"]


def test_lists_written_as_text_are_never_evaluated() -> None:
    assert programs_of("['a', \"b\"]") == (("a", "b"), "")
    assert programs_of('["a", " "]') == (("a",), "")
    assert programs_of("print(1)") == (("print(1)",), "")
    programs, error = programs_of("[__import__('os').getcwd()]")
    assert programs == () and error
    with pytest.raises(ValueError):
        literal("[" * 5000)


def test_columns_reach_into_nested_values() -> None:
    row = {"prompt": [{"role": "user", "content": "What is 2+2?"}], "reward_model": {"ground_truth": '["4", "4.0"]'}}
    mapping = {"statement": "prompt.0.content", "answer": "reward_model.ground_truth", "answer_is_json": True}
    draft = ADAPTERS["columns"].adapt(row, config("columns", columns=mapping))
    assert draft.statement == "What is 2+2?" and draft.answers == ("4", "4.0")
    with pytest.raises(RowRefused) as refused:
        ADAPTERS["columns"].adapt(
            {"prompt": [], "reward_model": {"ground_truth": "4"}}, config("columns", columns=mapping)
        )
    assert refused.value.evidence["field"] == "prompt.0.content"


def test_columns_take_the_instruction_off_a_statement() -> None:
    mapping = {"answer": "answer", "strip_prefix": "Solve this problem:", "strip_suffix": "Answer in \\boxed{}."}

    def statement(text: str) -> str:
        row = {"problem": text, "answer": 4}
        return ADAPTERS["columns"].adapt(row, config("columns", columns=mapping)).statement

    assert statement("Solve this problem:\n\nWhat is 2+2? Answer in \\boxed{}.\n") == "What is 2+2?"
    assert statement(" What is 2+2? ") == " What is 2+2? "
    assert statement("Answer in \\boxed{}. is a sentence.") == "Answer in \\boxed{}. is a sentence."
    with pytest.raises(RowRefused) as refused:
        statement("Answer in \\boxed{}.")
    assert refused.value.reason == "invalid_row" and refused.value.evidence["field"] == "problem"


def test_columns_for_code() -> None:
    row = {"text": "Add.", "tests": [{"input": "1 2", "output": "3", "testtype": "stdin"}], "solution": ["print(3)"]}
    mapping = {"domain": "code", "statement": "text", "tests": "tests", "solution": "solution"}
    draft = ADAPTERS["columns"].adapt(row, config("columns", columns=mapping))
    assert draft.tests == {"kind": "stdin_stdout", "inputs": ["1 2"], "outputs": ["3"]}
    with pytest.raises(ConfigError, match=r"columns\.tests"):
        config("columns", columns={"domain": "code"})


def test_config_is_strict() -> None:
    assert ColumnMapping().statement == "problem"
    with pytest.raises(ConfigError, match="revision"):
        config("deepscaler", dataset="someone/something", revision="main")
    with pytest.raises(ConfigError, match="sha256"):
        config("deepscaler", files=[{"path": "a.jsonl", "sha256": "abc"}])
