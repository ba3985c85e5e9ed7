"""AIME before 2024 (e.g. di-zhang-fdu/AIME_1983_2024, which also holds 2024): later years are never trained on."""

from components.ingest.config import IngestConfig
from components.ingest.sources.adapter import Adapter, Draft, Row, RowRefused
from components.ingest.sources.fields import answers_of, invalid, pick, statement_of

COLUMNS = ("ID", "Year", "Problem Number", "Question", "Answer")


def adapt(row: Row, config: IngestConfig) -> Draft:
    statement, year = statement_of(row, "Question"), _year(row)
    if year > config.last_year:
        raise RowRefused("year_2024_or_later" if config.last_year == 2023 else "year_too_late", year=year)
    named = {"contest_id": row["ID"], "year": year, "problem_number": row["Problem Number"], "part": row.get("Part")}
    return Draft(statement=statement, answers=answers_of(row, "Answer"), metadata=pick(named, named))


def _year(row: Row) -> int:
    value = row["Year"]
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid("Year", f"expected a year, found {type(value).__name__}", value)
    return int(value)


ADAPTER = Adapter(
    domain=lambda config: "math",
    required=lambda config: COLUMNS,
    adapt=adapt,
    example={
        "ID": "1991-I-16",
        "Year": 1991,
        "Problem Number": 16,
        "Question": "Find the number of positive integers at most $100$ that are divisible by $7$.",
        "Answer": "14",
        "Part": "I",
    },
)
