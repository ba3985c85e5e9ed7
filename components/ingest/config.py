"""Settings of the ingest stage: one step for each source."""

from typing import Literal

from pydantic import Field, model_validator

from components.benchmarks.config import RawFiles
from components.core.config import StrictConfig

NUMINAMATH_SUBSETS = (
    "amc_aime", "olympiads", "olympiads_ref", "aops_forum", "cn_contest", "inequalities", "number_theory",
)  # fmt: skip
"""The subsets of NuminaMath-1.5 that Skywork-OR1 selects (paper, section 6.1)."""


class ColumnMapping(StrictConfig):
    """Adapter `columns`: which column of a local file is what. A dotted name reaches inside, e.g.
    `reward_model.ground_truth` or `prompt.0.content`."""

    domain: Literal["math", "code"] = "math"
    """Domain of every row."""
    statement: str = "problem"
    """Column of the problem text."""
    strip_prefix: str = ""
    """Text taken off the start of a statement where it stands there, such as an instruction that a file adds."""
    strip_suffix: str = ""
    """Text taken off the end of a statement where it stands there: the prompt says how to answer, not the problem."""
    answer: str = ""
    """Column of the reference answer, a string, a number or a list of strings; empty for none."""
    answer_is_json: bool = False
    """The answer column holds the text of a JSON list of answers, as in Skywork-OR1-RL-Data."""
    solution: str = ""
    """Column of the solution: a text, a list of texts, or a list written as text (code only); empty for none."""
    tests: str = ""
    """Column of the tests, in any shape that `components.benchmarks.test_specs` knows; empty for none."""
    starter_code: str = ""
    """Column of the code that a program must start from; empty for none."""
    entry_point: str = ""
    """Column of the expression handed to a `check` function; with it `tests` is that function's source."""
    import_prefix: str = ""
    """Column of the imports that stand before a checked program; empty for none."""
    metadata: tuple[str, ...] = ()
    """Columns that are kept as metadata, for the rules of later stages."""


class IngestConfig(RawFiles):
    """One source of raw rows and the adapter that reads its columns."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    """Name of the source in the recipe; part of every row id."""
    adapter: Literal["numinamath", "deepscaler", "still3", "omni_math", "aime_history", "leetcode", "taco", "columns"]
    """Which published schema the rows have; see `sources/catalog.py`."""
    enabled: bool = True
    """false: the step reads nothing and hands on no rows."""
    root: str = ""
    """Folder that relative local paths start from (`data.root` of a recipe)."""
    licence: str = ""
    """Licence of the rows as their publisher states it."""
    url: str = ""
    """Where the source is published."""
    max_rows: int | None = Field(default=None, ge=1)
    """Read only this many rows, from the first; null for all."""
    columns: ColumnMapping = ColumnMapping()
    """Adapter `columns` only: what each column is."""
    subsets: tuple[str, ...] = NUMINAMATH_SUBSETS
    """Adapter `numinamath` only: values of its `source` column that are kept (paper, section 6.1)."""
    last_year: int = 2023
    """Adapter `aime_history` only: later problems are dropped, so that no AIME 2024 or 2025 is trained on."""

    @model_validator(mode="after")
    def _code_needs_tests(self) -> "IngestConfig":
        if self.adapter == "columns" and self.columns.domain == "code" and not self.columns.tests:
            raise ValueError("columns.tests must name a column for domain code")
        return self
