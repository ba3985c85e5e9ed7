"""What a rule is, and short ways to write its examples."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from components.core.records import Domain, Problem, Source
from components.filter.config import FilterConfig

SEEN_CHARS = 160


@dataclass(frozen=True)
class Rule:
    """One reason to drop a problem. `check` returns what it saw (evidence), or None to keep."""

    name: str
    """The reason in dropped rows."""
    domains: tuple[Domain, ...]
    check: Callable[[Problem, FilterConfig], str | None]
    kept: tuple[Problem, ...]
    """Examples that must pass, close to the rule's border."""
    dropped: tuple[Problem, ...]
    """Examples that must go."""
    config: FilterConfig = FilterConfig()
    """Settings that the examples are meant for."""


def math(statement: str, *answers: str, **metadata: Any) -> Problem:
    """A math example; its answer is 7 unless given."""
    return Problem("row", "problem", "math", statement, Source("own", "1", 0), answers or ("7",), metadata=metadata)


def code(statement: str, tests: dict[str, Any] | None = None, starter_code: str = "", **metadata: Any) -> Problem:
    """A code example; it doubles a number read from standard input unless tests are given."""
    default = {"kind": "stdin_stdout", "inputs": ["2\n"], "outputs": ["4\n"]}
    source, given = Source("own", "1", 0), default if tests is None else tests
    return Problem("row", "problem", "code", statement, source, (), given, starter_code, metadata=metadata)


def seen(match: re.Match[str] | None) -> str | None:
    """The matched text on one line, as evidence."""
    return None if match is None else " ".join(match.group().split())[:SEEN_CHARS]
