"""The small page that a step shows in the Kubeflow UI: counts, drops by reason with examples, settings, digests."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from components.core.records import Dropped, read_dropped
from components.core.step import StepResult
from components.track.report.frame import document, listing, quote, section, sentence
from components.track.report.markup import Markup, element, join, shorten, table

EXAMPLES_PER_REASON = 3
STATEMENT_CHARACTERS = 400
EVIDENCE_CHARACTERS = 600


def step_page(result: StepResult, manifests: dict[str, dict[str, Any]], dropped: Path | None) -> str:
    """The page of one step. `manifests`: output port -> lineage manifest; `dropped`: its dropped.parquet if any."""
    config: dict[str, Any] = next((m["step"]["config"] for m in manifests.values() if m), {})
    said = "reused from the store" if result.reused else "run"
    return document(
        f"Step {result.step}",
        element("h1", f"Step {result.step}"),
        sentence(f"{said.capitalize()} in {result.seconds:.1f} s; step key {result.key[:16]}."),
        section("counts", "Counts", _counts(result.counts)),
        section("dropped", "Dropped rows", drops_by_reason(read_dropped(dropped)))
        if dropped and dropped.exists()
        else None,
        section("settings", "Settings", listing(json.dumps(config, indent=1, sort_keys=True, ensure_ascii=False))),
        section("digests", "Outputs", _outputs(manifests)),
    )


def _counts(counts: dict[str, Any]) -> Markup:
    rows = [[k, f"{v:,}" if isinstance(v, int | float) else str(v)] for k, v in counts.items() if k != "dropped"]
    return table(["count", "value"], [list(r) for r in rows], numeric=(1,))


def _outputs(manifests: dict[str, dict[str, Any]]) -> Markup:
    rows = [
        [port, m["artifact"].get("rows", ""), element("code", m["artifact"]["content_digest"])]
        for port, m in manifests.items()
        if m
    ]
    return table(["output", "rows", "content digest (SHA-256)"], rows, numeric=(1,))


def drops_by_reason(dropped: Iterable[Dropped]) -> Markup:
    """A collapsible block per reason, most frequent first, with a few of the rows that left for it."""
    groups: dict[str, list[Dropped]] = {}
    for record in dropped:
        groups.setdefault(record.reason, []).append(record)
    if not groups:
        return sentence("No row was dropped.")
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return join([_reason_block(reason, records) for reason, records in ordered])


def _reason_block(reason: str, records: list[Dropped]) -> Markup:
    rows = "row" if len(records) == 1 else "rows"
    return element(
        "details",
        element("summary", element("b", reason), f" · {len(records):,} {rows}"),
        [example(record) for record in records[:EXAMPLES_PER_REASON]],
    )


def example(record: Dropped) -> Markup:
    """One dropped row: its source, the beginning of its text, and what the rule saw."""
    evidence = json.dumps(record.evidence, ensure_ascii=False, sort_keys=True) if record.evidence else ""
    return element(
        "div",
        element("p", f"{record.source} · {record.domain} · row ", element("code", record.row_id[:12]), class_="soft"),
        quote(shorten(record.statement, STATEMENT_CHARACTERS)),
        listing(shorten(evidence, EVIDENCE_CHARACTERS)) if evidence else None,
    )
