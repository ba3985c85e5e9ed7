"""LeetCodeDataset (newfacade/LeetCodeDataset): a `check(candidate)` function, an entry point, and the imports."""

from components.benchmarks.test_specs import check_function
from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row
from components.ingest.sources.fields import pick, programs_of, statement_of, text_of

COLUMNS = ("problem_description", "starter_code", "prompt", "completion", "entry_point", "test")
METADATA = ("task_id", "question_id", "difficulty", "tags")


def adapt(row: Row, config: IngestConfig) -> Draft:
    dated = {"date": row.get("estimated_date")}
    solutions, _ = programs_of(text_of(row, "completion"))
    return Draft(
        statement=statement_of(row, "problem_description"),
        tests=check_function(text_of(row, "test"), text_of(row, "entry_point"), text_of(row, "prompt")),
        starter_code=text_of(row, "starter_code"),
        solutions=solutions,
        metadata={**pick(row, METADATA), **pick(dated, dated)},
    )


ADAPTER = Adapter(
    domain=lambda config: "code",
    required=lambda config: COLUMNS,
    adapt=adapt,
    example={
        "task_id": "double-a-number",
        "question_id": 9001,
        "difficulty": "Easy",
        "tags": ["Math"],
        "problem_description": "Given an integer n, return twice n.",
        "starter_code": "class Solution:\n    def double(self, n: int) -> int:\n        ",
        "estimated_date": "2020-05-01",
        "prompt": "from typing import *\n",
        "completion": "class Solution:\n    def double(self, n: int) -> int:\n        return 2 * n",
        "entry_point": "Solution().double",
        "test": "def check(candidate):\n    assert candidate(n = 3) == 6\n    assert candidate(n = -1) == -2\n",
        "input_output": [{"input": "n = 3", "output": "6"}, {"input": "n = -1", "output": "-2"}],
    },
)
