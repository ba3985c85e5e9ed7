"""`or1 compile`: the graph as a file for Kubeflow."""

import argparse
import json

from components.core.errors import ConfigError
from pipelines.recipe import expand, load_recipe


def compile_(args: argparse.Namespace) -> None:
    recipe = load_recipe(args.recipe, args.set)
    expand(recipe)
    if not args.output.endswith((".yaml", ".yml")):
        raise ConfigError(f"--output {args.output}: the compiler writes .yaml files")
    from pipelines.graph import compile_pipeline

    compile_pipeline(recipe, args.output, manifest=args.format == "manifest")
    print(json.dumps({"output": args.output}) if args.json else args.output)
