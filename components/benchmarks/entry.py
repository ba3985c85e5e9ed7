"""What a benchmark reader takes out of a row, and typed access to its columns."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """The parts of a benchmark problem; the catalog adds ids and the source."""

    statement: str
    answers: tuple[str, ...] = ()
    tests: dict[str, Any] | None = None
    starter_code: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


def text_at(row: dict[str, Any], columns: Iterable[str]) -> str:
    """The text under the first of `columns` that the row has; numbers as their spelling. Raises ValueError."""
    names = tuple(columns)
    name = next((n for n in names if row.get(n) is not None), None)
    if name is None:
        raise ValueError(f"it has none of the columns {', '.join(names)}, but {', '.join(sorted(row))}")
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"column '{name}' holds {type(value).__name__}, expected text")
    return str(value)
