"""What happened to the rows: step by step, by source, by reason, with examples; and how hard the rest is."""

from collections import Counter
from pathlib import Path
from typing import Any

from components.core.files import read_columns
from components.core.records import read_dropped
from components.track.report.frame import section, sentence
from components.track.report.markup import Markup, element, join, table
from components.track.report.step_report import drops_by_reason
from components.track.report.svg import bar_plot, figure
from components.track.run_folder import RunStep

DOMAIN_COLOURS = {"math": 0, "code": 1}


def funnel_section(steps: list[RunStep]) -> Markup:
    """Rows in, kept and dropped per step, then reasons with examples, then what each source has left."""
    data = [s for s in steps if {"rows_in", "rows_kept", "rows_dropped"} <= s.counts.keys()]
    if not data:
        return section("funnel", "Rows", sentence("No data step has finished, so there are no rows to show."))
    return section(
        "funnel",
        "Rows: what came in, what left, and why",
        _steps_table(data),
        element("h3", "Why rows left"),
        [_reasons(step) for step in data],
        element("h3", "Rows left of each source"),
        _sources_table(data),
    )


def _steps_table(data: list[RunStep]) -> Markup:
    most = max(s.counts["rows_in"] for s in data) or 1
    rows = []
    for step in data:
        counts = step.counts
        kept, dropped = counts["rows_kept"], counts["rows_dropped"]
        bar = element(
            "div",
            element("i", class_="b0", style=f"width:{100 * kept / most:.1f}%"),
            element("i", class_="b1", style=f"width:{100 * dropped / most:.1f}%"),
            class_="bar",
            role="img",
            aria_label=f"{kept} kept, {dropped} dropped",
        )
        rows.append([step.step, f"{counts['rows_in']:,}", f"{kept:,}", f"{dropped:,}", bar])
    caption = "Every row that enters a step is kept or dropped with a reason. Bars: kept (blue), dropped (orange)."
    return table(["step", "rows in", "kept", "dropped", "share of the largest step"], rows, caption, (1, 2, 3))


def _reasons(step: RunStep) -> Markup | None:
    path = step.file("dropped.parquet")
    if path is None or not step.counts["rows_dropped"]:
        return None
    reasons = step.counts.get("dropped", {})
    top = ", ".join(f"{r} {n:,}" for r, n in sorted(reasons.items(), key=lambda item: -item[1])[:3])
    summary = element("summary", element("b", step.step), f" · {step.counts['rows_dropped']:,} dropped · {top}")
    return element("details", summary, drops_by_reason(read_dropped(path)))


def source_counts(path: Path | None) -> Counter[str]:
    """Rows by source name of a `kept` table."""
    if path is None:
        return Counter()
    return Counter(source["name"] for source in read_columns(path, columns=["source"])["source"].to_pylist())


def _sources_table(data: list[RunStep]) -> Markup:
    by_step = {s.step: source_counts(s.file("kept.parquet")) for s in data}
    came_in = Counter({s.step: s.counts["rows_in"] for s in data if s.stage == "ingest"})
    later = [s for s in data if s.stage != "ingest"]
    columns = [s.step for s in later]
    names = sorted({name for counts in by_step.values() for name in counts})
    rows = []
    for name in names:
        entered = sum(by_step[s.step][name] for s in data if s.stage == "ingest")
        rows.append([name, f"{entered:,}", *(f"{by_step[c][name]:,}" for c in columns)])
    total = sum(by_step[s.step].total() for s in data if s.stage == "ingest")
    rows.append([element("b", "all"), f"{total:,}", *(f"{by_step[c].total():,}" for c in columns)])
    raw = f" {came_in.total():,} raw rows were read." if came_in else ""
    caption = f"Rows kept after each step.{raw} Math goes through answers, code through validate_tests."
    return table(["source", "read", *columns], rows, caption, tuple(range(1, len(columns) + 2)))


def difficulty_section(steps: list[RunStep]) -> Markup:
    """How often the base model solves each problem: one bar per number of correct samples."""
    found = next((s for s in steps if s.file("pass_rates.parquet")), None)
    if found is None:
        return section("difficulty", "Difficulty", sentence("The difficulty step has not finished in this run."))
    rates = read_columns(found.folder / "pass_rates.parquet").to_pylist()
    graded = [r for r in rates if r["num_graded"]]
    if not graded:
        return section("difficulty", "Difficulty", sentence("No sampled response could be graded."))
    most = max(r["num_graded"] for r in graded)
    bins: dict[str, list[int]] = {}
    for row in graded:
        bins.setdefault(row["domain"], [0] * (most + 1))[round(most * row["num_correct"] / row["num_graded"])] += 1
    domains = sorted(bins, key=lambda d: DOMAIN_COLOURS.get(d, 9))
    groups = [(d, bins[d], DOMAIN_COLOURS.get(d, 2)) for d in domains]
    plot = bar_plot(
        "Number of problems by correct samples of the base model", [str(i) for i in range(most + 1)], groups,
        f"correct samples of {most}", "problems",
    )  # fmt: skip
    kept = found.counts.get("rows_kept")
    said = f"{len(graded):,} problems, {most} samples each; the ends (never or always solved) teach nothing"
    caption = f"{said} and leave{f'; {kept:,} problems stay' if kept is not None else ''}."
    chart = figure("Problems by how often the base model solves them", plot, [(d, c) for d, _, c in groups], caption)
    return section("difficulty", "Difficulty: pass rates of the base model", element("div", chart, class_="plots"),
                   _mean_rates(graded))  # fmt: skip


def _mean_rates(graded: list[dict[str, Any]]) -> Markup:
    lines = []
    for domain in sorted({r["domain"] for r in graded}):
        rows = [r["num_correct"] / r["num_graded"] for r in graded if r["domain"] == domain]
        lines.append(sentence(f"{domain}: mean pass rate {sum(rows) / len(rows):.1%} over {len(rows):,} problems."))
    return join(lines)
