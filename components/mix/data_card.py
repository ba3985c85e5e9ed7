"""What is in the training set: counts by source, licence, domain and difficulty, with the settings that made it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from components.core.records import Dropped, Problem
from components.mix.config import MixConfig

FORMAT = "or1-data-card/1"
HISTOGRAM_BINS = 10
QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


def data_card(kept: list[Problem], over_quota: list[Dropped], config: MixConfig) -> dict[str, Any]:
    """The card as JSON values. It says nothing of when or where it was made."""
    return {
        "format": FORMAT,
        "settings": config.model_dump(mode="json"),
        "problems": len(kept),
        "distinct_problems": len({p.problem_id for p in kept}),
        "examples_per_epoch": sum(p.metadata["repeat"] for p in kept if p.metadata["split"] == "train"),
        "by_domain": _count(p.domain for p in kept),
        "by_split": _count(p.metadata["split"] for p in kept),
        "by_split_and_domain": _count(f"{p.metadata['split']}/{p.domain}" for p in kept),
        "by_licence": _count(p.source.licence or "unknown" for p in kept),
        "by_answer_status": _count(p.answer_status or "unknown" for p in kept),
        "sources": _sources(kept),
        "pass_rate": {d: _pass_rates([p for p in kept if p.domain == d]) for d in sorted({p.domain for p in kept})},
        "statement_chars": _quantiles([len(p.statement) for p in kept]),
        "over_quota": {"problems": len(over_quota), "row_ids": [d.row_id for d in over_quota]},
    }


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _sources(kept: list[Problem]) -> list[dict[str, Any]]:
    """One entry a source and revision, sorted by name."""
    groups: dict[tuple[str, str, str, str], list[Problem]] = {}
    for p in kept:
        groups.setdefault((p.source.name, p.source.revision, p.source.licence, p.source.url), []).append(p)
    return [
        {
            "name": name,
            "revision": revision,
            "licence": licence or "unknown",
            "url": url,
            "problems": len(rows),
            "by_domain": _count(p.domain for p in rows),
        }
        for (name, revision, licence, url), rows in sorted(groups.items())
    ]


def _pass_rates(problems: list[Problem]) -> dict[str, Any]:
    """Histogram over [0, 1]; a rate on a border counts in the upper bin, 1.0 in the last."""
    rates = [p.pass_rate for p in problems if p.pass_rate is not None]
    counts = Counter(min(int(rate * HISTOGRAM_BINS + 1e-9), HISTOGRAM_BINS - 1) for rate in rates)
    bins = [
        {"from": i / HISTOGRAM_BINS, "to": (i + 1) / HISTOGRAM_BINS, "problems": counts[i]}
        for i in range(HISTOGRAM_BINS)
    ]
    mean = round(sum(rates) / len(rates), 6) if rates else None
    return {"histogram": bins, "mean": mean, "unknown": len(problems) - len(rates)}


def _quantiles(values: list[int]) -> dict[str, int]:
    """Values at fixed ranks (nearest below)."""
    ordered = sorted(values)
    return {f"{q:g}": ordered[int(q * (len(ordered) - 1))] for q in QUANTILES}
