"""The promotion gate: is this model better than the one it started from?"""

import math
from typing import Any

from components.core.statistics import compare_scores
from components.register.config import GateConfig


def compare(base: dict[str, Any] | None, final: dict[str, Any]) -> dict[str, Any]:
    """Benchmark -> {"domain", "avg_at_k", "num_samples", "infra_error_share"} and, when the base has it too, "base",
    "gain", "interval" (paired, 95 %). Arguments are two scores.json."""
    summary: dict[str, Any] = {}
    gained = compare_scores(base, final) if base else {}
    for name, scores in sorted(final["benchmarks"].items()):
        total = scores["num_problems"] * scores["num_samples"]
        row = {"domain": scores["domain"], "avg_at_k": scores["avg_at_k"], "num_samples": scores["num_samples"]}
        row["infra_error_share"] = scores.get("infra_errors", 0) / total if total else 0.0
        if base and name in gained:
            paired = gained[name]
            row.update(base=base["benchmarks"][name]["avg_at_k"], gain=paired["gain"], interval=paired["interval"])
        summary[name] = row
    return summary


def decide(gate: GateConfig, summary: dict[str, Any]) -> tuple[bool, list[str]]:
    """Promoted or not, with a sentence for each rule that was looked at (those that failed first)."""
    failed: list[str] = []
    passed: list[str] = []
    for name in gate.required_benchmarks:
        if "gain" not in summary.get(name, {}):
            failed.append(f"benchmark {name} is required and was not evaluated for both models")
    for name, row in summary.items():
        if row["infra_error_share"] > gate.max_infra_error_share:
            share = f"{row['infra_error_share']:.1%}"
            failed.append(f"benchmark {name} lost {share} of its samples to failures of the graders")
    for wanted, least in sorted(gate.min_gain.items()):
        ok, reason = _gain_rule(gate, summary, wanted, least)
        (passed if ok else failed).append(reason)
    return not failed, failed + passed


def _gain_rule(gate: GateConfig, summary: dict[str, Any], wanted: str, least: float) -> tuple[bool, str]:
    rows = [r for n, r in summary.items() if wanted in (n, r["domain"]) and "gain" in r]
    if not rows:
        return False, f"{wanted}: no benchmark was evaluated for both the base and this model"
    gain = math.fsum(r["gain"] for r in rows) / len(rows)
    said = f"{wanted}: gain {gain:+.4f} over the base"
    if gain < least:
        return False, f"{said} is below {least:+.4f}"
    lowest = min(r["interval"][0] for r in rows)
    if gate.interval_above_zero and lowest <= 0:
        return False, f"{said}, but its interval begins at {lowest:+.4f}"
    return True, f"{said} is at least {least:+.4f}"
