"""Files that are whole or absent: atomic writes, parquet tables with a declared schema, JSON and JSONL.

Everything is written beside its place under a temporary name and renamed when complete, so nothing
half-written ever carries its final name.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from components.core.errors import DataError, InfraError

MIN_FREE_BYTES = 200 << 20


def require_free_disk(path: Path, min_free_bytes: int = MIN_FREE_BYTES) -> None:
    """Stop with a sentence before a long step fills the disk."""
    existing = next(p for p in (path, *path.parents) if p.exists())
    free = shutil.disk_usage(existing).free
    if free < min_free_bytes:
        raise InfraError(
            f"{existing}: only {free >> 20} MiB of disk free, {min_free_bytes >> 20} MiB needed; "
            "free some space or choose another folder with --output"
        )


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; rename it to `path` on success, remove it on failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb") as stream:
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise InfraError(
            f"{path}: could not be written ({error.strerror or error}); check space and permissions"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """A lone surrogate, which UTF-8 has not, is written as its JSON escape."""
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", errors="backslashreplace") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")


def read_json(path: Path) -> Any:
    """Raises DataError naming the file when it is missing or not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not valid JSON ({error})") from error


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Raises DataError naming file and line. Lines end at newline only (never at U+2028 and the like)."""
    rows, number = [], 0
    try:
        with open(path, encoding="utf-8", newline="\n") as stream:
            for line in stream:
                number += 1
                if line.strip():
                    rows.append(json.loads(line))
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: line {number}: not valid JSON ({error})") from error
    return rows


def write_table(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    """Write rows as parquet with exactly `schema`. The bytes depend on rows and schema only."""
    table = pa.Table.from_pylist(rows, schema=schema)
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_columns(path: Path, columns: Sequence[str] | None = None, filters: Any = None) -> pa.Table:
    """A parquet file, or some of its columns or rows. Raises DataError naming the file."""
    try:
        return pq.read_table(path, columns=columns, filters=filters)
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (pa.ArrowException, OSError, KeyError) as error:
        raise DataError(f"{path}: not a readable parquet file ({error})") from error


def read_table(path: Path, schema: pa.Schema) -> list[dict[str, Any]]:
    """Read parquet rows. Raises DataError naming the file, and the first column that is missing or of another type."""
    table = read_columns(path)
    for field in schema:
        if field.name not in table.column_names:
            raise DataError(f"{path}: column '{field.name}' is missing; it has {', '.join(table.column_names)}")
        found = table.schema.field(field.name).type
        if not _fits(found, field.type):
            raise DataError(f"{path}: column '{field.name}' holds {found}, expected {field.type}")
    return table.select(schema.names).to_pylist()


def _fits(found: pa.DataType, expected: pa.DataType) -> bool:
    """Can values of type `found` stand for `expected`? Other writers choose other widths; an all-null column fits."""
    kinds = pa.types
    if found == expected or kinds.is_null(found):
        return True
    if kinds.is_dictionary(found):
        return _fits(found.value_type, expected)
    if kinds.is_list(expected):
        return (kinds.is_list(found) or kinds.is_large_list(found)) and _fits(found.value_type, expected.value_type)
    if kinds.is_struct(expected):
        own = {f.name: f.type for f in found} if kinds.is_struct(found) else {}
        return own.keys() == {f.name for f in expected} and all(_fits(own[f.name], f.type) for f in expected)
    if kinds.is_string(expected):
        return bool(kinds.is_large_string(found))
    if kinds.is_integer(expected):
        return bool(kinds.is_integer(found))
    return bool(kinds.is_floating(expected) and (kinds.is_floating(found) or kinds.is_integer(found)))
