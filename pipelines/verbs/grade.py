"""`or1 grade math|code`: JSONL in, JSONL out, in input order."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from components.core.errors import DataError
from components.core.files import write_jsonl
from components.verify.config import VerifierConfig


def grade(args: argparse.Namespace) -> None:
    from components.verify import grading_files

    config = VerifierConfig.parse(args.config, where="--config")
    rows = _read(args.input)
    run = grading_files.grade_math_rows if args.domain == "math" else grading_files.grade_code_rows
    graded = run(rows, config)
    if args.output == "-":
        for row in graded:
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    else:
        write_jsonl(Path(args.output), graded)


def _read(name: str) -> list[dict[str, Any]]:
    """Rows of a JSONL file. Raises DataError naming the line: a missing row would shift every result after it."""
    try:
        text = (sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DataError(f"{name}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{name}: could not be read ({error})") from error
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{name}: line {number}: not valid JSON ({error})") from error
        if not isinstance(row, dict):
            raise DataError(f"{name}: line {number}: expected a JSON object")
        rows.append(row)
    return rows
