"""Rows of `or1 grade`: JSON objects in, verdict objects out, in order. A bad row is an answer, not an exception."""

from typing import Any

from components.core.records import Domain, Verdict
from components.verify.catalog import Grader
from components.verify.config import VerifierConfig
from components.verify.requests import GradeRequest


def grade_math_rows(rows: list[dict[str, Any]], config: VerifierConfig) -> list[dict[str, Any]]:
    """Rows `id`, `response`, `gold` (text or list; list = any of), optional `finish_reason`; out `id`, `correct`,
    `status`, `reason`, `extracted`."""
    return _grade_rows(rows, config, "math")


def grade_code_rows(rows: list[dict[str, Any]], config: VerifierConfig) -> list[dict[str, Any]]:
    """Rows `id`, `response` or `code`, `tests`; out as for math, with `tests` (a status each)."""
    return _grade_rows(rows, config, "code")


def _grade_rows(rows: list[dict[str, Any]], config: VerifierConfig, domain: Domain) -> list[dict[str, Any]]:
    asked = [_request(row, domain) for row in rows]
    with Grader(config) as grader:
        graded = iter(grader.grade([request for request in asked if isinstance(request, GradeRequest)]))
    verdicts = [next(graded) if isinstance(request, GradeRequest) else request for request in asked]
    return [_result(row, verdict, domain) for row, verdict in zip(rows, verdicts, strict=True)]


def _request(row: Any, domain: Domain) -> GradeRequest | Verdict:
    """The request of a row, or the verdict `invalid` naming the field that is wrong."""
    if not isinstance(row, dict):
        return Verdict("invalid", "row is not an object")
    response, code = row.get("response"), row.get("code")
    subject = code if domain == "code" and code is not None else response
    if not isinstance(subject, str):
        return Verdict(
            "invalid", f"field '{'response or code' if domain == 'code' else 'response'}' is missing or not text"
        )
    finish_reason = row.get("finish_reason") or "stop"
    if finish_reason not in ("stop", "length"):
        return Verdict("invalid", "field 'finish_reason' is neither stop nor length")
    if domain == "code":
        return GradeRequest("code", response or "", (), row.get("tests"), finish_reason, code=code)
    gold = row.get("gold")
    golds = gold if isinstance(gold, list) else [gold]
    if not golds or not all(isinstance(g, str | int | float) and not isinstance(g, bool) for g in golds):
        return Verdict("invalid", "field 'gold' is missing or neither text nor a list of texts")
    return GradeRequest("math", subject, tuple(str(g) for g in golds), None, finish_reason)


def _result(row: Any, verdict: Verdict, domain: Domain) -> dict[str, Any]:
    result: dict[str, Any] = {
        "id": row.get("id") if isinstance(row, dict) else None,
        "correct": verdict.is_correct,
        "status": verdict.status,
        "reason": verdict.reason,
        "extracted": verdict.extracted,
    }
    return result | {"tests": list(verdict.tests)} if domain == "code" else result
