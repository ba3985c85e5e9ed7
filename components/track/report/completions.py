"""What the models wrote: the base and the final model on the same problems, with the verdicts."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.benchmarks.catalog import load_benchmark
from components.benchmarks.config import BenchmarkConfig
from components.benchmarks.locate import locate
from components.core.errors import ConfigError, DataError, InfraError
from components.core.files import read_columns
from components.core.records import Completion, read_completions
from components.track.report.evaluation import scored_steps
from components.track.report.frame import listing, quote, section, sentence
from components.track.report.markup import Markup, element, shorten
from components.track.run_folder import RunStep

log = logging.getLogger(__name__)

TEXT_CHARACTERS = 1800
MAX_BENCHMARK_BYTES = 100 << 20
"""Files larger than this are not read again for a few statements."""
KINDS = (
    ("wrong", "correct", "The base is wrong, the trained model right", 2),
    ("correct", "correct", "Both right", 1),
    ("wrong", "wrong", "Both wrong", 1),
    ("correct", "wrong", "The base is right, the trained model wrong", 1),
)


def completions_section(steps: list[RunStep], statements: Mapping[str, str]) -> Markup:
    """A few pairs per benchmark, chosen by order of problem id and not by how they look. `statements`: problem id ->
    text, for problems whose text the run folder does not hold."""
    scored = [s for s in scored_steps(steps) if s.file("completions.parquet")]
    base = next((s for s in scored if s.step == "evaluate-base"), None)
    last = next((s for s in reversed(scored) if s.step != "evaluate-base"), None)
    if base is None and last is None:
        return section("completions", "Sample completions", sentence("No model has been evaluated in this run."))
    known = {**statements_of(steps), **benchmark_statements(scored), **statements}
    if base is None or last is None:
        one = base or last
        assert one is not None
        first = first_samples(one.folder / "completions.parquet")
        cases = [_case("", key, [(one.step, c)], known) for key, c in list(first.items())[:4]]
        return section("completions", "Sample completions", cases)
    before, after = (first_samples(s.folder / "completions.parquet") for s in (base, last))
    name = "final" if last.step == "evaluate-final" else last.step
    cases = []
    for benchmark in sorted({b for b, _ in before}, key=lambda b: ("code" in b, b)):
        shared = [key for key in before if key[0] == benchmark and key in after]
        for old, new, heading, count in KINDS:
            matching = [k for k in shared if (before[k].status, after[k].status) == (old, new)][:count]
            cases += [_case(heading, k, [("base", before[k]), (name, after[k])], known) for k in matching]
    note = "First sample of each model; problems are taken in the order of their ids, a few per outcome."
    return section("completions", "Sample completions", sentence(note), cases)


def first_samples(path: Path) -> dict[tuple[str, str], Completion]:
    """(benchmark, problem id) -> the completion with the lowest sample index, in a fixed order."""
    first: dict[tuple[str, str], Completion] = {}
    for completion in sorted(read_completions(path), key=lambda c: (c.benchmark, c.problem_id, c.sample_index)):
        first.setdefault((completion.benchmark, completion.problem_id), completion)
    return first


def benchmark_statements(scored: list[RunStep]) -> dict[str, str]:
    """Problem id -> statement of the benchmarks that an evaluation names, as far as their local files are still there
    and still those that were used (a problem id follows from the text)."""
    known: dict[str, str] = {}
    settings = scored[0].config if scored else {}
    root = Path(settings["root"]) if settings.get("root") else None
    for raw in settings.get("benchmarks", []):
        if raw.get("dataset"):  # on the hub: a report loads nothing from outside
            continue
        try:
            config = BenchmarkConfig.parse(raw)
            if sum(file.path.stat().st_size for file in locate(config, root)) > MAX_BENCHMARK_BYTES:
                continue
            problems = load_benchmark(config, root)
        except (DataError, InfraError, ConfigError) as error:
            log.warning("report: statements of %s are not shown (%s)", raw.get("name"), error)
            continue
        known.update({problem.problem_id: problem.statement for problem in problems})
    return known


def statements_of(steps: list[RunStep]) -> dict[str, str]:
    """Problem id -> statement, from the first table of problems that has it and from the scores where given."""
    known: dict[str, str] = {}
    for step in steps:
        path = step.file("kept.parquet") if step.stage in ("ingest", "filter", "decontaminate") else None
        if path:
            table = read_columns(path, columns=["problem_id", "statement"]).to_pydict()
            known.update(zip(table["problem_id"], table["statement"], strict=True))
    return known


def _case(
    heading: str, key: tuple[str, str], answers: list[tuple[str, Completion]], known: Mapping[str, str]
) -> Markup:  # fmt: skip
    benchmark, problem_id = key
    statement = known.get(problem_id)
    columns = [element("div", _verdict(label, c), listing(shorten(c.text, TEXT_CHARACTERS))) for label, c in answers]
    title = f"{benchmark} · {heading}" if heading else benchmark
    return element(
        "div",
        element("h3", title),
        element("p", "Problem ", element("code", problem_id[:12]), class_="soft"),
        quote(shorten(statement, TEXT_CHARACTERS)) if statement else None,
        element("div", columns, class_="pair"),
        class_="case",
    )


def _verdict(label: str, completion: Completion) -> Markup:
    good = completion.status == "correct"
    mark = "✓" if good else "✗"
    details: list[Any] = [f"{completion.num_tokens} tokens"]
    if completion.finish_reason == "length":
        details.append("cut at the token limit")
    if completion.reason and not good:
        details.append(shorten(completion.reason, 160))
    if completion.extracted:
        details.append(f"answer: {shorten(completion.extracted, 80)}")
    return element(
        "p",
        element("b", label),
        " ",
        element("span", f"{mark} {completion.status or 'not graded'}", class_="good" if good else "bad"),
        element("span", f" · {' · '.join(details)}", class_="soft"),
    )
