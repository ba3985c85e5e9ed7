"""Remove problems that stand in the pool more than once (paper, section 6.1), each with the row that it repeats.

Three steps: equal canonical text, similar shingles, similar meaning. A removed row is always like a row that stays,
never like one that was itself removed.
"""

import logging
import time

from components.core.records import Dropped, Problem, count_rows, drop, read_problems, write_dropped, write_problems
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.dedup.config import DedupConfig
from components.dedup.exact import exact_duplicates
from components.dedup.near import near_duplicates
from components.dedup.removal import Removal
from components.dedup.semantic import reworded_duplicates
from components.text.embeddings import Encoder

log = logging.getLogger(__name__)


def run(config: DedupConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Read all inputs in order, write kept and dropped rows in that order."""
    problems = [problem for path in inputs["problems"] for problem in read_problems(path)]
    kept, dropped = deduplicate(problems, config)
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    return count_rows(len(problems), kept, dropped)


def deduplicate(problems: list[Problem], config: DedupConfig) -> tuple[list[Problem], list[Dropped]]:
    """Split problems into kept and dropped, order unchanged.

    Of several copies the first verified one stays, else the first. Reasons: `exact_duplicate`, `conflicting_answers`,
    `near_duplicate`, `reworded_duplicate`.
    """
    order = sorted(range(len(problems)), key=lambda i: (problems[i].answer_status != "verified", i))
    started = time.monotonic()
    removed: dict[int, Removal] = exact_duplicates(problems, order)
    log.info("dedup: exact text: %d of %d rows go", len(removed), len(problems))
    if config.near:
        left = [i for i in order if i not in removed]
        found = near_duplicates(problems, left, config)
        log.info("dedup: similar text: %d of %d rows go", len(found), len(left))
        removed |= found
    if config.semantic:
        left = [i for i in order if i not in removed]
        found = reworded_duplicates(problems, left, config, Encoder(config.embedding))
        log.info("dedup: similar meaning: %d of %d rows go", len(found), len(left))
        removed |= found
    log.info("dedup: %.0f rows/s", len(problems) / max(time.monotonic() - started, 1e-9))
    kept = [p for i, p in enumerate(problems) if i not in removed]
    dropped = [drop(problems[i], "dedup", removed[i].reason, **removed[i].evidence) for i in sorted(removed)]
    return kept, dropped


STAGE = Stage("dedup", DedupConfig, run, inputs=(Port("problems", many=True),), outputs=(Port("kept"), Port("dropped")))
