"""Settings of the decontaminate stage."""

from pydantic import Field

from components.benchmarks.config import BenchmarkConfig
from components.core.config import StrictConfig
from components.text.embedding_config import EmbeddingConfig


class DecontaminateConfig(StrictConfig):
    """Which benchmarks must not stand in the pool, and what counts as standing in it. Paper, section 6.1: math is
    checked against AIME24 and AIME25 (no scheme is given); thresholds here were measured on real copies."""

    benchmarks: tuple[BenchmarkConfig, ...] = ()
    """Benchmarks to keep out of the pool; none makes the step a pass-through."""
    root: str = ""
    """Folder that relative local paths of the benchmarks start from (`data.root` of a recipe)."""
    ngram: bool = True
    """Whether rows that hold a benchmark problem's words go (`benchmark_ngram`)."""
    ngram_tokens: int = Field(default=5, ge=1)
    """Tokens per n-gram. Letters and point labels count by their first appearance in the n-gram, not by name."""
    min_coverage: float = Field(default=0.5, gt=0, le=1)
    """Least share of a benchmark problem's n-grams that a row must hold, rare n-grams weighing more."""
    short_ngrams: int = Field(default=40, ge=0)
    """A benchmark problem with fewer n-grams than this is short: one other word makes another problem of it."""
    min_coverage_short: float = Field(default=0.9, gt=0, le=1)
    """Least coverage of a short benchmark problem where neither answer nor tests confirm the copy; its given numbers
    must then be the same too."""
    review_coverage: float = Field(default=0.3, gt=0, le=1)
    """From this coverage on, a kept row carries the nearest benchmark problem in its metadata for a reader to judge."""
    min_number_share: float = Field(default=0.8, gt=0, le=1)
    """Least share of the benchmark problem's given numbers in a row with the same answer that counts as a copy."""
    numbers_answer: bool = True
    """Whether rows with the same answer and given numbers go (`benchmark_numbers_answer`)."""
    min_given_numbers: int = Field(default=3, ge=1)
    """Fewest given numbers of a benchmark problem for the rule above: two may agree by chance."""
    max_extra_numbers: float = Field(default=2.0, ge=1)
    """For the rule above: most numbers of a row, as a multiple of the benchmark problem's. A long row holds any few
    small numbers by chance."""
    min_word_share: float = Field(default=0.25, ge=0, le=1)
    """For the rule above: least share of the benchmark problem's words, rare words weighing more."""
    embedding: bool = True
    """Whether rows with the same answer, most of the numbers and a like meaning go (`benchmark_embedding`)."""
    min_cosine: float = Field(default=0.6, gt=0, le=1)
    """Least cosine between a window of the row and a window of the benchmark problem, for the rule above."""
    embedding_number_share: float = Field(default=0.8, ge=0, le=1)
    """Least share of the benchmark problem's given numbers, for the rule above."""
    drop_variants: bool = True
    """Whether rows with the words of a benchmark problem but other numbers go (`benchmark_variant`). If not, they stay
    and carry the problem in their metadata."""
    encoder: EmbeddingConfig = EmbeddingConfig()
    """The sentence encoder."""
