"""LiveCodeBench, the columns of code_generation_lite: contest problems by date, with public and hidden tests."""

from typing import Any

from components.benchmarks.config import BenchmarkConfig
from components.benchmarks.entry import Entry, text_at
from components.benchmarks.pickled_text import decode
from components.benchmarks.raw_files import parse_json
from components.benchmarks.test_specs import from_cases, to_spec

STATEMENT_COLUMNS = ("question_content", "content")
PRIVATE_COLUMNS = ("private_test_cases", "test")
METADATA = ("question_title", "platform", "question_id", "contest_id", "contest_date", "difficulty", "family")


def read_entry(row: dict[str, Any], config: BenchmarkConfig) -> Entry | None:
    """One problem, or None when its contest lies outside the date window. Raises ValueError."""
    if (config.start_date or config.end_date) and not _in_window(row, config):
        return None
    metadata = {name: row[name] for name in METADATA if row.get(name) is not None}
    starter_code = row.get("starter_code")
    return Entry(
        text_at(row, STATEMENT_COLUMNS),
        tests=_tests(row, config),
        starter_code=starter_code if isinstance(starter_code, str) else "",
        metadata=metadata,
    )


def _in_window(row: dict[str, Any], config: BenchmarkConfig) -> bool:
    day = text_at(row, ("contest_date",))[:10]
    return (config.start_date or day) <= day <= (config.end_date or day)


def _tests(row: dict[str, Any], config: BenchmarkConfig) -> dict[str, Any]:
    """Public and hidden tests together, as the benchmark grades them."""
    cases = _listed(row["public_test_cases"]) if row.get("public_test_cases") else []
    if not config.public_tests_only:
        hidden = next((row[name] for name in PRIVATE_COLUMNS if row.get(name)), None)
        if hidden is None:
            raise ValueError("it has no hidden tests; set public_tests_only to use the public ones alone")
        value = _hidden(hidden, config.max_private_tests_mb << 20)
        if isinstance(value, dict):
            if cases:
                raise ValueError("hidden tests are no list of cases and cannot be joined to the public ones")
            return to_spec(value)
        cases = cases + value
    if not cases:
        raise ValueError("it has no tests")
    return from_cases(cases, fn_name=_fn_name(row))


def _listed(value: Any) -> list[dict[str, Any]]:
    cases = parse_json(value) if isinstance(value, str) else value
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise ValueError("tests must be a list of objects with input and output")
    return cases


def _hidden(value: Any, max_bytes: int) -> Any:
    """Hidden tests as plain JSON, JSON text, or the packed form. A list of cases, or a dict of inputs and outputs."""
    if not isinstance(value, str) or value.lstrip()[:1] in ("[", "{"):
        return _listed(value)
    text = decode(value, max_bytes)
    if isinstance(text, dict):
        if set(text) != {"input_output"}:
            raise ValueError(f"hidden tests hold {sorted(text)}, expected a list of cases")
        tests = parse_json(text["input_output"])
        return tests if isinstance(tests, dict) else _listed(tests)
    return _listed(text)


def _fn_name(row: dict[str, Any]) -> str:
    """`func_name` of the metadata column (JSON text), empty for a program that reads standard input."""
    metadata = row.get("metadata")
    if isinstance(metadata, str) and metadata.strip():
        metadata = parse_json(metadata)
    return str(metadata.get("func_name") or "") if isinstance(metadata, dict) else ""
