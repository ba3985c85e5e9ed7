"""`or1 stage NAME`: one stage on files, the same function as in the graph."""

import argparse
import json
from pathlib import Path
from typing import Any

import yaml

from components.core.errors import ConfigError
from components.core.step import execute
from pipelines.stage_catalog import stage_of


def stage(args: argparse.Namespace) -> None:
    chosen = stage_of(args.name)
    inputs: dict[str, Any] = {}
    for port, path in _pairs(args.input, "--input"):
        inputs.setdefault(port, []).append(path)
    many = {port.name for port in chosen.inputs if port.many}
    located = {port: paths if port in many or len(paths) > 1 else paths[0] for port, paths in inputs.items()}
    outputs: dict[str, Path] = {}
    for port, path in _pairs(args.output, "--output"):
        if port in outputs:
            raise ConfigError(f"--output {port}: given twice")
        outputs[port] = path
    result = execute(chosen, args.name, _config_text(args.config), located, outputs)
    summary = {"step": args.name, "key": result.key, "counts": result.counts, "digests": result.digests}
    if args.json:
        print(json.dumps(summary, ensure_ascii=False))
    else:
        print(json.dumps(summary, ensure_ascii=False, indent=1))


def _pairs(groups: list[list[str]], option: str) -> list[tuple[str, Path]]:
    pairs = []
    for text in (item for group in groups for item in group):
        port, equals, path = text.partition("=")
        if not equals or not path:
            raise ConfigError(f"{option} {text}: expected PORT=PATH")
        pairs.append((port, Path(path)))
    return pairs


def _config_text(given: str) -> str:
    """JSON text of the settings, from JSON on the command line or from a JSON or YAML file."""
    if given.lstrip().startswith("{"):
        return given
    path = Path(given)
    if not path.is_file():
        raise ConfigError(f"--config {given}: no such file (and not a JSON object)")
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"--config {given}: neither JSON nor YAML ({error})") from error
    try:
        return json.dumps(value if value is not None else {})
    except (TypeError, ValueError) as error:
        raise ConfigError(f"--config {given}: holds what JSON has not ({error}); put quotes around it") from error
