"""Any local file: the config says which column is the statement, the answer, the tests."""

from typing import Any

from components.benchmarks.raw_files import JSON_ERRORS, parse_json
from components.benchmarks.test_specs import check_function, spec_or_error
from components.ingest.config import ColumnMapping, IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row
from components.ingest.sources.fields import answers_of, invalid, pick, programs_of, solutions_of, statement_of, text_of


def adapt(row: Row, config: IngestConfig) -> Draft:
    mapping = config.columns
    flat = {name: reach(row, name) for name in _named(mapping)}
    statement = _statement(flat, mapping)
    metadata = pick({name: _or_none(row, name) for name in mapping.metadata}, mapping.metadata)
    if mapping.domain == "math":
        solutions = solutions_of(flat, mapping.solution) if mapping.solution else ()
        return Draft(statement, answers=_answers(flat, mapping), solutions=solutions, metadata=metadata)
    tests, tests_error = _tests(flat, mapping)
    programs, programs_error = programs_of(flat[mapping.solution]) if mapping.solution else ((), "")
    errors = {"tests_error": tests_error, "solutions_error": programs_error}
    return Draft(
        statement,
        tests=tests,
        starter_code=text_of(flat, mapping.starter_code) if mapping.starter_code else "",
        solutions=programs,
        metadata={**metadata, **{name: error for name, error in errors.items() if error}},
    )


def _statement(flat: Row, mapping: ColumnMapping) -> str:
    """The problem text without the instruction that the file wraps around it."""
    text = statement_of(flat, mapping.statement)
    if mapping.strip_prefix and text.lstrip().startswith(mapping.strip_prefix):
        text = text.lstrip().removeprefix(mapping.strip_prefix).lstrip()
    if mapping.strip_suffix and text.rstrip().endswith(mapping.strip_suffix):
        text = text.rstrip().removesuffix(mapping.strip_suffix).rstrip()
    if not text.strip():
        raise invalid(mapping.statement, "no statement besides the instruction")
    return text


def _named(mapping: ColumnMapping) -> tuple[str, ...]:
    names = (
        mapping.statement, mapping.answer, mapping.solution, mapping.tests, mapping.starter_code,
        mapping.entry_point, mapping.import_prefix,
    )  # fmt: skip
    return tuple(name for name in names if name)


def reach(row: Row, name: str) -> Any:
    """The value under a column, or along a dotted path into it. Refuses the row when it is not there."""
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise invalid(name, f"'{part}' is missing")
    return value


def _or_none(row: Row, name: str) -> Any:
    value: Any = row.get(name, row)
    for part in name.split(".") if value is row else ():
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _answers(flat: Row, mapping: ColumnMapping) -> tuple[str, ...]:
    if not mapping.answer:
        return ()
    value = flat[mapping.answer]
    if mapping.answer_is_json and isinstance(value, str):
        try:
            value = parse_json(value)
        except JSON_ERRORS as error:
            raise invalid(mapping.answer, f"not JSON: {error}", value) from error
    return answers_of({mapping.answer: value}, mapping.answer)


def _tests(flat: Row, mapping: ColumnMapping) -> tuple[dict[str, Any] | None, str]:
    if not mapping.entry_point:
        return spec_or_error(flat[mapping.tests])
    prefix = text_of(flat, mapping.import_prefix) if mapping.import_prefix else ""
    return check_function(text_of(flat, mapping.tests), text_of(flat, mapping.entry_point), prefix), ""


ADAPTER = Adapter(
    domain=lambda config: config.columns.domain,
    required=lambda config: tuple(dict.fromkeys(name.split(".")[0] for name in _named(config.columns))),
    adapt=adapt,
    example={"problem": "What is $2^{10}$?", "answer": 1024},
)
