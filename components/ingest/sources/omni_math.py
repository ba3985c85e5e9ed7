"""Omni-MATH (KbsdJames/Omni-MATH): olympiad problems with a domain tree and a difficulty from 1 to 10."""

from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row
from components.ingest.sources.fields import answers_of, pick, solutions_of, statement_of


def adapt(row: Row, config: IngestConfig) -> Draft:
    named = {"subject": row.get("domain"), "difficulty": row.get("difficulty"), "subset": row.get("source")}
    return Draft(
        statement=statement_of(row, "problem"),
        answers=answers_of(row, "answer"),
        solutions=solutions_of(row, "solution"),
        metadata=pick(named, named),
    )


ADAPTER = Adapter(
    domain=lambda config: "math",
    required=lambda config: ("problem", "solution", "answer"),
    adapt=adapt,
    example={
        "domain": ["Mathematics -> Discrete Mathematics -> Combinatorics"],
        "difficulty": 4.5,
        "problem": "How many subsets of $\\{1,2,3,4,5\\}$ have an even number of elements?",
        "solution": "Half of all $2^5$ subsets, so \\boxed{16}.",
        "answer": "16",
        "source": "HMMT_2",
    },
)
