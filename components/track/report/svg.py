"""Small plots as SVG text: lines, stacked areas, bars, intervals.

Drawn 360 units wide, the width of a phone, so that the text keeps its size there; colours come from the page's
style, so they follow light and dark.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from components.track.report.markup import Markup, element

WIDTH, HEIGHT = 360, 210
LEFT, RIGHT, TOP, BOTTOM = 56, 10, 10, 36


@dataclass(frozen=True)
class Series:
    """One curve: its label, points (x, y), colour number, and whether it is dashed or dots only."""

    label: str
    points: Sequence[tuple[float, float]]
    colour: int = 0
    dashed: bool = False
    dots: bool = False


@dataclass(frozen=True)
class Axes:
    """The data range of a plot and how it maps to the canvas."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_label: str
    y_label: str
    height: int = HEIGHT
    marks: Sequence[float] = field(default_factory=tuple)
    """x positions of vertical dashed lines (boundaries between training stages)."""

    def x(self, value: float) -> float:
        low, high = self.x_range
        return LEFT + (value - low) / ((high - low) or 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.height - BOTTOM - (value - low) / ((high - low) or 1) * (self.height - TOP - BOTTOM)


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Round values that cover a range: steps of 1, 2, 2.5 or 5 times a power of ten."""
    span = (high - low) or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / count))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power * count >= span * 0.999)
    first = math.floor(low / step + 1e-9)
    values = [round(i * step, 12) for i in range(first, first + count + 3)]
    return [v for v in values if v <= high + step * 0.999] or [low, high]


def number(value: float) -> str:
    """A short number for an axis or a label."""
    if value == 0:
        return "0"
    if abs(value) >= 10000 or abs(value) < 0.001:
        return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.4g}"


def fit(series: Sequence[Series], y_floor: float | None = None, y_top: float | None = None) -> tuple[Any, Any]:
    """x and y range of some curves; the y range ends on round numbers and includes `y_floor` and `y_top`."""
    xs = [x for s in series for x, _ in s.points]
    ys = [y for s in series for _, y in s.points] + [v for v in (y_floor, y_top) if v is not None]
    marks = ticks(min(ys), max(ys))
    return (min(xs), max(xs)), (min(marks[0], min(ys)), max(marks[-1], max(ys)))


def frame(axes: Axes) -> list[Markup]:
    """Grid, tick labels, axis labels and marks."""
    bottom = axes.height - BOTTOM
    parts = [element("line", x1=axes.x(m), x2=axes.x(m), y1=TOP, y2=bottom, class_="stage") for m in axes.marks]
    for value in ticks(*axes.y_range):
        if axes.y_range[0] - 1e-9 <= value <= axes.y_range[1] + 1e-9:
            y = axes.y(value)
            parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"))
            parts.append(element("text", number(value), x=LEFT - 5, y=y + 4, text_anchor="end", class_="axis"))
    for value in ticks(*axes.x_range, count=5):
        if axes.x_range[0] <= value <= axes.x_range[1]:
            parts.append(
                element("text", number(value), x=axes.x(value), y=bottom + 15, text_anchor="middle", class_="axis")
            )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(element("text", axes.x_label, x=middle, y=axes.height - 5, text_anchor="middle", class_="axis"))
    turn = f"rotate(-90 10 {axes.height / 2 - 10:.0f})"
    parts.append(
        element("text", axes.y_label, x=10, y=axes.height / 2 - 10, text_anchor="middle", class_="axis", transform=turn)
    )
    return parts


def curve(series: Series, axes: Axes) -> list[Markup]:
    """A line, or dots where dots are asked for or there is one point only."""
    points = [(axes.x(x), axes.y(y)) for x, y in series.points]
    if series.dots or len(points) == 1:
        return [element("circle", cx=x, cy=y, r=3.5, class_=f"f{series.colour}") for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = " dash" if series.dashed else ""
    return [element("polyline", points=path, class_=f"line l{series.colour}{dashed}")]


def picture(
    title: str, body: list[Markup], width: int = WIDTH, height: int = HEIGHT, left: float = 0.0
) -> Markup:  # fmt: skip
    """The SVG element with its accessible name."""
    box = f"{left:.0f} 0 {width} {height}"
    return element("svg", element("title", title), *body, viewBox=box, role="img", aria_label=title)


def line_plot(
    title: str,
    series: Sequence[Series],
    x_label: str,
    y_label: str,
    marks: Sequence[float] = (),
    y_floor: float | None = None,
    y_top: float | None = None,
) -> Markup:
    """Curves over a common x axis. Empty series are left out."""
    drawn = [s for s in series if s.points]
    x_range, y_range = fit(drawn, y_floor, y_top)
    axes = Axes(x_range, y_range, x_label, y_label, marks=marks)
    return picture(title, frame(axes) + [part for s in drawn for part in curve(s, axes)])


def area_plot(title: str, series: Sequence[Series], x_label: str, y_label: str, marks: Sequence[float] = ()) -> Markup:
    """Shares stacked to 1. All series have the same x values."""
    xs = [x for x, _ in series[0].points]
    axes = Axes((min(xs), max(xs)), (0.0, 1.0), x_label, y_label, marks=marks)
    floor, parts = [0.0] * len(xs), []
    for one in series:
        top = [low + y for low, (_, y) in zip(floor, one.points, strict=True)]
        edge = [(x, y) for x, y in zip(xs, top, strict=True)] + list(zip(xs, floor, strict=True))[::-1]
        path = " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in edge)
        parts.append(element("polygon", points=path, class_=f"f{one.colour}", opacity="0.85"))
        floor = top
    return picture(title, parts + frame(axes))


def bar_plot(title: str, names: Sequence[str], groups: Sequence[tuple[str, Sequence[float], int]], x_label: str,
             y_label: str) -> Markup:  # fmt: skip
    """Stacked bars: `groups` are (label, one value per bar, colour)."""
    totals = [sum(values[i] for _, values, _ in groups) for i in range(len(names))]
    top = ticks(0, max([*totals, 1]))[-1]
    axes = Axes((0, len(names)), (0.0, float(top)), "", y_label)
    plain = [part for part in frame(axes) if 'text-anchor="middle"' not in part or "rotate" in part]
    parts, width = [], (axes.x(1) - axes.x(0)) * 0.78
    for i, name in enumerate(names):
        left, floor = axes.x(i + 0.5) - width / 2, 0.0
        for _, values, colour in groups:
            y = axes.y(floor + values[i])
            height = axes.y(floor) - y
            parts.append(element("rect", x=left, y=y, width=width, height=height, class_=f"f{colour}"))
            floor += values[i]
        below = axes.height - BOTTOM + 15
        parts.append(element("text", name, x=left + width / 2, y=below, text_anchor="middle", class_="axis"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(element("text", x_label, x=middle, y=axes.height - 5, text_anchor="middle", class_="axis"))
    return picture(title, plain + parts)


def interval_plot(
    title: str, rows: Sequence[tuple[str, float, float, float, int]], x_label: str, zero: bool = False
) -> Markup:
    """One row a model: (label, value, low, high, colour), a dot in its interval, on a common x axis."""
    height = TOP + 30 * len(rows) + BOTTOM
    values = [v for _, value, low, high, _ in rows for v in (value, low, high)] + ([0.0] if zero else [])
    marks = ticks(min(values), max(values))
    axes = Axes((min(marks[0], min(values)), max(marks[-1], max(values))), (0, 1), x_label, "", height)
    left = 120
    scale = (WIDTH - RIGHT - left) / (WIDTH - RIGHT - LEFT)

    def at(value: float) -> float:
        return left + (axes.x(value) - LEFT) * scale

    parts = []
    for value in marks:
        class_ = "stage" if zero and value == 0 else "grid"
        parts.append(element("line", x1=at(value), x2=at(value), y1=TOP, y2=height - BOTTOM, class_=class_))
        parts.append(
            element("text", number(value), x=at(value), y=height - BOTTOM + 15, text_anchor="middle", class_="axis")
        )
    for i, (label, value, low, high, colour) in enumerate(rows):
        y = TOP + 15 + 30 * i
        parts.append(element("text", label, x=left - 8, y=y + 4, text_anchor="end"))
        parts.append(element("line", x1=at(low), x2=at(high), y1=y, y2=y, class_=f"line l{colour}"))
        for end in (low, high):
            parts.append(element("line", x1=at(end), x2=at(end), y1=y - 5, y2=y + 5, class_=f"line l{colour}"))
        parts.append(element("circle", cx=at(value), cy=y, r=4.5, class_=f"f{colour}"))
    middle = (left + WIDTH - RIGHT) / 2
    parts.append(element("text", x_label, x=middle, y=height - 5, text_anchor="middle", class_="axis"))
    return picture(title, parts, height=height)


def legend(entries: Sequence[tuple[str, int]]) -> Markup:
    """Labels with their colours, as text under the plot."""
    return element(
        "div", [element("span", element("i", class_=f"b{c}"), label) for label, c in entries], class_="legend"
    )


def figure(heading: str, plot: Markup, entries: Sequence[tuple[str, int]], caption: str) -> Markup:
    """A plot with its heading, legend and caption."""
    shown = legend(entries) if len(entries) > 1 else None
    return element("figure", element("strong", heading), shown, plot, element("figcaption", caption))
