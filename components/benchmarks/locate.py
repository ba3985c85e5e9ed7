"""From the files a config names to files on this disk: bundled, below a root, or fetched from the hub."""

import fnmatch
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.benchmarks.config import BUNDLED, DataFile, RawFiles
from components.core.digest import sha256_file
from components.core.errors import DataError, InfraError

log = logging.getLogger(__name__)

BUNDLED_FOLDER = Path(__file__).resolve().parents[1] / "world" / "data"


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A raw file on this disk. `revision` is the hub commit, or `sha256:…` of a local file."""

    path: Path
    revision: str


def locate(config: RawFiles, root: Path | None = None) -> list[LocatedFile]:
    """Find (or fetch) every file and check the digests the config gives.

    Raises DataError for a missing file or a wrong digest, InfraError when the hub cannot be reached.
    """
    found = []
    for file in config.files:
        paths = _fetch(config, file) if config.dataset else _local_paths(file, root)
        if file.sha256 and len(paths) > 1:
            raise DataError(f"{file.path}: sha256 is given, but the pattern finds {len(paths)} files; list them")
        for path in paths:
            digest = "" if config.dataset and not file.sha256 else _digest(path)
            if file.sha256 and digest != file.sha256:
                raise DataError(f"{path}: its sha256 is {digest}, expected {file.sha256}: the file was changed")
            found.append(LocatedFile(path, config.revision or f"sha256:{digest}"))
    return found


def _digest(path: Path) -> str:
    try:
        return sha256_file(path)
    except OSError as error:
        raise DataError(f"{path}: could not be read ({error.strerror or error})") from error


def _base(file: DataFile, root: Path | None) -> Path:
    if file.path.startswith(BUNDLED):
        return BUNDLED_FOLDER
    return root or Path()


def _local_paths(file: DataFile, root: Path | None) -> list[Path]:
    base, name = _base(file, root), file.path.removeprefix(BUNDLED)
    if "*" not in name:
        path = base / name
        if not path.is_file():
            raise DataError(f"{path}: no such file; check the path, and data.root if the path is relative")
        return [path]
    if Path(name).is_absolute():
        base, name = Path("/"), name.removeprefix("/")
    paths = sorted(p for p in base.glob(name) if p.is_file())
    if not paths:
        raise DataError(f"{base / name}: no file matches; check the pattern, and data.root if the path is relative")
    return paths


def _fetch(config: RawFiles, file: DataFile) -> list[Path]:
    """Download data files of a hub data set at the pinned commit (kept in the hub library's own cache)."""
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    # The HTTP library below the hub client changes with its version, and its base error with it.
    http_error: type[Exception] = next(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception))
    where: dict[str, Any] = {"repo_id": config.dataset, "repo_type": "dataset", "revision": config.revision}
    try:
        names = [file.path]
        if "*" in file.path:
            names = sorted(fnmatch.filter(HfApi().list_repo_files(**where), file.path))
        if not names:
            raise DataError(f"data set {config.dataset} at {config.revision}: no file matches '{file.path}'")
        log.info("%s: fetching %d files at %s", config.dataset, len(names), config.revision[:12])
        return [Path(hf_hub_download(filename=name, **where)) for name in names]
    except (RepositoryNotFoundError, RevisionNotFoundError, RemoteEntryNotFoundError) as error:
        raise DataError(
            f"data set {config.dataset} at {config.revision}: '{file.path}' was not found; check name and revision"
        ) from error
    except (OSError, LocalEntryNotFoundError, http_error) as error:
        raise InfraError(
            f"data set {config.dataset}: '{file.path}' could not be fetched ({type(error).__name__}); check the "
            "network, or use local files"
        ) from error
