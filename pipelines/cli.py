"""The `or1` command. Each verb's module is imported when it is used, so `or1 --help` is instant.

Exit codes: 0 done, 1 a step failed, 2 wrong usage or setting, 3 an audit found a fault.
"""

import argparse
import io
import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from components.core.errors import AuditError, ConfigError, Or1Error
from pipelines.terminal import printable


def main(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # file names and rows may hold what the locale has not
    parser = build_parser()
    args = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if not hasattr(args, "handler"):
        parser.print_help()
        return 2
    try:
        return int(args.handler(args) or 0)
    except Or1Error as error:
        code = 2 if isinstance(error, ConfigError) else 3 if isinstance(error, AuditError) else 1
        return report_error(str(error), code, args.json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing to flush at exit
        return 1
    except OSError as error:
        places = " and ".join(str(name) for name in (error.filename, error.filename2) if name)
        where = f"{places}: " if places else ""
        sentence = f"{where}{error.strerror or error}; check the path, its permissions and the free space"
        return report_error(sentence, 1, args.json)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; start the same command again to continue\n")
        return 1


def report_error(sentence: str, code: int, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"error": sentence, "exit_code": code}, ensure_ascii=False))
    sys.stderr.write(f"or1: {printable(sentence)}\n")
    return code


class Parser(argparse.ArgumentParser):
    """Answers wrong usage in JSON where that was asked for."""

    def error(self, message: str) -> NoReturn:
        if "--json" in sys.argv[1:]:
            print(json.dumps({"error": message, "exit_code": 2}, ensure_ascii=False))
        super().error(printable(message))


def lazy(module: str, function: str) -> Any:
    """A handler that imports its module only when it is called."""

    def handler(args: argparse.Namespace) -> int:
        from importlib import import_module

        return int(getattr(import_module(module), function)(args) or 0)

    return handler


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="or1", description="From raw problems to a trained, evaluated, audited reasoning model.")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    _add_run_verbs(verbs)
    _add_grade_verb(verbs)
    _add_audit_verb(verbs)
    return parser


def _verb(verbs: Any, name: str, text: str, handler: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(handler=handler)
    return parser


def _add_run_verbs(verbs: Any) -> None:
    run = _verb(
        verbs, "run", "run a recipe on this machine (continues a killed run)", lazy("pipelines.verbs.run", "run")
    )
    run.add_argument("recipe", help="recipe name (see `or1 recipes`) or a .yaml file")
    run.add_argument("--output", help="run folder (default runs/RECIPE)")
    run.add_argument("--until", default="", metavar="STEP", help="stop after this step")
    run.add_argument("--store", help="folder of finished results by key (default OUTPUT/store; share it between runs)")
    _add_set(run)
    stage = _verb(verbs, "stage", "run one stage on files", lazy("pipelines.verbs.stage", "stage"))
    stage.add_argument("name")
    stage.add_argument("--config", default="{}", help="JSON, or a .json/.yaml file, with the stage's own settings")
    stage.add_argument("--input", action="append", nargs="+", default=[], metavar="PORT=PATH")
    stage.add_argument("--output", action="append", nargs="+", default=[], metavar="PORT=PATH")
    compile_ = _verb(
        verbs, "compile", "compile a recipe's graph for Kubeflow Pipelines", lazy("pipelines.verbs.compile", "compile_")
    )
    compile_.add_argument("recipe")
    compile_.add_argument("--output", required=True, help="file to write")
    compile_.add_argument("--format", choices=("yaml", "manifest"), default="yaml")
    _add_set(compile_)
    recipes = _verb(verbs, "recipes", "list the recipes", lazy("pipelines.verbs.recipes", "recipes"))
    recipes.set_defaults(handler=lazy("pipelines.verbs.recipes", "recipes"))
    plan = _verb(
        verbs, "plan", "show the steps of a recipe and their settings", lazy("pipelines.verbs.recipes", "plan")
    )
    plan.add_argument("recipe")
    _add_set(plan)
    report = _verb(verbs, "report", "write report.html of a run folder again", lazy("pipelines.verbs.run", "report"))
    report.add_argument("run", help="run folder")
    _verb(verbs, "doctor", "check this machine and say what is missing", lazy("pipelines.verbs.doctor", "doctor"))


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="change a setting, e.g. train.stages.0.num_steps=5",
    )


def _add_grade_verb(verbs: Any) -> None:
    grade = _verb(verbs, "grade", "grade responses in a JSONL file", lazy("pipelines.verbs.grade", "grade"))
    grade.add_argument("domain", choices=("math", "code"))
    grade.add_argument("--input", default="-", help="JSONL file, or - for standard input")
    grade.add_argument("--output", default="-", help="JSONL file, or - for standard output")
    grade.add_argument("--config", default="{}", help="JSON with verifier settings")


def _add_audit_verb(verbs: Any) -> None:
    audit = verbs.add_parser("audit", help="what went into an artifact, and is it intact?")
    kinds = audit.add_subparsers(title="questions", metavar="QUESTION", required=True)
    trace = _verb(kinds, "trace", "the tree from an artifact to its sources", lazy("pipelines.verbs.audit", "trace"))
    trace.add_argument("artifact")
    verify = _verb(
        kinds, "verify", "recompute every digest that can be reached", lazy("pipelines.verbs.audit", "verify")
    )
    verify.add_argument("artifact")
    verify.add_argument("--expect", default="", help="digest that the artifact must have")
    record = _verb(kinds, "record", "what happened to one record", lazy("pipelines.verbs.audit", "record"))
    record.add_argument("query", help="row id, problem id, or a fragment of the statement")
    record.add_argument("--in", dest="run", required=True, help="run folder")
    licences = _verb(kinds, "licences", "rows by licence and source", lazy("pipelines.verbs.audit", "licences"))
    licences.add_argument("run", help="run folder")
    diff = _verb(kinds, "diff", "what changed between two artifacts", lazy("pipelines.verbs.audit", "diff"))
    diff.add_argument("a")
    diff.add_argument("b")


if __name__ == "__main__":
    sys.exit(main())
