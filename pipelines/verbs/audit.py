"""`or1 audit …`: thin doors to the lineage room."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipelines.terminal import printable


def _show(args: argparse.Namespace, result: dict[str, Any], render: Callable[[dict[str, Any]], str]) -> None:
    print(json.dumps(result, ensure_ascii=False) if args.json else printable(render(result)))


def trace(args: argparse.Namespace) -> None:
    from components.lineage import trace as room

    _show(args, room.trace(Path(args.artifact)), room.render_trace)


def verify(args: argparse.Namespace) -> None:
    from components.lineage import verify as room

    _show(args, room.verify(Path(args.artifact), expect=args.expect or None), room.render_verify)


def record(args: argparse.Namespace) -> None:
    from components.lineage import record as room

    _show(args, room.find_record(Path(args.run), args.query), room.render_record)


def licences(args: argparse.Namespace) -> None:
    from components.lineage import licences as room

    _show(args, room.licences(Path(args.run)), room.render_licences)


def diff(args: argparse.Namespace) -> None:
    from components.lineage import diff as room

    _show(args, room.diff(Path(args.a), Path(args.b)), room.render_diff)
