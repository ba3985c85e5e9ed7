"""Rows with a known fate: what each planted row is an example of, and where it must end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from components.world.drawing import Drawer

Expected = Literal["kept", "dropped"]


@dataclass(eq=False)
class Entry:
    """One line of a source file."""

    source: str
    row: dict[str, Any] | str
    """The row, or the text of a line that is no row."""
    case: str = ""
    """What the row is an example of; empty for an ordinary row."""
    expected: Expected = "kept"
    stages: tuple[str, ...] = ()
    """Stages that may drop it."""
    reasons: tuple[str, ...] = ()
    """Reasons that may be given."""
    pair: "Entry | None" = None
    """The other row of a pair."""
    place: float = 0.0
    """Where in the file it stands, from 0 to 1."""


class Planting:
    """Collects planted rows. The one who drops a row may be any of `stages`, for any of `reasons`."""

    def __init__(self, drawer: Drawer) -> None:
        self.drawer = drawer
        self.entries: list[Entry] = []

    @property
    def rng(self) -> Random:
        return self.drawer.rng

    def kept(self, source: str, row: dict[str, Any] | str, case: str) -> Entry:
        return self._add(Entry(source, row, case))

    def dropped(
        self, source: str, row: dict[str, Any] | str, case: str, stages: Sequence[str], reasons: Sequence[str]
    ) -> Entry:
        return self._add(Entry(source, row, case, "dropped", tuple(stages), tuple(reasons)))

    def _add(self, entry: Entry) -> Entry:
        entry.place = self.rng.random()
        self.entries.append(entry)
        return entry


def couple(first: Entry, second: Entry) -> None:
    """Make two entries a pair; within one file the second stands after the first."""
    first.pair, second.pair = second, first
    if first.source == second.source:
        first.place, second.place = sorted((first.place, second.place))


def surrounded(before: str = "", after: str = "") -> Callable[[str], str]:
    """An edit of a statement: text in front of it and behind it."""
    return lambda statement: f"{before}{statement}{after}"
