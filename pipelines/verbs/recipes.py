"""`or1 recipes` and `or1 plan`."""

import argparse
import json


def recipes(args: argparse.Namespace) -> None:
    """Name and first line of every recipe; reads YAML only, so that it answers at once."""
    from pathlib import Path

    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = {}
    for path in sorted((Path(__file__).parents[1] / "recipes").glob("*.yaml")):
        found[path.stem] = yaml.load(path.read_text(encoding="utf-8"), loader).get("description", "").strip()
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        print("\n".join(f"{name:<10} {text}" for name, text in found.items()))


def plan(args: argparse.Namespace) -> None:
    """The steps, what feeds them, and every setting in force."""
    from pipelines.recipe import expand, load_recipe

    recipe = load_recipe(args.recipe, args.set)
    configs = expand(recipe)
    rows = [
        {
            "step": step.name,
            "stage": step.stage,
            "inputs": {port: [f"{s}.{o}" for s, o in links] for port, links in step.inputs.items()},
            "config": configs[step.slot].model_dump(mode="json"),
        }
        for step in recipe.steps()
    ]
    if args.json:
        print(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        inputs = "; ".join(f"{port} <- {', '.join(links)}" for port, links in row["inputs"].items())  # type: ignore[attr-defined]
        print(f"{row['step']:<22} {inputs}")
