"""The nouns: Problem, Completion, Verdict, Dropped, and the parquet schema of each.

Free-form parts (`tests`, `metadata`, `evidence`) are stored as canonical JSON text, so the schema never
depends on the data.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from components.core.digest import canonical_json, sha256_json
from components.core.errors import DataError
from components.core.files import read_table, write_table

Domain = Literal["math", "code"]
Status = Literal["correct", "wrong", "invalid", "infra_error"]
FinishReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a row came from."""

    name: str
    """Source name as in the recipe, e.g. `numinamath`."""
    revision: str
    """Hub commit, or `sha256:…` of the local file."""
    row: int
    """0-based row number in the raw file."""
    licence: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `answers` for math (any of them is right), `tests` for code (see the verify room)."""

    row_id: str
    """sha256 of source, revision, row number and raw row: unique, for accounting."""
    problem_id: str
    """sha256 of domain, normalised statement, and answers or tests: for sampling and training."""
    domain: Domain
    statement: str
    source: Source
    answers: tuple[str, ...] = ()
    tests: dict[str, Any] | None = None
    starter_code: str = ""
    solutions: tuple[str, ...] = ()
    answer_status: str = ""
    """`verified` or `unverified` once the answers or validate_tests stage has looked."""
    pass_rate: float | None = None
    """Share of graded rollouts of the base model that were correct, once known."""
    num_correct: int | None = None
    num_graded: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    """Columns of the source that later rules look at (problem_type, subject, dates…). JSON values only."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A row that left, and why. `evidence` is what the rule saw (JSON values)."""

    row_id: str
    stage: str
    reason: str
    source: str
    domain: str
    statement: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is a response right? `infra_error` means that nobody knows: it is never counted as wrong."""

    status: Status
    reason: str = ""
    extracted: str = ""
    """The answer or program that was judged."""
    tests: tuple[str, ...] = ()
    """Code only: a status for each test that was run."""

    @property
    def is_correct(self) -> bool:
        return self.status == "correct"


@dataclass(frozen=True, slots=True)
class Completion:
    """One sampled response, with its verdict once graded (`status` is empty before)."""

    problem_id: str
    sample_index: int
    text: str
    num_tokens: int
    finish_reason: FinishReason
    prompt_digest: str
    seed: int
    benchmark: str = ""
    """Name of the benchmark, empty for training problems."""
    status: str = ""
    reason: str = ""
    extracted: str = ""

    def graded(self, verdict: Verdict) -> "Completion":
        return replace(self, status=verdict.status, reason=verdict.reason, extracted=verdict.extracted)


_SOURCE = pa.struct(
    [
        ("name", pa.string()),
        ("revision", pa.string()),
        ("row", pa.int64()),
        ("licence", pa.string()),
        ("url", pa.string()),
    ]
)
PROBLEM_SCHEMA = pa.schema(
    [
        ("row_id", pa.string()),
        ("problem_id", pa.string()),
        ("domain", pa.string()),
        ("statement", pa.string()),
        ("source", _SOURCE),
        ("answers", pa.list_(pa.string())),
        ("tests", pa.string()),
        ("starter_code", pa.string()),
        ("solutions", pa.list_(pa.string())),
        ("answer_status", pa.string()),
        ("pass_rate", pa.float64()),
        ("num_correct", pa.int64()),
        ("num_graded", pa.int64()),
        ("metadata", pa.string()),
    ]
)
REQUIRED_FIELDS = (
    "row_id",
    "problem_id",
    "domain",
    "statement",
    "source",
    "answers",
    "starter_code",
    "solutions",
    "answer_status",
    "metadata",
)
DROPPED_SCHEMA = pa.schema(
    [(n, pa.string()) for n in ("row_id", "stage", "reason", "source", "domain", "statement", "evidence")]
)
COMPLETION_SCHEMA = pa.schema(
    [
        ("problem_id", pa.string()),
        ("sample_index", pa.int64()),
        ("text", pa.string()),
        ("num_tokens", pa.int64()),
        ("finish_reason", pa.string()),
        ("prompt_digest", pa.string()),
        ("seed", pa.int64()),
        ("benchmark", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("extracted", pa.string()),
    ]
)


def row_id_of(source: str, revision: str, row: int, raw: Any) -> str:
    return sha256_json([source, revision, row, raw])


def problem_id_of(domain: str, normalised_statement: str, answers: Iterable[str], tests: dict[str, Any] | None) -> str:
    return sha256_json([domain, normalised_statement, list(answers) if domain == "math" else tests])


def drop(problem: Problem, stage: str, reason: str, **evidence: Any) -> Dropped:
    """The `Dropped` record of a problem."""
    return Dropped(problem.row_id, stage, reason, problem.source.name, problem.domain, problem.statement, evidence)


def write_problems(path: Path, problems: Iterable[Problem]) -> None:
    rows = []
    for problem in problems:
        row = {name: getattr(problem, name) for name in PROBLEM_SCHEMA.names}
        row["source"] = asdict(problem.source)
        row["answers"], row["solutions"] = list(problem.answers), list(problem.solutions)
        row["tests"] = None if problem.tests is None else canonical_json(problem.tests)
        row["metadata"] = canonical_json(problem.metadata)
        rows.append(row)
    write_table(path, rows, PROBLEM_SCHEMA)


def read_problems(path: Path) -> list[Problem]:
    """Raises DataError naming file, row and field of the first value that no problem can have."""
    problems = []
    for number, row in enumerate(read_table(path, PROBLEM_SCHEMA)):
        try:
            problems.append(_problem_of(row))
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"{path}: row {number}: {error}; write problems with the ingest stage") from error
    return problems


def _problem_of(row: dict[str, Any]) -> Problem:
    """Raises ValueError or TypeError naming the field."""
    for name in REQUIRED_FIELDS:
        if row[name] is None:
            raise ValueError(f"field '{name}' is null")
    for name in ("answers", "solutions"):
        if None in row[name]:
            raise ValueError(f"field '{name}' holds a null")
    if row["domain"] not in get_args(Domain):
        raise ValueError(f"field 'domain' is {row['domain']!r}, expected one of {', '.join(get_args(Domain))}")
    row["source"] = Source(**row["source"])
    row["answers"], row["solutions"] = tuple(row["answers"]), tuple(row["solutions"])
    row["tests"] = None if row["tests"] is None else _json_object(row, "tests")
    row["metadata"] = _json_object(row, "metadata")
    return Problem(**row)


def _json_object(row: dict[str, Any], name: str) -> dict[str, Any]:
    try:
        value = json.loads(row[name])
    except ValueError as error:
        raise ValueError(f"field '{name}' is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"field '{name}' is not a JSON object")
    return value


def write_dropped(path: Path, dropped: Iterable[Dropped]) -> None:
    rows = [
        {**{n: getattr(d, n) for n in DROPPED_SCHEMA.names}, "evidence": canonical_json(d.evidence)} for d in dropped
    ]
    write_table(path, rows, DROPPED_SCHEMA)


def read_dropped(path: Path) -> list[Dropped]:
    return [Dropped(**{**row, "evidence": json.loads(row["evidence"])}) for row in read_table(path, DROPPED_SCHEMA)]


def write_completions(path: Path, completions: Iterable[Completion]) -> None:
    write_table(path, [{n: getattr(c, n) for n in COMPLETION_SCHEMA.names} for c in completions], COMPLETION_SCHEMA)


def read_completions(path: Path) -> list[Completion]:
    return [Completion(**row) for row in read_table(path, COMPLETION_SCHEMA)]


def count_rows(rows_in: int, kept: Iterable[Any], dropped: Iterable[Dropped]) -> dict[str, Any]:
    """The counts every data stage returns: rows_in, rows_kept, rows_dropped, and dropped by reason."""
    reasons: dict[str, int] = {}
    rows_dropped = 0
    for record in dropped:
        rows_dropped += 1
        reasons[record.reason] = reasons.get(record.reason, 0) + 1
    rows_kept = sum(1 for _ in kept)
    return {
        "rows_in": rows_in,
        "rows_kept": rows_kept,
        "rows_dropped": rows_dropped,
        "dropped": dict(sorted(reasons.items())),
    }
