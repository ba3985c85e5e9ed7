"""Under which licences the training rows and the models of a run stand."""

from pathlib import Path
from typing import Any

from components.core.files import read_columns, read_json
from components.lineage.artifact import read_step_folders


def licences(run_dir: Path) -> dict[str, Any]:
    """Licence -> rows and sources of what reached training (the last step before it that wrote `kept`), and the licence
    of every model in the run. A missing licence is counted as `unknown`."""
    rows: dict[str, dict[str, int]] = {}
    models: dict[str, str] = {}
    last = ""
    for folder, step in read_step_folders(run_dir):
        if (folder / "model.json").exists():
            model = read_json(folder / "model.json")
            models[step["step"]] = model["licence"] or "unknown"
        if (folder / "kept.parquet").exists() and (step["stage"] == "mix" or not last.startswith("mix")):
            last, rows = step["step"], _count_licences(folder / "kept.parquet")
    total = {name: sum(sources.values()) for name, sources in rows.items()}
    return {"step": last, "rows": dict(sorted(total.items())), "sources": rows, "models": models}


def _count_licences(path: Path) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for source in read_columns(path, columns=["source"])["source"].to_pylist():
        sources = counts.setdefault(source["licence"] or "unknown", {})
        sources[source["name"]] = sources.get(source["name"], 0) + 1
    return counts


def render_licences(found: dict[str, Any]) -> str:
    lines = [f"rows after {found['step'] or 'no step'}:"]
    for name, rows in found["rows"].items():
        by_source = ", ".join(f"{s} {n:,}" for s, n in sorted(found["sources"][name].items()))
        lines.append(f"  {name:<24} {rows:>8,}   {by_source}")
    lines.append("models:")
    lines += [f"  {step:<24} {licence}" for step, licence in found["models"].items()]
    return "\n".join(lines)
