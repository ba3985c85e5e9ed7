"""What an adapter is: how one raw row of a source becomes the parts of a Problem."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from components.core.records import Domain
from components.ingest.config import IngestConfig

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """What an adapter reads out of a row; ids and the source are added by the stage."""

    statement: str
    answers: tuple[str, ...] = ()
    tests: dict[str, Any] | None = None
    starter_code: str = ""
    solutions: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adapter:
    """An entry of the catalog."""

    domain: Callable[[IngestConfig], Domain]
    required: Callable[[IngestConfig], tuple[str, ...]]
    """Columns that every row must have; a file in which one of them never occurs is refused."""
    adapt: Callable[[Row, IngestConfig], Draft]
    """Raises RowRefused when the row gives no problem."""
    example: Row
    """A row in the source's schema, for tests and for whoever writes the next adapter."""


class RowRefused(Exception):
    """A row gives no problem. Caught in one place, where it becomes a `Dropped` record."""

    def __init__(self, reason: str, **evidence: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence
