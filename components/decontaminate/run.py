"""Remove rows that repeat a benchmark problem (paper, section 6.1: AIME24 and AIME25), and say which and why."""

import logging
import time
from dataclasses import replace
from pathlib import Path

from components.benchmarks.catalog import load_benchmark
from components.core.records import Dropped, Problem, count_rows, drop, read_problems, write_dropped, write_problems
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.decontaminate.config import DecontaminateConfig
from components.decontaminate.finding import Finding, strongest, with_statement
from components.decontaminate.matching import Matcher
from components.text.embeddings import Encoder

log = logging.getLogger(__name__)


def run(config: DecontaminateConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Load the benchmarks, compare, write kept and dropped rows in input order."""
    problems = read_problems(inputs["problems"])
    root = Path(config.root) if config.root else None
    benchmarks = [problem for item in config.benchmarks for problem in load_benchmark(item, root)]
    if not benchmarks:
        log.warning("decontaminate: no benchmarks are configured, so nothing is compared")
    kept, dropped = decontaminate(problems, benchmarks, config)
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    counts = count_rows(len(problems), kept, dropped)
    return {
        **counts,
        "benchmark_problems": len(benchmarks),
        "kept_variants": sum("benchmark_variant" in p.metadata for p in kept),
        "kept_for_review": sum("contamination_review" in p.metadata for p in kept),
    }


def decontaminate(
    problems: list[Problem], benchmarks: list[Problem], config: DecontaminateConfig
) -> tuple[list[Problem], list[Dropped]]:
    """Split problems into kept and dropped, order unchanged.

    Reasons: `benchmark_ngram`, `benchmark_numbers_answer`, `benchmark_embedding`, `benchmark_variant`. Kept rows that
    are near a benchmark problem carry it in `metadata` (`benchmark_variant` or `contamination_review`).
    """
    started = time.monotonic()
    encoder = Encoder(config.encoder)
    nearest: dict[int, Finding] = {}
    for domain in ("math", "code"):
        rows = [i for i, p in enumerate(problems) if p.domain == domain]
        own = [b for b in benchmarks if b.domain == domain]
        if rows and own:
            found = Matcher([problems[i] for i in rows], own, config).findings(encoder)
            nearest |= {i: best for i, items in zip(rows, found, strict=True) if (best := strongest(items))}
    kept, dropped = [], []
    for index, problem in enumerate(problems):
        finding = nearest.get(index)
        if finding is None:
            kept.append(problem)
        elif finding.rule == "review" or (finding.rule == "benchmark_variant" and not config.drop_variants):
            note = "contamination_review" if finding.rule == "review" else "benchmark_variant"
            kept.append(replace(problem, metadata={**problem.metadata, note: finding.evidence()}))
        else:
            dropped.append(drop(problem, "decontaminate", finding.rule, **with_statement(finding.evidence(), problem)))
    log.info("decontaminate: %d of %d rows go, %.0f rows/s", len(dropped), len(problems), _speed(problems, started))
    return kept, dropped


def _speed(problems: list[Problem], started: float) -> float:
    return len(problems) / max(time.monotonic() - started, 1e-9)


STAGE = Stage(
    "decontaminate", DecontaminateConfig, run, inputs=(Port("problems"),), outputs=(Port("kept"), Port("dropped"))
)
