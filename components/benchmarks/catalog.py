"""Every kind of benchmark by its name in the config, and the one function that loads them.

To add one: a file with `read_entry`, a line here, the name in config.py.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from components.benchmarks import aime, livecodebench
from components.benchmarks.config import BenchmarkConfig
from components.benchmarks.entry import Entry
from components.benchmarks.locate import locate
from components.benchmarks.raw_files import read_rows
from components.core.errors import DataError
from components.core.records import Domain, Problem, Source, problem_id_of, row_id_of
from components.text.normalise import normalise

log = logging.getLogger(__name__)

Reader = Callable[[dict[str, Any], BenchmarkConfig], Entry | None]
KINDS: dict[str, tuple[Domain, Reader]] = {
    "aime": ("math", aime.read_entry),
    "livecodebench": ("code", livecodebench.read_entry),
    "tiny_math": ("math", aime.read_entry),
    "tiny_code": ("code", livecodebench.read_entry),
}


def load_benchmark(config: BenchmarkConfig, root: Path | None = None) -> list[Problem]:
    """The problems of a benchmark in file order; `root` is the folder that relative paths start from.

    Unlike a source, a benchmark must be whole: a bad row, a repeated problem or an unexpected number of problems
    is a DataError.
    """
    problems: list[Problem] = []
    total = 0
    for file in locate(config, root):
        for row in read_rows(file.path):
            where = f"{file.path}: row {row.number}"
            if row.value is None:
                raise DataError(f"{where} of benchmark {config.name}: {row.error}")
            problem = _problem(config, row.value, total, file.revision, where)
            problems += [problem] if problem else []
            total += 1
    _check(config, problems, total)
    log.info("benchmark %s: %d problems of %d rows", config.name, len(problems), total)
    return problems


def _problem(config: BenchmarkConfig, row: dict[str, Any], number: int, revision: str, where: str) -> Problem | None:
    domain, read_entry = KINDS[config.kind]
    try:
        entry = read_entry(row, config)
        if entry is None:
            return None
        return Problem(
            row_id=row_id_of(config.name, revision, number, row),
            problem_id=problem_id_of(domain, normalise(entry.statement), entry.answers, entry.tests),
            domain=domain,
            statement=entry.statement,
            source=Source(config.name, revision, number, config.licence, config.url),
            answers=entry.answers,
            tests=entry.tests,
            starter_code=entry.starter_code,
            metadata=entry.metadata,
        )
    except (ValueError, KeyError, RecursionError) as error:
        raise DataError(f"{where} of benchmark {config.name} ({config.kind}): {error}") from error


def _check(config: BenchmarkConfig, problems: list[Problem], total: int) -> None:
    first: dict[str, int] = {}
    for problem in problems:
        earlier = first.setdefault(problem.problem_id, problem.source.row)
        if earlier != problem.source.row:
            raise DataError(
                f"benchmark {config.name}: rows {earlier} and {problem.source.row} are the same problem; remove one"
            )
    if not problems:
        raise DataError(f"benchmark {config.name}: none of its {total} rows is a problem; check files and date window")
    if config.expected_problems is not None and len(problems) != config.expected_problems:
        raise DataError(
            f"benchmark {config.name}: {len(problems)} problems, expected {config.expected_problems}; check its files "
            "and date window, or set expected_problems to null"
        )
