"""Why a row goes: the reason, and the kept row that it repeats as evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from components.core.records import Problem

EXCERPT_CHARS = 200
MAX_NAMED_ROWS = 5


@dataclass(frozen=True, slots=True)
class Removal:
    """One row's removal."""

    reason: str
    evidence: dict[str, Any]


def removal(reason: str, kept: Problem, similarity: float) -> Removal:
    """The row repeats `kept`, which stays. Similarity: 1.0, a Jaccard similarity or a cosine, by reason."""
    evidence: dict[str, Any] = {
        "kept_row_id": kept.row_id,
        "kept_source": kept.source.name,
        "kept_statement": kept.statement[:EXCERPT_CHARS],
        "similarity": round(similarity, 4),
    }
    return Removal(reason, evidence)


def conflict(problems: Sequence[Problem], index: int, others: list[int]) -> Removal:
    """The row's statement stands elsewhere with another answer."""
    named = others[:MAX_NAMED_ROWS]
    evidence: dict[str, Any] = {
        "answers": list(problems[index].answers),
        "other_row_ids": [problems[i].row_id for i in named],
        "other_sources": [problems[i].source.name for i in named],
        "other_answers": [list(problems[i].answers) for i in named],
        "other_rows": len(others),
    }
    return Removal("conflicting_answers", evidence)
