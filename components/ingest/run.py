"""Ingest: raw rows of one source to Problem records. Every row read is kept, or dropped with a reason."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path

from components.benchmarks.locate import LocatedFile, locate
from components.benchmarks.raw_files import RawRow, read_rows
from components.core.errors import DataError
from components.core.records import (
    Dropped,
    Problem,
    Source,
    count_rows,
    problem_id_of,
    row_id_of,
    write_dropped,
    write_problems,
)
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, RowRefused
from components.ingest.sources.catalog import ADAPTERS
from components.ingest.sources.fields import excerpt, lone_surrogate
from components.text.normalise import normalise

log = logging.getLogger(__name__)

LOG_EVERY_ROWS = 20_000
STATEMENT_COLUMNS = ("problem", "question", "Question", "problem_description")


def run(config: IngestConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Read a source. Raises DataError for a missing file, a wrong digest, a missing column, or no row kept."""
    kept: list[Problem] = []
    dropped: list[Dropped] = []
    if config.enabled:
        adapter, started = ADAPTERS[config.adapter], time.monotonic()
        for row, revision in _rows(config, adapter):
            result = _take(row, revision, config, adapter)
            (kept if isinstance(result, Problem) else dropped).append(result)  # type: ignore[arg-type]
            if (done := len(kept) + len(dropped)) % LOG_EVERY_ROWS == 0:
                log.info("%s: %d rows read, %.0f rows/s", config.name, done, done / (time.monotonic() - started))
    counts = count_rows(len(kept) + len(dropped), kept, dropped)
    if config.enabled and not kept:
        raise DataError(
            f"source {config.name}: none of the {len(dropped)} rows of {', '.join(f.path for f in config.files)} is "
            f"usable ({counts['dropped']}); check the adapter '{config.adapter}', its columns and subsets"
        )
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    return counts


def _rows(config: IngestConfig, adapter: Adapter) -> Iterator[tuple[RawRow, str]]:
    """All rows of all files in order, with each one's revision. Row numbers run on over the files of a source."""
    total = 0
    for file in locate(config, Path(config.root) if config.root else None):
        seen: set[str] = set()
        for row in read_rows(file.path):
            if config.max_rows is not None and total >= config.max_rows:
                break
            seen.update(row.value or ())
            yield RawRow(total, row.raw, row.value, row.error), file.revision
            total += 1
        _require_columns(file, seen, adapter.required(config))


def _require_columns(file: LocatedFile, seen: set[str], required: tuple[str, ...]) -> None:
    missing = [name for name in required if name not in seen]
    if seen and missing:
        raise DataError(
            f"{file.path}: column '{missing[0]}' is missing; it has {', '.join(sorted(seen))}. Choose the adapter or "
            "the columns that fit this file"
        )


def _take(row: RawRow, revision: str, config: IngestConfig, adapter: Adapter) -> Problem | Dropped:
    row_id = row_id_of(config.name, revision, row.number, row.raw)
    try:
        return _problem(row_id, _draft(row, config, adapter), row.number, revision, config, adapter)
    except RowRefused as refused:
        evidence = {"row": row.number, **refused.evidence}
        shown = next((v for c in _text_columns(config) if isinstance(v := (row.value or {}).get(c), str)), "")
        statement = shown.encode("utf-8", "backslashreplace").decode("utf-8")
        return Dropped(row_id, "ingest", refused.reason, config.name, adapter.domain(config), statement, evidence)


def _text_columns(config: IngestConfig) -> tuple[str, ...]:
    return (config.columns.statement,) if config.adapter == "columns" else STATEMENT_COLUMNS


def _draft(row: RawRow, config: IngestConfig, adapter: Adapter) -> Draft:
    """Checks that hold for every source, then the adapter's own."""
    if row.value is None:
        raise RowRefused("invalid_row", field="", problem=excerpt(row.error), excerpt=excerpt(row.raw))
    for column in adapter.required(config):
        if column not in row.value:
            raise RowRefused("invalid_row", field=column, problem="the row lacks this column")
    surrogate = lone_surrogate(row.value)
    if surrogate is not None:
        raise RowRefused("invalid_row", field=excerpt(surrogate), problem="lone surrogate in the text")
    return adapter.adapt(row.value, config)


def _problem(row_id: str, draft: Draft, number: int, revision: str, config: IngestConfig, adapter: Adapter) -> Problem:
    domain = adapter.domain(config)
    return Problem(
        row_id=row_id,
        problem_id=problem_id_of(domain, normalise(draft.statement), draft.answers, draft.tests),
        domain=domain,
        statement=draft.statement,
        source=Source(config.name, revision, number, config.licence, config.url),
        answers=draft.answers,
        tests=draft.tests,
        starter_code=draft.starter_code,
        solutions=draft.solutions,
        metadata=draft.metadata,
    )


STAGE = Stage("ingest", IngestConfig, run, outputs=(Port("kept"), Port("dropped")))
