"""Settings of the dedup stage."""

from pydantic import Field, model_validator

from components.core.config import StrictConfig
from components.text.embedding_config import EmbeddingConfig


class DedupConfig(StrictConfig):
    """Exact, MinHash and embedding dedup. Paper, section 6.1 (no threshold or encoder is given there)."""

    near: bool = True
    """Whether MinHash looks for near duplicates."""
    shingle_tokens: int = Field(default=3, ge=1)
    """Tokens per shingle."""
    bands: int = Field(default=20, ge=1)
    """Bands of the MinHash index."""
    rows_per_band: int = Field(default=6, ge=1)
    """Signature values per band. 20 bands of 6 find 99.8% of pairs of Jaccard similarity 0.8."""
    min_jaccard: float = Field(default=0.8, gt=0, le=1)
    """Least exact Jaccard similarity of a near duplicate (candidates are checked, never trusted)."""
    seed: int = Field(default=1, ge=0)
    """Seed of the MinHash permutations."""
    semantic: bool = True
    """Whether sentence vectors look for reworded duplicates."""
    min_cosine: float = Field(default=0.9, gt=0, le=1)
    """Least cosine of a reworded duplicate."""
    confirm: bool = True
    """Whether a near or reworded duplicate must also have the same given numbers and answer (math), or the same
    interface and agreeing tests (code; see `sameness.py`). Without it, two problems from one template count as one."""
    min_shared_tests: int = Field(default=2, ge=1)
    """Code: inputs that two problems must have in common, with equal outputs, to be confirmed by their tests; never
    fewer than half of the inputs of the one with fewer."""
    min_jaccard_untested: float = Field(default=0.95, gt=0, le=1)
    """Code: least Jaccard similarity that confirms a near duplicate where tests cannot tell."""
    embedding: EmbeddingConfig = EmbeddingConfig()
    """The sentence encoder."""

    @model_validator(mode="after")
    def _few_permutations(self) -> "DedupConfig":
        if self.bands * self.rows_per_band > 1024:
            raise ValueError("bands x rows_per_band must be at most 1024")
        return self
