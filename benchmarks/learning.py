"""Does the bundled recipe learn? Runs it for several seeds and compares final and base model on held-out problems.

    .venv/bin/python benchmarks/learning.py --seeds 1 2 3 --output build/learning

Data steps and the base evaluation are shared through one store where their keys are equal. Prints, for each seed and
benchmark, avg@8 of base and final with the paired gain and its 95 % interval (bootstrap over problems), and the mean
gain over the seeds with the interval of a bootstrap over problems of the seed means.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from components.core.files import read_json, write_json
from components.core.statistics import bootstrap_interval, compare_scores

ROOT = Path(__file__).resolve().parents[1]


def run_seed(seed: int, output: Path, settings: list[str]) -> tuple[dict, dict]:
    """Run the recipe for one seed; the scores of base and final model."""
    folder = output / f"seed-{seed}"
    command = [sys.executable, "-m", "pipelines.cli", "run", "tiny"]
    command += ["--output", str(folder), "--store", str(output / "store")]
    for setting in [f"seed={seed}", *settings]:
        command += ["--set", setting]
    subprocess.run(command, check=True, cwd=ROOT)
    return tuple(read_json(folder / f"steps/evaluate-{name}/scores.json") for name in ("base", "final"))  # type: ignore[return-value]


def problem_gains(base: dict, final: dict) -> dict[str, float]:
    """Problem id -> final minus base solve rate."""

    def rates(scores: dict) -> dict[str, float]:
        return {p: c["num_correct"] / c["num_graded"] for p, c in scores["problems"].items() if c["num_graded"]}

    before, after = rates(base), rates(final)
    return {problem: after[problem] - before[problem] for problem in before.keys() & after.keys()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--output", type=Path, default=ROOT / "build/learning")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    args = parser.parse_args()
    rows, gains = [], defaultdict(lambda: defaultdict(list))
    for seed in args.seeds:
        base, final = run_seed(seed, args.output.resolve(), args.set)
        paired = compare_scores(base, final)
        for name, comparison in paired.items():
            before, after = (scores["benchmarks"][name]["avg_at_k"] for scores in (base, final))
            rows.append({"seed": seed, "benchmark": name, "base": before, "final": after, **comparison})
            for problem, gain in problem_gains(base["benchmarks"][name], final["benchmarks"][name]).items():
                gains[name][problem].append(gain)
    for name, problems in gains.items():
        means = [sum(g) / len(g) for _, g in sorted(problems.items())]
        summary = {"benchmark": name, "seeds": args.seeds, "mean_gain": sum(means) / len(means)}
        rows.append({**summary, "interval": bootstrap_interval(means, seed=1)})
    write_json(args.output / "learning.json", rows)
    print("\n".join(json.dumps(row) for row in rows))


if __name__ == "__main__":
    main()
