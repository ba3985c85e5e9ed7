"""Ports: the named inputs and outputs of a stage, and the file that each kind stands for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from components.core.errors import DataError

Kind = Literal["table", "json", "jsonl", "model", "folder"]
SUFFIX = {"table": ".parquet", "json": ".json", "jsonl": ".jsonl"}


@dataclass(frozen=True)
class Port:
    """One input or output of a stage. Kind decides the file: NAME.parquet, NAME.json, NAME.jsonl, or a folder
    (a model folder holds model.json and the files it lists)."""

    name: str
    kind: Kind = "table"
    many: bool = False
    optional: bool = False


def main_file(folder: Path, port: Port) -> Path:
    """The file inside a port folder that a stage reads or writes; the folder itself for model and folder ports."""
    return folder / f"{port.name}{SUFFIX[port.kind]}" if port.kind in SUFFIX else folder


def locate_input(path: Path, port: Port) -> Path:
    """Find a port's main file from a path that names the file or the port folder. Raises DataError."""
    if not path.exists():
        raise DataError(f"input '{port.name}': {path} does not exist")
    if port.kind in SUFFIX and path.is_dir():
        files = [p for p in sorted(path.glob(f"*{SUFFIX[port.kind]}")) if p.name != "lineage.json"]
        if len(files) != 1:
            raise DataError(f"input '{port.name}': {path} holds {len(files)} {SUFFIX[port.kind]} files, expected one")
        return files[0]
    if port.kind == "model" and path.name == "model.json":
        return path.resolve().parent
    return path
