"""Typed access to the columns of a raw row. What has the wrong type refuses the row, naming the column."""

import ast
import json
from collections.abc import Iterable
from typing import Any

from components.benchmarks.raw_files import JSON_ERRORS, parse_json
from components.ingest.sources.adapter import Row, RowRefused

EXCERPT_CHARS = 80


def excerpt(value: Any) -> str:
    """The start of a value as printable text; lone surrogates become escapes."""
    text = value if isinstance(value, str) else repr(value)
    return text[:EXCERPT_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")


def invalid(column: str, problem: str, value: Any = None) -> RowRefused:
    shown = {} if value is None else {"excerpt": excerpt(value)}
    return RowRefused("invalid_row", field=column, problem=problem, **shown)


def statement_of(row: Row, column: str) -> str:
    """The problem text: it must be there."""
    text = text_of(row, column)
    if not text.strip():
        raise invalid(column, "no statement")
    return text


def text_of(row: Row, column: str) -> str:
    """A text column; null reads as the empty text."""
    value = row[column]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise invalid(column, f"expected text, found {type(value).__name__}", value)
    return value


def answers_of(row: Row, column: str) -> tuple[str, ...]:
    """The reference answer of a math row: none for null, numbers as their plain spelling."""
    value = row[column]
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(_answer(item, column) for item in value)
    return (_answer(value, column),)


def _answer(value: Any, column: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    raise invalid(column, f"expected an answer, found {type(value).__name__}", value)


def solutions_of(row: Row, column: str) -> tuple[str, ...]:
    """A worked solution as a tuple of at most one text."""
    text = text_of(row, column)
    return (text,) if text.strip() else ()


def programs_of(value: Any) -> tuple[tuple[str, ...], str]:
    """Programs from a text, a list, or a list written as text; with what was wrong, if anything."""
    if value is None or value == "":
        return (), ""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = literal(value)
        except JSON_ERRORS as error:
            return (), f"not a list: {excerpt(str(error))}"
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return (), f"expected texts, found {excerpt(value)}"
    return tuple(item for item in items if item.strip()), ""


def literal(text: str) -> Any:
    """A value written as JSON, or else as a Python literal (never evaluated). Raises one of JSON_ERRORS."""
    try:
        return parse_json(text)
    except JSON_ERRORS:
        try:
            value = ast.literal_eval(text)
            json.dumps(value, allow_nan=False)  # no sets, bytes or infinite numbers
            return value
        except (SyntaxError, MemoryError, TypeError) as error:
            raise ValueError(f"neither JSON nor a Python literal: {error}") from error


def pick(row: Row, columns: Iterable[str]) -> dict[str, Any]:
    """Metadata: those columns that the row has, null left out."""
    return {name: row[name] for name in columns if row.get(name) is not None}


def lone_surrogate(value: Any, path: str = "") -> str | None:
    """Column path of the first text that holds a lone surrogate, which no UTF-8 file can carry; None for none."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
            return None
        except UnicodeEncodeError:
            return path
    if isinstance(value, dict):
        pairs: Iterable[tuple[Any, Any]] = value.items()
        for name, item in pairs:
            if (found := lone_surrogate(name, path)) is None:
                found = lone_surrogate(item, f"{path}.{name}" if path else str(name))
            if found is not None:
                return found
    if isinstance(value, list):
        return next((f for i, v in enumerate(value) if (f := lone_surrogate(v, f"{path}.{i}")) is not None), None)
    return None
