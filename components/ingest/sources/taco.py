"""TACO (BAAI/TACO): competition programs; `input_output` and `solutions` are JSON texts inside the row."""

from typing import Any

from components.benchmarks.raw_files import JSON_ERRORS
from components.benchmarks.test_specs import spec_or_error
from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row
from components.ingest.sources.fields import literal, pick, programs_of, statement_of, text_of

COLUMNS = ("question", "solutions", "starter_code", "input_output")
METADATA = ("difficulty", "name", "url", "date", "picture_num", "time_limit", "memory_limit")
LISTS = ("raw_tags", "tags", "skill_types")
"""Metadata columns whose lists are written as text."""


def adapt(row: Row, config: IngestConfig) -> Draft:
    tests, tests_error = spec_or_error(row["input_output"])
    solutions, solutions_error = programs_of(row["solutions"])
    errors = {"tests_error": tests_error, "solutions_error": solutions_error}
    subset = {"subset": row.get("source")}
    return Draft(
        statement=statement_of(row, "question"),
        tests=tests,
        starter_code=text_of(row, "starter_code"),
        solutions=solutions,
        metadata={
            **pick(row, METADATA),
            **pick(subset, subset),
            **{name: _listed(row[name]) for name in LISTS if row.get(name)},
            **{name: error for name, error in errors.items() if error},
        },
    )


def _listed(value: Any) -> Any:
    """A list written as text, or the value as it is when it is none."""
    try:
        return literal(value) if isinstance(value, str) else value
    except JSON_ERRORS:
        return value


ADAPTER = Adapter(
    domain=lambda config: "code",
    required=lambda config: COLUMNS,
    adapt=adapt,
    example={
        "question": "Read two integers from one line and print their sum.",
        "solutions": '["a, b = map(int, input().split())\\nprint(a + b)"]',
        "starter_code": "",
        "input_output": '{"inputs": ["1 2\\n", "-5 5\\n"], "outputs": ["3\\n", "0\\n"]}',
        "difficulty": "EASY",
        "raw_tags": "['implementation']",
        "name": "Sum of two",
        "source": "codeforces",
        "tags": "['Implementation']",
        "skill_types": "[]",
        "url": None,
        "Expected Auxiliary Space": None,
        "time_limit": "2.0 seconds",
        "date": "2019-03-01",
        "picture_num": None,
        "memory_limit": "256.0 megabytes",
        "Expected Time Complexity": None,
    },
)
