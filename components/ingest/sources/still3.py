"""STILL-3-Preview-RL (RUC-AIBOX/STILL-3-Preview-RL-Data): questions with an answer and no solution."""

from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row
from components.ingest.sources.fields import answers_of, statement_of


def adapt(row: Row, config: IngestConfig) -> Draft:
    return Draft(statement=statement_of(row, "question"), answers=answers_of(row, "answer"))


ADAPTER = Adapter(
    domain=lambda config: "math",
    required=lambda config: ("question", "answer"),
    adapt=adapt,
    example={"question": "What is the greatest common divisor of 84 and 126?", "answer": "42"},
)
