"""`or1 run` and `or1 report`."""

import argparse
import json
import sys
from pathlib import Path

from components.core.errors import DataError
from pipelines.recipe import load_recipe
from pipelines.run_local import run_recipe, table_of


def run(args: argparse.Namespace) -> None:
    recipe = load_recipe(args.recipe, args.set)
    output = Path(args.output or f"runs/{recipe.name}")
    records = run_recipe(recipe, output, args.until, Path(args.store).resolve() if args.store else None)
    if args.json:
        print(json.dumps({"output": str(output), "steps": records}, ensure_ascii=False))
        return
    seconds = sum(record["seconds"] for record in records if not record.get("reused"))
    sys.stdout.write(f"{table_of(records)}\n\n{seconds:.0f} s of work; report: {output / 'report.html'}\n")


def report(args: argparse.Namespace) -> None:
    from components.track.report.page import write_report

    folder = Path(args.run)
    if not (folder / "steps").is_dir():
        raise DataError(f"{folder}: not a run folder, it has no steps/; give the --output folder of an `or1 run`")
    write_report(folder, folder / "report.html")
    print(json.dumps({"report": str(folder / "report.html")}) if args.json else folder / "report.html")
