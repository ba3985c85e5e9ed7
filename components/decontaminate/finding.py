"""What ties a row to a benchmark problem."""

from dataclasses import dataclass, replace
from typing import Any

from components.core.records import Problem

EXCERPT_CHARS = 300
STRENGTH = ("benchmark_ngram", "benchmark_numbers_answer", "benchmark_embedding", "benchmark_variant", "review")


@dataclass(frozen=True, slots=True)
class Finding:
    """`similarity` is a coverage, a share of numbers or a cosine, by rule."""

    rule: str
    benchmark: Problem
    similarity: float
    coverage: float
    number_share: float
    same_answer: bool

    def evidence(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "benchmark": self.benchmark.source.name,
            "benchmark_problem_id": self.benchmark.problem_id,
            "benchmark_row": self.benchmark.source.row,
            "benchmark_statement": self.benchmark.statement[:EXCERPT_CHARS],
            "similarity": round(self.similarity, 4),
            "coverage": round(self.coverage, 4),
            "number_share": round(self.number_share, 4),
            "same_answer": self.same_answer,
        }


def strongest(findings: list[Finding]) -> Finding | None:
    """The finding by the strongest rule, then the most similar, then the first benchmark problem."""
    return min(findings, key=lambda f: (STRENGTH.index(f.rule), -round(f.similarity, 4)), default=None)


def with_statement(evidence: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """Evidence that shows both texts side by side."""
    return {**evidence, "statement": problem.statement[:EXCERPT_CHARS]}


def renamed(finding: Finding, rule: str, similarity: float) -> Finding:
    return replace(finding, rule=rule, similarity=similarity)
