"""DeepScaleR-Preview (agentica-org/DeepScaleR-Preview-Dataset): AIME, AMC, Omni-MATH and STILL, merged."""

from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row
from components.ingest.sources.fields import answers_of, solutions_of, statement_of


def adapt(row: Row, config: IngestConfig) -> Draft:
    return Draft(
        statement=statement_of(row, "problem"),
        answers=answers_of(row, "answer"),
        solutions=solutions_of(row, "solution"),
    )


ADAPTER = Adapter(
    domain=lambda config: "math",
    required=lambda config: ("problem", "answer", "solution"),
    adapt=adapt,
    example={
        "problem": "A square has area $49$. What is its perimeter?",
        "answer": "28",
        "solution": "The side is $7$, so the perimeter is $4 \\cdot 7 = \\boxed{28}$.",
    },
)
