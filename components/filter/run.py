"""Drop problems that rules can tell are unusable: not verifiable, not complete, or too long (paper, section 6.1)."""

import logging
import time

from components.core.errors import DataError
from components.core.records import Dropped, Problem, count_rows, drop, read_problems, write_dropped, write_problems
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.filter.config import FilterConfig
from components.filter.rules.catalog import RULES

log = logging.getLogger(__name__)

PROGRESS_INTERVAL_S = 10.0


def run(config: FilterConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Read all inputs in order, write kept and dropped rows. Raises DataError when no problem is left."""
    problems = [problem for path in inputs["problems"] for problem in read_problems(path)]
    kept, dropped = apply_rules(problems, config)
    counts = count_rows(len(problems), kept, dropped)
    if not kept:
        reasons = (
            ", ".join(f"{reason} {count}" for reason, count in counts["dropped"].items()) or "the inputs are empty"
        )
        raise DataError(
            f"filter: none of {len(problems)} problems is left ({reasons}); check the sources, or switch rules off "
            "with the setting 'disabled'"
        )
    write_problems(outputs["kept"], kept)
    write_dropped(outputs["dropped"], dropped)
    return counts


def apply_rules(problems: list[Problem], config: FilterConfig) -> tuple[list[Problem], list[Dropped]]:
    """Split problems into kept and dropped, order unchanged. Evidence: what the first rule saw, who else objects."""
    rules = [rule for rule in RULES if rule.name not in config.disabled]
    kept, dropped, started = [], [], time.monotonic()
    last = started
    for index, problem in enumerate(problems):
        objections: dict[str, str] = {}
        for rule in rules:
            if problem.domain in rule.domains and (saw := rule.check(problem, config)) is not None:
                objections[rule.name] = saw
        if objections:
            reason, *others = objections
            dropped.append(drop(problem, "filter", reason, saw=objections[reason], also=others))
        else:
            kept.append(problem)
        if (now := time.monotonic()) - last > PROGRESS_INTERVAL_S:
            last, speed = now, (index + 1) / (now - started)
            log.info(
                "filter: %d of %d rows, %.0f/s, %.0f s left",
                index + 1,
                len(problems),
                speed,
                (len(problems) - index - 1) / speed,
            )
    return kept, dropped


STAGE = Stage(
    "filter", FilterConfig, run, inputs=(Port("problems", many=True),), outputs=(Port("kept"), Port("dropped"))
)
