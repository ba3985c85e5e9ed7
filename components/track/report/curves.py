"""How training went: accuracy before rejection, entropy and its control, length, groups, and where the time goes."""

from collections.abc import Sequence
from typing import Any

from components.track.metrics import training_rows
from components.track.report.frame import section, sentence
from components.track.report.markup import Markup, element
from components.track.report.svg import Series, area_plot, figure, line_plot
from components.track.run_folder import RunStep

X = "training step"


def joined_rows(steps: list[RunStep]) -> tuple[list[dict[str, Any]], list[float]]:
    """The rows of all training stages on one axis `x`, and the x positions between stages. A stage that counts its
    steps from the beginning again is moved behind the one before."""
    rows: list[dict[str, Any]] = []
    boundaries: list[float] = []
    offset = 0.0
    for step in (s for s in steps if s.stage == "train"):
        own = training_rows(step)
        if not own:
            continue
        last = rows[-1]["x"] if rows else None
        offset = last + 1 - own[0]["step"] if last is not None and own[0]["step"] <= last else 0.0
        if last is not None:
            boundaries.append((last + own[0]["step"] + offset) / 2)
        rows += [{**row, "x": row["step"] + offset} for row in own]
    return rows, boundaries


def entropy_target(steps: list[RunStep]) -> float | None:
    """The target entropy in the settings of a training step."""
    for step in (s for s in steps if s.stage == "train"):
        found = _find_target(step.config)
        if found is not None:
            return found
    return None


def _find_target(settings: Any, inside_entropy: bool = False) -> float | None:
    if not isinstance(settings, dict):
        return None
    for key, value in settings.items():
        named = key in ("target_entropy", "entropy_target") or (inside_entropy and key.startswith("target"))
        if named and isinstance(value, int | float):
            return float(value)
        found = _find_target(value, inside_entropy or "entropy" in key)
        if found is not None:
            return found
    return None


def points(rows: list[dict[str, Any]], name: str) -> list[tuple[float, float]]:
    """(x, value) of a metric, where it was recorded."""
    return [(row["x"], float(row[name])) for row in rows if isinstance(row.get(name), int | float)]


def curves_section(steps: list[RunStep]) -> Markup:
    """All training plots as small multiples."""
    rows, marks = joined_rows(steps)
    if not rows:
        return section("training", "Training", sentence("No training step has finished in this run."))
    stages = sum(1 for s in steps if s.stage == "train")
    note = f"{len(rows)} steps in {stages} stage{'s' if stages > 1 else ''}."
    if marks:
        note += " Dashed vertical lines separate the stages."
    panels = [
        _lines(rows, marks, "Accuracy before rejection", "share of correct responses", 0.0, (
            ("train/accuracy_before_rejection", "all", 0), ("train/accuracy_math", "math", 2),
            ("train/accuracy_code", "code", 1), ("dev/accuracy", "held-out development set", 4)),
            "All rollouts of the step, before groups without contrast are left out."),
        _entropy(rows, marks, entropy_target(steps)),
        _lines(rows, marks, "Entropy coefficient", "coefficient", 0.0, (
            ("train/entropy_coefficient", "controller c", 0), ("train/entropy_alpha", "applied α", 1)),
            "The controller moves c towards the target; α is c while the entropy is below the target, else 0."),
        _lines(rows, marks, "Response length", "tokens", 0.0, (("train/response_tokens_mean", "mean", 0),),
               "Mean number of tokens of a response."),
        _lines(rows, marks, "Truncated responses", "share", 0.0, (("train/truncated_share", "truncated", 4),),
               "Share of responses that reached the token limit without an end."),
        _lines(rows, marks, "Groups used", "groups", 0.0, (
            ("train/groups_kept", "kept", 0), ("train/groups_total", "sampled", 5)),
            "A group whose responses are all right or all wrong gives no gradient and is rejected."),
        _times(rows, marks),
        _lines(rows, marks, "Gradient norm", "norm", 0.0, (("train/gradient_norm", "norm", 0),), "Before clipping."),
        _lines(rows, marks, "Policy loss", "loss", None, (("train/loss", "loss", 0),),
               "Its level means little; a jump means trouble."),
        _lines(rows, marks, "Clipped tokens", "share", 0.0, (("train/clip_fraction", "clipped", 3),),
               "Share of tokens whose probability ratio left the clip range."),
    ]  # fmt: skip
    return section("training", "Training", sentence(note), element("div", panels, class_="plots"))


def _lines(
    rows: list[dict[str, Any]], marks: Sequence[float], title: str, y_label: str, y_floor: float | None,
    wanted: Sequence[tuple[str, str, int]], caption: str,
) -> Markup | None:  # fmt: skip
    series = [
        Series(label, points(rows, name), colour, dots=name.startswith("dev/"), dashed=label == "sampled")
        for name, label, colour in wanted
        if points(rows, name)
    ]
    if not series:
        return None
    plot = line_plot(f"{title} over training", series, X, y_label, marks, y_floor)
    return figure(title, plot, [(s.label, s.colour) for s in series], caption)


def _entropy(rows: list[dict[str, Any]], marks: Sequence[float], target: float | None) -> Markup | None:
    measured = points(rows, "train/entropy")
    if not measured:
        return None
    series = [Series("entropy", measured, 0)]
    if target is not None:
        series.append(Series(f"target {target:g}", [(rows[0]["x"], target), (rows[-1]["x"], target)], 1, dashed=True))
    plot = line_plot("Entropy over training", series, X, "nats per token", marks, 0.0)
    entries = [(s.label, s.colour) for s in series]
    return figure("Entropy", plot, entries, "Of the sampled tokens. Near zero the policy no longer explores.")


def _times(rows: list[dict[str, Any]], marks: Sequence[float]) -> Markup | None:
    names = (
        ("time/rollout_s", "rollout t_R", 0),
        ("time/train_s", "training t_T", 1),
        ("time/other_s", "other t_O", 5),
    )
    usable = [r for r in rows if sum(float(r.get(n) or 0) for n, _, _ in names) > 0]
    if len(usable) < 2:
        return None
    totals = [sum(float(r.get(n) or 0) for n, _, _ in names) for r in usable]
    series = [
        Series(label, [(r["x"], float(r.get(n) or 0) / t) for r, t in zip(usable, totals, strict=True)], colour)
        for n, label, colour in names
    ]
    plot = area_plot("Share of time over training", series, X, "share of step time", marks)
    caption = f"{sum(totals):.0f} s in {len(totals)} steps, {sum(totals) / len(totals):.2f} s a step."
    return figure("Where the time goes", plot, [(s.label, s.colour) for s in series], caption)
