"""NuminaMath-1.5 (AI-MO/NuminaMath-1.5): competition problems with solutions, in subsets named by `source`."""

from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row, RowRefused
from components.ingest.sources.fields import answers_of, excerpt, pick, solutions_of, statement_of, text_of

COLUMNS = ("problem", "solution", "answer", "source")
METADATA = ("problem_type", "question_type", "problem_is_valid", "solution_is_valid", "synthetic")


def adapt(row: Row, config: IngestConfig) -> Draft:
    statement, subset = statement_of(row, "problem"), text_of(row, "source")
    if subset not in config.subsets:
        raise RowRefused("subset_not_selected", subset=excerpt(subset))
    return Draft(
        statement=statement,
        answers=answers_of(row, "answer"),
        solutions=solutions_of(row, "solution"),
        metadata={"subset": subset, **pick(row, METADATA)},
    )


ADAPTER = Adapter(
    domain=lambda config: "math",
    required=lambda config: COLUMNS,
    adapt=adapt,
    example={
        "problem": "Find the number of ordered pairs of positive integers whose product is $12$.",
        "solution": "Each of the $6$ divisors of $12$ can stand first, so there are $\\boxed{6}$ pairs.",
        "answer": "6",
        "problem_type": "Number Theory",
        "question_type": "math-word-problem",
        "problem_is_valid": "Yes",
        "solution_is_valid": "Yes",
        "source": "amc_aime",
        "synthetic": False,
    },
)
