"""Finished outputs go to the places that the caller named, whole or not at all, and never on top of something else."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.core.digest import MANIFEST_NAME
from components.core.errors import ConfigError
from components.core.ports import SUFFIX, Port, main_file


def require_free_places(ports: Sequence[Port], outputs: Mapping[str, Path], inputs: Mapping[str, Any]) -> None:
    """Raises ConfigError naming the first output that would destroy something: an input, another output, or a folder
    that holds other things than an artifact."""
    read = {_real(place): name for name, place in _places(inputs)}
    written: dict[Path, str] = {}
    for port in ports:
        target = outputs[port.name]
        _require_own_kind(port, target)
        place = _real(target)
        for other, name in read.items():
            if place == other or place in other.parents:
                raise ConfigError(f"output '{port.name}': {target} holds the input '{name}'; choose another place")
        for other, name in written.items():
            if place == other or place in other.parents or other in place.parents:
                raise ConfigError(f"outputs '{name}' and '{port.name}' lie in each other at {target}; name two places")
        written[place] = port.name


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _places(inputs: Mapping[str, Any]) -> list[tuple[str, Path]]:
    many = {name: value if isinstance(value, list) else [value] for name, value in inputs.items()}
    return [(name, path) for name, paths in many.items() for path in paths if path is not None]


def _require_own_kind(port: Port, target: Path) -> None:
    is_file = names_file(port, target)
    if target.suffix in SUFFIX.values() and target.suffix != SUFFIX.get(port.kind):
        wanted = f"a {SUFFIX[port.kind]} file or a folder" if port.kind in SUFFIX else "a folder"
        raise ConfigError(f"output '{port.name}': {target} is not {wanted}, which it has to be")
    if is_file and target.is_dir():
        raise ConfigError(f"output '{port.name}': {target} is a folder; name a file, or a folder without that ending")
    if is_file or not target.exists():
        return
    if not target.is_dir():
        raise ConfigError(f"output '{port.name}': {target} is a file; name a folder, or remove the file")
    if any(target.iterdir()) and not (target / MANIFEST_NAME).exists():
        raise ConfigError(
            f"output '{port.name}': {target} holds files that are no artifact of this project; "
            "choose a new or empty folder"
        )


def names_file(port: Port, target: Path) -> bool:
    """Does this output path ask for the one file (with its manifest beside it), not for the port folder?"""
    return port.kind in SUFFIX and target.suffix == SUFFIX[port.kind]


def deliver(ports: Sequence[Port], finished: Path, outputs: Mapping[str, Path]) -> None:
    """Put the finished port folders where the caller wants them (hard links where the disk allows). Each is built
    beside its place and renamed."""
    for port in ports:
        source, target = finished / port.name, outputs[port.name]
        target.parent.mkdir(parents=True, exist_ok=True)
        if names_file(port, target):
            _place_file(source / MANIFEST_NAME, target.with_name(f"{target.stem}.{MANIFEST_NAME}"))
            _place_file(main_file(source, port), target)
        else:
            _place_folder(source, target)


def _place_file(source: Path, target: Path) -> None:
    building = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _link(source, building)
        building.replace(target)
    finally:
        building.unlink(missing_ok=True)


def _place_folder(source: Path, target: Path) -> None:
    building = target.with_name(f".{target.name}.{os.getpid()}.part")
    shutil.rmtree(building, ignore_errors=True)
    try:
        shutil.copytree(source, building, copy_function=_link)
        if target.exists():
            shutil.rmtree(target)
        building.rename(target)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _link(source: Any, target: Any) -> Any:
    """Hard link (artifacts are never changed in place), or copy across file systems."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target
