"""`report.html` of a run: everything on one page that needs nothing but a browser, and `metrics.jsonl` beside it.

A run that stopped early, or was told to, gives the same page with a sentence in place of what is missing.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.core.files import read_json, write_text
from components.track.metrics import write_metrics
from components.track.report.completions import completions_section
from components.track.report.curves import curves_section
from components.track.report.evaluation import evaluation_section, result_sentence
from components.track.report.frame import document, section, sentence
from components.track.report.funnel import difficulty_section, funnel_section
from components.track.report.lineage_picture import lineage_section
from components.track.report.markup import Markup, element, table
from components.track.run_folder import RunStep, read_failures, read_steps

log = logging.getLogger(__name__)

SECTIONS = (
    ("evaluation", "Evaluation"), ("training", "Training"), ("funnel", "Rows"), ("difficulty", "Difficulty"),
    ("completions", "Completions"), ("lineage", "Lineage"), ("steps", "Steps"), ("versions", "Versions"),
)  # fmt: skip


def write_report(run_folder: Path, output: Path, statements: Mapping[str, str] | None = None) -> None:
    """Write the report of a run folder to `output`, and `metrics.jsonl` into the folder.

    `statements`: problem id -> text of benchmark problems, shown above their completions. Raises DataError when the
    folder is no run."""
    steps = read_steps(run_folder)
    write_metrics(run_folder)
    page = document(
        f"{recipe_name(run_folder)} · OR1 Pipelines",
        _header(run_folder, steps),
        element("nav", [element("a", title, href=f"#{name}") for name, title in SECTIONS], aria_label="Sections"),
        _failures(run_folder),
        evaluation_section(steps),
        curves_section(steps),
        funnel_section(steps),
        difficulty_section(steps),
        completions_section(steps, statements or {}),
        lineage_section(steps),
        _steps_section(steps),
        _versions_section(steps),
    )
    write_text(output, page)
    log.info("report: %s (%d steps)", output, len(steps))


def recipe_name(run_folder: Path) -> str:
    """The recipe's name as recorded by the run, else the folder's."""
    path = run_folder / "recipe.json"
    recorded = read_json(path) if path.exists() else {}
    name = recorded.get("name") if isinstance(recorded, dict) else None
    return str(name or run_folder.resolve().name)


def _header(run_folder: Path, steps: list[RunStep]) -> Markup:
    seconds = sum(s.seconds for s in steps if not s.reused)
    read = sum(s.counts.get("rows_in", 0) for s in steps if s.stage == "ingest")
    trained = sum(s.counts.get("rows_kept", 0) for s in steps if s.stage == "mix")
    reused = sum(s.reused for s in steps)
    cards = [
        (model_name(steps), "model"),
        (f"{len(steps)}", f"steps finished{f', {reused} reused' if reused else ''}"),
        (duration(seconds), "time of the steps that ran"),
        (f"{read:,} → {trained:,}" if read and trained else "–", "rows read → to train on"),
        (_promotion(steps), "promotion gate"),
    ]
    return element(
        "header",
        element("p", "OR1 Pipelines · run report", class_="soft"),
        element("h1", recipe_name(run_folder)),
        element("p", result_sentence(steps), class_="result"),
        element("div", [element("div", element("b", v), element("span", n), class_="card") for v, n in cards],
                class_="cards"),
    )  # fmt: skip


def model_name(steps: list[RunStep]) -> str:
    """Name of the last model of the run."""
    for step in reversed(steps):
        path = step.file("model.json")
        if path:
            return str(read_json(path)["name"])
    return "no model yet"


def _promotion(steps: list[RunStep]) -> str:
    path = next((p for s in reversed(steps) if (p := s.file("version.json"))), None)
    if path is None:
        return "not reached"
    return "promoted" if read_json(path)["promoted"] else "not promoted"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _failures(run_folder: Path) -> Markup | None:
    failed = read_failures(run_folder)
    if not failed:
        return None
    lines = [
        element("p", element("span", f"Step {f['step']} failed: ", class_="bad"), f"{f['message']} (log: {f['log']})")
        for f in failed
    ]
    return element("div", lines, class_="case", role="alert")


def _steps_section(steps: list[RunStep]) -> Markup:
    if not steps:
        return section("steps", "Steps", sentence("No step has finished in this run."))
    rows = [
        [
            s.step,
            s.stage,
            f"{s.seconds:.1f}",
            "reused" if s.reused else "run",
            _main_count(s),
            element("code", s.key[:12]),
        ]
        for s in steps
    ]
    caption = "In the order in which they finished. The key is made of stage, settings, inputs and source code."
    header = ["step", "stage", "seconds", "", "result", "key"]
    return section("steps", "Steps", table(header, rows, caption, (2,)), _gate_reasons(steps))


def _main_count(step: RunStep) -> str:
    counts = step.counts
    if {"rows_in", "rows_kept"} <= counts.keys():
        return f"{counts['rows_in']:,} → {counts['rows_kept']:,} rows"
    shown = [(k, v) for k, v in counts.items() if isinstance(v, int | float)][:3]
    return ", ".join(f"{k} {round(v, 4):,}" for k, v in shown)


def _gate_reasons(steps: list[RunStep]) -> Markup | None:
    path = next((p for s in reversed(steps) if (p := s.file("version.json"))), None)
    if path is None:
        return None
    version = read_json(path)
    decided = "promoted" if version["promoted"] else "not promoted"
    return sentence(f"Registered as {version['name']}, {decided}: {'; '.join(version['reasons'])}.")


def _versions_section(steps: list[RunStep]) -> Markup:
    """Software and machines of all steps; where steps differ, every value."""
    found: dict[str, dict[str, None]] = {}
    for step in steps:
        for manifest in step.manifests.values():
            entry: dict[str, Any] = manifest["step"]
            changed = " (with uncommitted changes)" if entry.get("dirty") else ""
            values = {"code commit": f"{str(entry.get('commit', 'unknown'))[:12]}{changed}"}
            values["image"] = entry.get("image") or ""
            values.update(entry.get("machine", {}))
            values.update(entry.get("packages", {}))
            for name, value in values.items():
                if value != "":
                    found.setdefault(name, {})[str(value)] = None
    if not found:
        return section("versions", "Versions and machine", sentence("No step has finished in this run."))
    rows = [[name, ", ".join(values)] for name, values in found.items()]
    return section("versions", "Versions and machine", table(["what", "value"], rows))
