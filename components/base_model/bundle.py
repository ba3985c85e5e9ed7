"""Make a pretraining checkpoint the bundled model, with its record:
`python -m components.base_model.bundle --checkpoint DIR/step-N`."""

import argparse
import json
import logging
import shutil
from dataclasses import asdict
from pathlib import Path

from components.base_model.run import BUNDLED, WEIGHTS, chosen_files
from components.base_model.tokenizer import save_tokenizer
from components.core.digest import sha256_file
from components.core.files import read_json, write_json

log = logging.getLogger(__name__)
RECORD = "training_record.json"


def bundle(checkpoint: Path, target: Path, num_problems: int, seed: int, threads: int) -> None:
    """Copy the model files of `checkpoint` to `target`, measure them on the benchmark split, write the record."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from components.base_model.pretrain_data import CURRICULUM
    from components.base_model.pretrain_evaluation import evaluate

    torch.set_num_threads(threads)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32).eval()
    scores = evaluate(model, tokenizer, num_problems, seed)
    log.info("%s", json.dumps(scores, indent=1))
    target.mkdir(parents=True, exist_ok=True)
    for path in chosen_files(checkpoint):
        shutil.copyfile(path, target / path.name)
        (target / path.name).chmod(0o644)
    save_tokenizer(target)
    record = {
        "command": "python -m components.base_model.pretrain --output DIR",
        "settings": read_json(checkpoint.parent / "settings.json"),
        "curriculum": [asdict(phase) for phase in CURRICULUM],
        "stopped_at_step": int(checkpoint.name.removeprefix("step-")),
        "parameters": sum(p.numel() for p in model.parameters()),
        "weights_sha256": sha256_file(target / WEIGHTS),
        "measured_on": f"{num_problems} problems a domain of the benchmark split, one sample each, temperature 1",
        "measured": {name: value for name, value in scores.items() if name != "examples"},
    }
    write_json(target / RECORD, record)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--target", type=Path, default=BUNDLED / "tiny")
    parser.add_argument("--num-problems", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    bundle(arguments.checkpoint, arguments.target, arguments.num_problems, arguments.seed, arguments.threads)


if __name__ == "__main__":
    main()
