"""The picture of how the run's artifacts were made: one box a step, one line per output that was handed on.

Drawn from top to bottom in rows. An output that is read far below runs in its own lane past the rows between, so no
line is hidden behind a box.
"""

from dataclasses import dataclass

from components.track.report.frame import section, sentence
from components.track.report.markup import Markup, element
from components.track.report.svg import picture
from components.track.run_folder import RunStep

BOX_WIDTH, BOX_HEIGHT, LANE_WIDTH, GAP_X, GAP_Y, MARGIN, WIDTH = 112, 36, 4, 10, 26, 4, 360
MIN_GROUP = 3
MAX_NAME_CHARACTERS = 17
Item = tuple[str, bool]
"""A place in a row: (node name, whether it is the box itself and not its lane)."""


@dataclass(frozen=True)
class Node:
    """A box: one step, or all sources together when there are many."""

    name: str
    label: str
    detail: str
    parents: tuple[str, ...]


def parents_of(steps: list[RunStep]) -> dict[str, list[str]]:
    """Step -> the steps whose outputs it read, from the digests in the manifests."""
    made_by = {m["manifest_digest"]: s.step for s in steps for m in s.manifests.values()}
    same_content = {m["artifact"]["content_digest"]: s.step for s in steps for m in s.manifests.values()}
    links: dict[str, list[str]] = {}
    for step in steps:
        names: dict[str, None] = {}
        for manifest in step.manifests.values():
            for link in manifest["parents"]:
                parent = made_by.get(link["manifest_digest"]) or same_content.get(link["content_digest"])
                if parent and parent != step.step:
                    names[parent] = None
        links[step.step] = list(names)
    return links


def nodes_of(steps: list[RunStep]) -> dict[str, Node]:
    """The boxes in the order of the steps; three or more ingest steps become one box."""
    links = parents_of(steps)
    ingests = [s.step for s in steps if s.stage == "ingest"]
    group = set(ingests) if len(ingests) >= MIN_GROUP else set()
    nodes: dict[str, Node] = {}
    if group:
        nodes["ingest"] = Node("ingest", f"ingest × {len(group)}", "one a source", ())
    for step in steps:
        if step.step in group:
            continue
        parents = dict.fromkeys("ingest" if p in group else p for p in links[step.step])
        main = next((step.digests[p] for p in ("kept", "model", "scores", "version") if p in step.digests), "")
        label = step.step
        if len(label) > MAX_NAME_CHARACTERS:
            label = label[: MAX_NAME_CHARACTERS - 1] + "…"
        nodes[step.step] = Node(step.step, label, main[:12], tuple(parents))
    return nodes


def depths(nodes: dict[str, Node]) -> dict[str, int]:
    """Row of each box: one below the lowest of its parents. Needs parents before children, as steps finish."""
    depth: dict[str, int] = {}
    for node in nodes.values():
        depth[node.name] = 1 + max((depth[p] for p in node.parents if p in depth), default=-1)
    return depth


def arrange(nodes: dict[str, Node], depth: dict[str, int]) -> list[dict[Item, float]]:
    """Per row, the centre x of every box and of every lane that passes. Items stand below what they come from."""
    last_reader = {p: max(depth[c.name] for c in nodes.values() if p in c.parents) for p in _read(nodes)}
    rows: list[dict[Item, float]] = []
    for level in range(max(depth.values()) + 1):
        items: list[Item] = [(n, True) for n in nodes if depth[n] == level]
        items += [(n, False) for n in last_reader if depth[n] < level < last_reader[n]]
        above = rows[-1] if rows else {}

        def pull(item: Item, above: dict[Item, float] = above) -> float:
            wanted = nodes[item[0]].parents if item[1] else (item[0],)
            places = [above.get((p, True), above.get((p, False))) for p in wanted]
            known = [x for x in places if x is not None]
            return sum(known) / len(known) if known else WIDTH / 2

        items.sort(key=pull)
        rows.append(_spread(items))
    return rows


