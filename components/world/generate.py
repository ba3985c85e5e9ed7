"""Write the bundled data: the seven sources with their planted rows, the truth about those, and two benchmarks.

python -m components.world.generate --output components/world/data --seed 1
"""

import argparse
import json
import logging
from pathlib import Path
from random import Random
from typing import Any

from components.core.files import write_jsonl, write_text
from components.world.drawing import Drawer
from components.world.fate import Entry, Planting
from components.world.items import CodeItem, MathItem
from components.world.planted_code import plant_code
from components.world.planted_contamination import plant_contamination
from components.world.planted_math import plant_math
from components.world.planted_pairs import plant_pairs
from components.world.planted_texts import NON_ASCII_NAMES, renaming
from components.world.writers import CODE_WRITERS, MATH_WRITERS, SOURCES, tiny_code_row, tiny_math_row

log = logging.getLogger(__name__)

ROWS = {
    "numinamath": 900, "deepscaler": 500, "still3": 300, "omni_math": 250, "aime_history": 150, "leetcode": 350,
    "taco": 550,
}  # fmt: skip
"""Rows of each source, planted ones included."""
BENCHMARK_MATH_ROWS = 168
BENCHMARK_CODE_ROWS = 144
NON_ASCII_EVERY = 20
"""Every so many benchmark problems one has a person with a non-ASCII name."""


def generate(output: Path, seed: int) -> dict[str, int]:
    """Write all files; the same seed gives the same bytes. Returns the number of rows of each file."""
    drawer = Drawer(Random(seed))
    math, code = _benchmarks(drawer)
    entries = _entries(drawer, math, code)
    counts = {}
    for source in SOURCES:
        lines = sorted((e for e in entries if e.source == source), key=lambda e: e.place)
        write_text(output / f"{source}.jsonl", "".join(_line(entry) for entry in lines))
        counts[source] = len(lines)
    truth = _truth(entries)
    write_jsonl(output / "truth.jsonl", truth)
    write_jsonl(output / "tiny_math.jsonl", [tiny_math_row(item, i) for i, item in enumerate(math)])
    write_jsonl(output / "tiny_code.jsonl", [tiny_code_row(item, i) for i, item in enumerate(code)])
    return {**counts, "truth": len(truth), "tiny_math": len(math), "tiny_code": len(code)}


def _benchmarks(drawer: Drawer) -> tuple[list[MathItem], list[CodeItem]]:
    """Held-out problems, families in turn, drawn before anything else."""
    math: list[MathItem] = []
    for i in range(BENCHMARK_MATH_ROWS):
        name = NON_ASCII_NAMES[i // NON_ASCII_EVERY % len(NON_ASCII_NAMES)]
        named = i % NON_ASCII_EVERY == 0
        math.append(drawer.math("benchmark", edit=renaming(name) if named else None))
    code = [drawer.code("benchmark") for _ in range(BENCHMARK_CODE_ROWS)]
    return math, code


def _entries(drawer: Drawer, math: list[MathItem], code: list[CodeItem]) -> list[Entry]:
    """Planted rows first, then ordinary ones until each source has its number of rows."""
    planting = Planting(drawer)
    plant_math(planting)
    plant_code(planting)
    plant_pairs(planting)
    plant_contamination(planting, math, code)
    planted = [entry.source for entry in planting.entries]
    missing = {source: ROWS[source] - planted.count(source) for source in SOURCES}
    order = [source for source in SOURCES for _ in range(missing[source])]
    drawer.rng.shuffle(order)  # so that a family that runs out is not missing from the last sources only
    for source in order:
        if source in MATH_WRITERS:
            row = MATH_WRITERS[source](drawer.math(), drawer.rng)
        else:
            row = CODE_WRITERS[source](drawer.code(functions=source == "leetcode"), drawer.rng)
        planting.kept(source, row, "")
    return planting.entries


def _line(entry: Entry) -> str:
    """A row as one line. `ensure_ascii` only where a lone surrogate could not be written otherwise."""
    return (entry.row if isinstance(entry.row, str) else json.dumps(entry.row, ensure_ascii=False)) + "\n"


def _truth(entries: list[Entry]) -> list[dict[str, Any]]:
    """One record for each planted row, in source and row order."""
    rows: dict[int, int] = {}
    for source in SOURCES:
        lines = sorted((e for e in entries if e.source == source), key=lambda e: e.place)
        rows.update({id(entry): number for number, entry in enumerate(lines)})
    planted = sorted((e for e in entries if e.case), key=lambda e: (SOURCES.index(e.source), rows[id(e)]))
    return [
        {
            "source": entry.source,
            "row": rows[id(entry)],
            "case": entry.case,
            "expected": entry.expected,
            "stage": list(entry.stages),
            "reason": list(entry.reasons),
            "pair": [entry.pair.source, rows[id(entry.pair)]] if entry.pair else None,
        }
        for entry in planted
    ]


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "data", help="folder to write to")
    parser.add_argument("--seed", type=int, default=1, help="seed of every choice")
    options = parser.parse_args()
    for name, count in generate(options.output, options.seed).items():
        log.info("%s: %d rows", name, count)


if __name__ == "__main__":
    main()
