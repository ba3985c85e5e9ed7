"""The life of one problem: where it came from, what each step decided and why, and how often it was trained on."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from components.core.errors import DataError
from components.core.files import read_columns
from components.lineage.artifact import read_step_folders

MAX_MATCHES = 20
MIN_ID_CHARACTERS = 8
SHOWN_CHARACTERS = 300


def find_record(run_dir: Path, query: str) -> dict[str, Any]:
    """Everything a run knows of the problems that `query` names: a row id or problem id (or its first 8 or more hex
    characters), or words from the statement (case and spaces don't matter). Raises DataError when nothing matches."""
    steps = read_step_folders(run_dir)
    matches: dict[str, dict[str, Any]] = {}
    for folder, step in steps:
        for decision in ("kept", "dropped"):
            for row in _matching_rows(folder / f"{decision}.parquet", query, matches):
                _note_decision(matches, step, decision, row)
    if not matches:
        raise DataError(f"{run_dir}: no row with id or text {query[:80]!r} in any step; check the spelling")
    shown = list(matches.values())[:MAX_MATCHES]
    for match in shown:
        for folder, step in steps:
            _add_rollouts(match, folder, step)
    return {"query": query, "num_matches": len(matches), "matches": shown}


def _matching_rows(path: Path, query: str, known: dict[str, Any]) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    table = read_columns(path)
    mask = pc.is_in(table["row_id"], value_set=pa.array(list(known), pa.string()))
    words = query.strip()
    if len(words) >= MIN_ID_CHARACTERS and all(c in "0123456789abcdef" for c in words.lower()):
        for column in ("row_id", "problem_id"):
            if column in table.column_names:
                mask = pc.or_(mask, pc.starts_with(table[column], words.lower()))
    else:
        folded = pc.utf8_lower(pc.replace_substring_regex(table["statement"], r"\s+", " "))
        mask = pc.or_(mask, pc.match_substring(folded, " ".join(words.lower().split())))
    return list(table.filter(pc.fill_null(mask, False)).to_pylist())


def _note_decision(matches: dict[str, Any], step: dict[str, Any], decision: str, row: dict[str, Any]) -> None:
    match = matches.setdefault(
        row["row_id"],
        {"row_id": row["row_id"], "problem_id": None, "domain": row["domain"], "statement": row["statement"]}
        | {"source": None, "history": [], "pass_rates": [], "exposures": [], "completions": []},
    )
    note: dict[str, Any] = {"step": step["step"], "stage": step["stage"], "decision": decision}
    if decision == "kept":
        match["problem_id"], match["source"] = row["problem_id"], row["source"]
        match["answers"] = row["answers"]
    else:
        note.update(reason=row["reason"], evidence=json.loads(row["evidence"] or "{}"))
        match["source"] = match["source"] or {"name": row["source"]}
    match["history"].append(note)


def _add_rollouts(match: dict[str, Any], folder: Path, step: dict[str, Any]) -> None:
    """Pass rates and exposures by row id, sampled completions by problem id."""
    for row in _rows_with(folder / "pass_rates.parquet", "row_id", match["row_id"]):
        match["pass_rates"].append({"step": step["step"], **row})
    for row in _rows_with(folder / "exposures.parquet", "row_id", match["row_id"]):
        match["exposures"].append({"in_step": step["step"], **row})
    graded = _rows_with(folder / "completions.parquet", "problem_id", match["problem_id"])
    if graded:
        statuses: dict[str, int] = {}
        for row in graded:
            statuses[row["status"]] = statuses.get(row["status"], 0) + 1
        match["completions"].append({"step": step["step"], "num_samples": len(graded), "statuses": statuses})


def _rows_with(path: Path, column: str, value: str | None) -> list[dict[str, Any]]:
    if value is None or not path.exists():
        return []
    return list(read_columns(path, filters=[(column, "==", value)]).to_pylist())


def render_record(found: dict[str, Any]) -> str:
    """The lives of the matching rows as text."""
    blocks = [_render_match(match) for match in found["matches"]]
    if found["num_matches"] > len(blocks):
        blocks.append(f"… and {found['num_matches'] - len(blocks)} more; give more of the text or an id")
    return "\n\n".join(blocks)


def _render_match(match: dict[str, Any]) -> str:
    source = match["source"] or {}
    row = f" row {source['row']}" if source.get("row") is not None else ""
    licence = f", licence {source['licence']}" if source.get("licence") else ""
    lines = [
        f"row {match['row_id']}  ({match['domain']})",
        f"  problem  {match['problem_id'] or '-'}",
        f"  source   {source.get('name', '?')}{row}{licence}",
        f"  text     {' '.join(match['statement'].split())[:SHOWN_CHARACTERS]}",
    ]
    for note in match["history"]:
        why = f": {note['reason']} {json.dumps(note['evidence'], ensure_ascii=False)}" if "reason" in note else ""
        lines.append(f"  {note['step']:<18} {note['decision']}{why[:SHOWN_CHARACTERS]}")
    for rate in match["pass_rates"]:
        lines.append(f"  {rate['step']:<18} solved {rate['num_correct']} of {rate['num_graded']}")
    for exposure in match["exposures"]:
        used = "used" if exposure["used"] else "rejected"
        solved = f"solved {exposure['num_correct']} of {exposure['num_graded']}"
        lines.append(f"  {exposure['in_step']:<18} step {exposure['step']}: {solved}, {used}")
    return "\n".join(lines)
