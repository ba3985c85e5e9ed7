"""Settings of a benchmark, and of the files that benchmarks and sources are read from."""

import re
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from components.core.config import StrictConfig

BUNDLED = "bundled:"
"""Prefix of a path that lies in the package's own `components/world/data`."""


class DataFile(StrictConfig):
    """One raw file. In a recipe a plain string stands for `{path: STRING}`."""

    path: str = Field(min_length=1)
    """Local path, `bundled:NAME`, or the file's name in the hub repository. `*` stands for any run of characters;
    the files it finds are read in the order of their names."""
    sha256: str = ""
    """Expected digest of the file; empty for no check."""

    @field_validator("sha256")
    @classmethod
    def _is_digest(cls, value: str) -> str:
        if value and not re.fullmatch(r"[0-9a-f]{64}", value):
            raise ValueError("must be 64 lower-case hex digits")
        return value


class RawFiles(StrictConfig):
    """Where raw rows are read from: local files, or files of a data set on the hub at a pinned commit."""

    files: tuple[DataFile, ...] = Field(min_length=1)
    """Files in reading order: .jsonl, .json, .csv (each also .gz), .parquet or .arrow."""
    dataset: str = ""
    """Hub data set such as `AI-MO/NuminaMath-1.5`; empty for local files. Data files are read directly, a loading
    script is never run."""
    revision: str = ""
    """Commit of the hub data set, 40 hex digits: a branch name would not say what was read."""

    @field_validator("files", mode="before")
    @classmethod
    def _paths_as_files(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [{"path": item} if isinstance(item, str) else item for item in value]
        return value

    @model_validator(mode="after")
    def _pinned(self) -> "RawFiles":
        if self.dataset and not re.fullmatch(r"[0-9a-f]{40}", self.revision):
            raise ValueError(f"data set {self.dataset} needs 'revision', a commit of 40 hex digits")
        if self.revision and not self.dataset:
            raise ValueError("'revision' needs 'dataset'")
        return self


class BenchmarkConfig(RawFiles):
    """One benchmark. Its problems get `source.name` = `name`."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    """Name in scores and metrics, e.g. `aime24`."""
    kind: Literal["aime", "livecodebench", "tiny_math", "tiny_code"]
    """Format of the files; see `catalog.py`."""
    num_samples: int = Field(default=32, ge=1)
    """Responses sampled for each problem: 32 for AIME, 4 for LiveCodeBench (paper, section 8.1)."""
    expected_problems: int | None = Field(default=None, ge=1)
    """Number of problems that must come out, so that a half-read file is seen; null for no check."""
    licence: str = ""
    """Licence of the texts, for lineage."""
    url: str = ""
    """Where the benchmark comes from, for lineage."""
    strip_suffix: str = ""
    """aime: text taken off the end of a statement where it stands there, such as an instruction that a file adds."""
    start_date: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    """livecodebench: first contest date of the window, inclusive (paper: 2024-08-01); empty for no limit."""
    end_date: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    """livecodebench: last contest date of the window, inclusive (paper: 2025-02-01); empty for no limit."""
    public_tests_only: bool = False
    """livecodebench: use the public tests alone, for files that come without the private ones."""
    max_private_tests_mb: int = Field(default=512, ge=1)
    """livecodebench: largest unpacked size of one problem's private tests."""
