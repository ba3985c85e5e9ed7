"""Raw files of any common format as a stream of rows. A bad row is handed over with its error, never raised.

Files: JSON lines, JSON arrays, CSV (each also gzipped), parquet and Arrow. JSON lines are split at the newline
only: U+2028 and its like may stand inside a text.
"""

import base64
import csv
import gzip
import io
import json
import math
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from components.core.errors import DataError

BATCH_ROWS = 512
MAX_DEPTH = 64
"""A row nested deeper is refused: later steps walk through it recursively."""
MAX_CSV_FIELD_CHARS = 1 << 27
JSON_ERRORS = (ValueError, RecursionError)
"""What the JSON reader raises: bad syntax, not UTF-8, NaN, too many digits, nested too deep."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row of a raw file. `value` is None when it could not be read; then `error` says why."""

    number: int
    """0-based, blank lines not counted."""
    raw: Any
    """JSON value that stands for the row in its `row_id`: the row itself, or the text of an unreadable line."""
    value: dict[str, Any] | None
    error: str = ""


def read_rows(path: Path) -> Iterator[RawRow]:
    """Stream the rows of a file. Raises DataError when the file is missing, unreadable or of an unknown format."""
    packed = path.suffix == ".gz"
    suffix = path.with_suffix("").suffix if packed else path.suffix
    try:
        if suffix == ".parquet":
            yield from _table_rows(pq.ParquetFile(path).iter_batches(BATCH_ROWS))
        elif suffix == ".arrow":
            with pa.memory_map(str(path)) as source:
                yield from _table_rows(_arrow_batches(source))
        elif suffix in (".jsonl", ".json", ".csv"):
            reader = {".jsonl": _jsonl_rows, ".json": _json_rows, ".csv": _csv_rows}[suffix]
            with gzip.open(path, "rb") if packed else open(path, "rb") as stream:
                yield from reader(stream)  # type: ignore[operator, arg-type]
        else:
            raise DataError(f"{path}: format '{suffix}' is not known; use .jsonl, .json, .csv, .parquet or .arrow")
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file; check the path, and data.root if the path is relative") from error
    except DataError:
        raise
    except (pa.ArrowInvalid, OSError, EOFError, zlib.error, csv.Error, ValueError) as error:
        raise DataError(f"{path}: could not be read ({error})") from error


def parse_json(text: str | bytes) -> Any:
    """`json.loads` that refuses NaN and Infinity, which are not JSON, and numbers that would become infinite (1e999).
    Raises one of JSON_ERRORS."""
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON, or too large")


def _jsonl_rows(stream: BinaryIO) -> Iterator[RawRow]:
    number = 0
    for line in stream:
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line
        if line.strip():
            yield _json_row(number, line)
            number += 1


def _json_row(number: int, line: bytes) -> RawRow:
    line = line.rstrip(b"\r\n")
    try:
        value = parse_json(line.decode("utf-8"))
    except JSON_ERRORS as error:
        return RawRow(number, line.decode("utf-8", "surrogateescape"), None, f"not valid JSON: {error}")
    return _object_row(number, value)


def _object_row(number: int, value: Any) -> RawRow:
    if _nested_too_deep(value):
        return RawRow(number, repr(type(value)), None, f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        return RawRow(number, value, value)
    return RawRow(number, value, None, f"not a JSON object but {type(value).__name__}")


def _nested_too_deep(value: Any) -> bool:
    """Level by level, because what is meant here would overflow a recursion."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for outer in level if isinstance(outer, dict | list) for item in _items(outer)]
        if not level:
            return False
    return True


def _items(outer: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return outer.values() if isinstance(outer, dict) else outer


def _json_rows(stream: BinaryIO) -> Iterator[RawRow]:
    try:
        values = parse_json(stream.read())
    except RecursionError as error:
        raise DataError("nested too deep") from error
    if not isinstance(values, list):
        raise ValueError(f"a .json file must hold a list of objects, this one holds {type(values).__name__}")
    for number, value in enumerate(values):
        yield _object_row(number, value)


def _csv_rows(stream: BinaryIO) -> Iterator[RawRow]:
    csv.field_size_limit(MAX_CSV_FIELD_CHARS)
    reader = csv.DictReader(io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""), strict=True)
    for number, row in enumerate(reader):
        if None in row or None in row.values():
            raw = [[str(name), value] for name, value in row.items()]
            yield RawRow(number, raw, None, f"not {len(reader.fieldnames or [])} fields as in the header")
        else:
            yield RawRow(number, row, dict(row))


def _arrow_batches(source: Any) -> Iterator[pa.RecordBatch]:
    """Arrow files come in two framings: stream (as `datasets` writes) and file."""
    try:
        yield from pa.ipc.open_stream(source)
    except pa.ArrowInvalid:
        source.seek(0)
        reader = pa.ipc.open_file(source)
        yield from (reader.get_batch(i) for i in range(reader.num_record_batches))


def _table_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[RawRow]:
    number = 0
    for batch in batches:
        for row in batch.to_pylist():
            value = {name: _plain(item) for name, item in row.items()}
            yield RawRow(number, value, value)
            number += 1


def _plain(value: Any) -> Any:
    """The nearest JSON value of what a parquet cell can hold."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return str(value) if isinstance(value, Decimal) else value
