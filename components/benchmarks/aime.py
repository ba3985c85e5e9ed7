"""AIME and its like: statements with one whole number as the answer, in the formats that evaluation files use.

Skywork-OR1     prompt [{role, content}], reward_model {ground_truth}, extra_info
DeepScaleR      problem, answer, year, difficulty
NeMo-Skills     problem, expected_answer
own, others     problem or question, answer; family, difficulty, date where present
"""

import re
from typing import Any

from components.benchmarks.config import BenchmarkConfig
from components.benchmarks.entry import Entry, text_at

STATEMENT_COLUMNS = ("problem", "question", "Question")
ANSWER_COLUMNS = ("answer", "expected_answer", "Answer")
METADATA = ("family", "difficulty", "date", "year", "id", "aime_number", "problem_number")
_UNIT = re.compile(r"\s*(\^\s*\{?\s*\\circ\s*\}?|\\degree|°)\s*$")
_WHOLE = re.compile(r"\d+")


def read_entry(row: dict[str, Any], config: BenchmarkConfig) -> Entry:
    """Raises ValueError naming the column that is missing or wrong."""
    statement = _statement(row)
    if config.strip_suffix:
        statement = statement.removesuffix(config.strip_suffix).rstrip()
    if not statement.strip():
        raise ValueError("the statement is empty")
    metadata = {name: row[name] for name in METADATA if row.get(name) is not None}
    return Entry(statement, answers=spellings(_gold(row)), metadata=metadata)


def _statement(row: dict[str, Any]) -> str:
    messages = row.get("prompt")
    if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], dict):
        return text_at(messages[0], ("content",))
    return text_at(row, STATEMENT_COLUMNS)


def _gold(row: dict[str, Any]) -> str:
    reward = row.get("reward_model")
    if isinstance(reward, dict):
        return text_at(reward, ("ground_truth",))
    return text_at(row, ANSWER_COLUMNS)


def spellings(gold: str) -> tuple[str, ...]:
    """The plain number first, then the file's own spelling where it differs: `025` gives `25`, `025`. A degree
    sign goes too. Raises ValueError when no whole number remains."""
    gold = gold.strip()
    number = _UNIT.sub("", gold.strip("$ "))
    if not _WHOLE.fullmatch(number):
        raise ValueError(f"the answer '{gold[:40]}' is not a whole number")
    return tuple(dict.fromkeys((number.lstrip("0") or "0", gold)))