def _read(nodes: dict[str, Node]) -> list[str]:
    return [n for n in nodes if any(n in c.parents for c in nodes.values())]


def _spread(items: list[Item]) -> dict[Item, float]:
    widths = [BOX_WIDTH if is_box else LANE_WIDTH for _, is_box in items]
    left = (WIDTH - sum(widths) - GAP_X * (len(items) - 1)) / 2
    centres: dict[Item, float] = {}
    for item, width in zip(items, widths, strict=True):
        centres[item] = left + width / 2
        left += width + GAP_X
    return centres


def lineage_section(steps: list[RunStep]) -> Markup:
    """The picture, with the digest of each step's main output, and how to check it."""
    if not steps:
        return section("lineage", "Lineage", sentence("No step has finished in this run."))
    last = steps[-1]
    root = next(iter(last.manifests.values()), {}).get("manifest_digest", "")
    note = "Lines run down from what was read to what was made. In each box: the start of its content digest (SHA-256)."
    return section(
        "lineage",
        "Lineage",
        sentence(note),
        element(
            "figure",
            draw(nodes_of(steps)),
            element("figcaption", f"Manifest digest of the last step, {last.step}: ", element("code", root)),
            class_="narrow",
        ),
        sentence("Check it with: or1 audit verify RUN/steps/STEP/OUTPUT --expect DIGEST"),
    )


def draw(nodes: dict[str, Node]) -> Markup:
    """Boxes, lanes and curves as one SVG."""
    depth = depths(nodes)
    rows = arrange(nodes, depth)
    paths: dict[str, None] = {}
    for node in nodes.values():
        for parent in node.parents:
            if parent in depth:
                paths.update(dict.fromkeys(_segments(parent, node.name, depth, rows)))
    lines = [element("path", d=path, class_="edge") for path in paths]
    boxes = [part for node in nodes.values() for part in _box(node, rows[depth[node.name]], depth[node.name])]
    left = min(min(row.values()) for row in rows) - BOX_WIDTH / 2
    right = max(max(row.values()) for row in rows) + BOX_WIDTH / 2
    height = 2 * MARGIN + len(rows) * (BOX_HEIGHT + GAP_Y) - GAP_Y
    title = f"Lineage: {len(nodes)} steps from sources to result"
    start = min(0.0, left - MARGIN)
    return picture(title, lines + boxes, round(max(WIDTH, right + MARGIN) - start), height, start)


def _top(level: int) -> float:
    return float(MARGIN + level * (BOX_HEIGHT + GAP_Y))


def _segments(parent: str, child: str, depth: dict[str, int], rows: list[dict[Item, float]]) -> list[str]:
    """The way from a box to a reader: a curve between rows, a straight piece past each row."""
    pieces = []
    x = rows[depth[parent]][(parent, True)]
    for level in range(depth[parent] + 1, depth[child] + 1):
        target = rows[level][(child, True) if level == depth[child] else (parent, False)]
        y1, y2 = _top(level - 1) + BOX_HEIGHT, _top(level)
        middle = (y1 + y2) / 2
        pieces.append(f"M{x:.1f} {y1:.1f}C{x:.1f} {middle:.1f} {target:.1f} {middle:.1f} {target:.1f} {y2:.1f}")
        if level < depth[child]:
            pieces.append(f"M{target:.1f} {y2:.1f}V{y2 + BOX_HEIGHT:.1f}")
        x = target
    return pieces


def _box(node: Node, row: dict[Item, float], level: int) -> list[Markup]:
    middle, top = row[(node.name, True)], _top(level)
    left = middle - BOX_WIDTH / 2
    return [
        element("rect", x=left, y=top, width=BOX_WIDTH, height=BOX_HEIGHT, rx=6, class_="node"),
        element("text", element("title", node.name), node.label, x=middle, y=top + 15, text_anchor="middle"),
        element("text", node.detail, x=middle, y=top + 28, text_anchor="middle", class_="digest"),
    ]
