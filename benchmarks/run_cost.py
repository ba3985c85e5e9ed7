"""What the bundled recipe costs on this machine: seconds of every step and the most memory in use above the start.

    .venv/bin/python benchmarks/run_cost.py --output build/cost [--set path=value …]

Memory is what the whole machine uses more than before the run (from /proc/meminfo, sampled twice a second), so the
machine should be quiet.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def used_mib() -> float:
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return (int(fields["MemTotal"].split()[0]) - int(fields["MemAvailable"].split()[0])) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "build/cost")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    args = parser.parse_args()
    command = [sys.executable, "-m", "pipelines.cli", "run", "tiny", "--json", "--output", str(args.output.resolve())]
    for setting in args.set:
        command += ["--set", setting]
    before, peak, done = used_mib(), [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            peak[0] = max(peak[0], used_mib())

    threading.Thread(target=watch, daemon=True).start()
    started = time.monotonic()
    result = json.loads(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout)
    seconds = time.monotonic() - started
    done.set()
    for step in result["steps"]:
        print(f"{step['step']:<22} {step['seconds']:7.1f} s{' (reused)' if step['reused'] else ''}")
    print(json.dumps({"seconds": round(seconds, 1), "peak_mib_above_start": round(peak[0] - before)}))


if __name__ == "__main__":
    main()
