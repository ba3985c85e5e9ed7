"""What an artifact was made from, back to the sources: as a graph and as a text tree."""

from pathlib import Path
from typing import Any

from components.lineage.artifact import locate_artifact, manifest_of

SHORT = 12


def trace(path: Path) -> dict[str, Any]:
    """The ancestry of an artifact: `root` (manifest digest), `nodes` by manifest digest (step, stage, port, rows,
    content digest, settings, counts, code), `edges` (child, parent, input port), and the `sources` at its far end.
    Raises DataError when there is no artifact, AuditError when it has no manifest."""
    manifest = manifest_of(locate_artifact(path))
    every = {manifest["manifest_digest"]: manifest, **manifest["ancestors"]}
    edges = [
        {"child": digest, "parent": link["manifest_digest"], "port": link["port"], "content": link["content_digest"]}
        for digest, one in every.items()
        for link in one["parents"]
    ]
    nodes = {digest: _node(one) for digest, one in every.items()}
    sources = [
        {"step": node["step"], "rows": node["rows"], "settings": node["config"]}
        for node in nodes.values()
        if node["stage"] in ("ingest", "base_model")
    ]
    ordered = sorted(sources, key=lambda s: str(s["step"]))
    return {"root": manifest["manifest_digest"], "nodes": nodes, "edges": edges, "sources": ordered}


def _node(manifest: dict[str, Any]) -> dict[str, Any]:
    artifact, step = manifest["artifact"], manifest["step"]
    return {
        "step": step["name"],
        "stage": step["stage"],
        "port": artifact["port"],
        "kind": artifact["kind"],
        "rows": artifact.get("rows"),
        "bytes": sum(f["bytes"] for f in artifact["files"]),
        "content_digest": artifact["content_digest"],
        "manifest_digest": manifest["manifest_digest"],
        "key": step["key"],
        "commit": step.get("commit", "unknown"),
        "dirty": bool(step.get("dirty")),
        "ended_at": step.get("ended_at", ""),
        "config": step["config"],
        "counts": step["counts"],
    }


def render_trace(traced: dict[str, Any]) -> str:
    """The ancestry as an indented tree, newest first. What was shown once is named again, not repeated."""
    parents: dict[str, list[dict[str, Any]]] = {}
    for edge in traced["edges"]:
        parents.setdefault(edge["child"], []).append(edge)
    lines = [_line(traced["nodes"][traced["root"]], "")]
    _branches(traced, parents, traced["root"], "", lines, {traced["root"]})
    lines.append("")
    lines.append(f"{len(traced['nodes'])} artifacts from {len(traced['sources'])} sources")
    return "\n".join(lines)


def _branches(
    traced: dict[str, Any], parents: dict[str, list[dict[str, Any]]], digest: str, indent: str, lines: list[str],
    shown: set[str],
) -> None:  # fmt: skip
    links = parents.get(digest, [])
    for number, link in enumerate(links, 1):
        last = number == len(links)
        corner, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        parent = link["parent"]
        node = traced["nodes"].get(parent)
        if node is None:
            what = "outside any run" if parent is None else "MISSING from the manifest"
            lines.append(f"{indent}{corner}{link['port']}: {what}, content {link['content'][:SHORT]}")
            continue
        again = "  (shown above)" if parent in shown else ""
        lines.append(indent + corner + _line(node, f"{link['port']}: ") + again)
        if not again:
            shown.add(parent)
            _branches(traced, parents, parent, indent + below, lines, shown)


def _line(node: dict[str, Any], port: str) -> str:
    size = f"{node['rows']:,} rows" if node["rows"] is not None else f"{node['bytes']:,} bytes"
    made = " (uncommitted changes)" if node["dirty"] else ""
    code = f", code {node['commit'][:SHORT]}{made}" if not port else ""
    return f"{port}{node['step']} › {node['port']}  [{size}, content {node['content_digest'][:SHORT]}{code}]"
