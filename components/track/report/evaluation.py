"""How good is the model: avg@k of base, stages and final with intervals, and the paired gain over the base."""

import math
from dataclasses import dataclass
from typing import Any

from components.core.statistics import compare_scores
from components.track.metrics import benchmark_scores
from components.track.report.frame import section, sentence
from components.track.report.markup import Markup, element, table
from components.track.report.svg import figure, interval_plot
from components.track.run_folder import RunStep


@dataclass(frozen=True)
class Evaluation:
    """The scores of one evaluation step, under the name by which the report calls it."""

    label: str
    scores: dict[str, Any]

    @property
    def benchmarks(self) -> dict[str, Any]:
        return dict(self.scores["benchmarks"])


def evaluations(steps: list[RunStep]) -> list[Evaluation]:
    """The scores of every evaluated model, in the order of `scored_steps`."""
    return [Evaluation(_label(s.step), benchmark_scores(s)) for s in scored_steps(steps)]


def scored_steps(steps: list[RunStep]) -> list[RunStep]:
    """Evaluate steps: base first, then the stages in order, then the final model. The order in which they ran says
    nothing: the graph may evaluate an early stage last."""

    def rank(step: RunStep) -> tuple[int, str]:
        label = step.step.removeprefix("evaluate-")
        return ({"base": 0, "final": 2}.get(label, 1), label.zfill(4))

    return sorted((s for s in steps if s.stage == "evaluate" and s.file("scores.json")), key=rank)


def benchmark_names(found: list[Evaluation]) -> list[str]:
    """All benchmarks, math before code, then by name."""
    domains = {name: str(scores["domain"]) for e in found for name, scores in e.benchmarks.items()}
    return sorted(domains, key=lambda name: (domains[name] != "math", domains[name], name))


def _label(step: str) -> str:
    label = step.removeprefix("evaluate-")
    return f"stage {label}" if label.isdigit() else label


def gains(steps: list[RunStep]) -> dict[str, dict[str, Any]]:
    """Benchmark -> paired gain of the last evaluated model over the base; empty without both."""
    found = evaluations(steps)
    if len(found) < 2 or found[0].label != "base":
        return {}
    gained = compare_scores(found[0].scores, found[-1].scores)
    last = found[-1].benchmarks
    return {n: {**gained[n], "domain": last[n]["domain"]} for n in benchmark_names(found) if n in gained}


def evaluation_section(steps: list[RunStep]) -> Markup:
    """A plot and a table per benchmark, and one table of gains."""
    found = evaluations(steps)
    if not found:
        return section("evaluation", "Evaluation", sentence("No evaluation step has finished in this run."))
    names = benchmark_names(found)
    gained = gains(steps)
    return section(
        "evaluation",
        "Evaluation",
        _gain_plot(gained) if gained else sentence("Without base and trained model there is no gain to show."),
        element("div", [_benchmark_plot(name, found) for name in names], class_="plots"),
        element("div", [_benchmark_table(name, found) for name in names]),
    )


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def signed(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "−")


def _gain_plot(gained: dict[str, dict[str, Any]]) -> Markup:
    rows = [
        (name, 100 * g["gain"], 100 * g["interval"][0], 100 * g["interval"][1], 0 if g["domain"] == "math" else 1)
        for name, g in gained.items()
    ]
    plot = interval_plot("Gain over the base model", rows, "gain in points of avg@k", zero=True)
    cells = [
        [n, signed(g["gain"]), f"{signed(g['interval'][0])} to {signed(g['interval'][1])}", g["num_problems"]]
        for n, g in gained.items()
    ]
    caption = "Paired by problem: the difference is taken problem by problem; 95 % bootstrap intervals over problems."
    chart = figure("Gain of the last model over the base", plot, [], caption)
    numbers = table(["benchmark", "gain (points)", "95 % interval", "problems"], cells, "", (1, 2, 3))
    return element("div", chart, numbers, class_="plots")


def _benchmark_plot(name: str, found: list[Evaluation]) -> Markup:
    rows = []
    for evaluation in found:
        scores = evaluation.benchmarks.get(name)
        if scores:
            low, high = scores["interval"]
            colour = {"base": 5, "final": 0}.get(evaluation.label, 2)
            rows.append((evaluation.label, 100 * scores["avg_at_k"], 100 * low, 100 * high, colour))
    k = max(e.benchmarks[name]["num_samples"] for e in found if name in e.benchmarks)
    plot = interval_plot(f"{name}: avg@{k} by model", rows, f"avg@{k} (%)")
    return figure(name, plot, [], f"Mean share of correct answers over {k} samples a problem, 95 % intervals.")


def _benchmark_table(name: str, found: list[Evaluation]) -> Markup:
    shown = [e for e in found if name in e.benchmarks]
    ks = sorted({int(k) for e in shown for k in e.benchmarks[name].get("pass_at_k", {})})
    header = ["model", "avg@k %", "95 % interval", *(f"pass@{k} %" for k in ks)]
    header += ["mean tokens", "truncated %", "infra errors"]
    rows = []
    for evaluation in shown:
        s = evaluation.benchmarks[name]
        low, high = s["interval"]
        passes = [_pass_at(s, k) for k in ks]
        tail = [f"{s['mean_tokens']:.0f}", percent(s["truncated_share"]), s["infra_errors"]]
        cells = [evaluation.label, percent(s["avg_at_k"]), f"{percent(low)} to {percent(high)}", *passes, *tail]
        rows.append(cells)
    first = shown[0].benchmarks[name]
    sampling = shown[0].scores.get("sampling", {})
    said = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in sampling.items() if isinstance(v, int | float | str))
    caption = f"{name}: {first['num_problems']} {first['domain']} problems, {first['num_samples']} samples each. {said}"
    return table(header, rows, caption, tuple(range(1, len(header))))


def _pass_at(scores: dict[str, Any], k: int) -> str:
    value = scores.get("pass_at_k", {}).get(str(k))
    return percent(value) if isinstance(value, int | float) and math.isfinite(value) else "–"


def result_sentence(steps: list[RunStep]) -> str:
    """The result of the run in one sentence: the gain by benchmark with its interval, or what is missing."""
    gained = gains(steps)
    if not gained:
        if not evaluations(steps):
            return "This run has no evaluation yet."
        return "This run evaluated one model only, so there is no gain to report."
    found = evaluations(steps)
    parts = []
    for name, g in gained.items():
        before, after = found[0].benchmarks[name]["avg_at_k"], found[-1].benchmarks[name]["avg_at_k"]
        low, high = g["interval"]
        sure = "" if low > 0 or high < 0 else ", which includes no change"
        parts.append(
            f"{name} from {percent(before)} to {percent(after)} % "
            f"({signed(g['gain'])} points, 95 % interval {signed(low)} to {signed(high)}{sure})"
        )
    return f"The {found[-1].label} model against its base: {'; '.join(parts)}."
