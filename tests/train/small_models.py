"""A random Qwen2 of a few thousand parameters with a byte tokenizer, and random graded samples of it."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import numpy as np
import pytest

from components.core.model_files import write_model_json
from components.core.records import Problem, Source, write_problems
from components.train.batch import TrainSequence

TEMPLATE = (
    "{% for m in messages %}<|user|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|><think>\n{% endif %}"
)
SPECIAL = ("<|end|>", "<|user|>", "<|assistant|>", "<think>", "</think>")


def build_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate((*SPECIAL, *alphabet))}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=SPECIAL[0], pad_token=SPECIAL[0])
    tokenizer.add_tokens(list(SPECIAL[1:]))
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def build_model(folder: Path, tied: bool = True, seed: int = 0) -> Path:
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    tokenizer = build_tokenizer()
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=256, tie_word_embeddings=tied, initializer_range=0.3,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
    )  # fmt: skip
    model = Qwen2ForCausalLM(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    write_model_json(folder, "random-tiny", "1", "Apache-2.0")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_model(tmp_path_factory.mktemp("model"))


def random_sequences(count: int = 14, seed: int = 3, off_policy: bool = False) -> list[TrainSequence]:
    """Log-normal response lengths (long tail), standard normal advantages with a zero among them."""
    random = np.random.default_rng(seed)
    sequences = []
    for number in range(count):
        length = int(np.clip(np.exp(random.normal(2.3, 0.8)), 1, 70))
        sequences.append(
            TrainSequence(
                random.integers(5, 250, int(random.integers(2, 12))),
                random.integers(0, 250, length),
                0.0 if number == 2 else float(np.float32(random.normal())),
                random.normal(-5.0, 0.3, length).astype(np.float32),
                random.normal(-5.5, 1.0, length).astype(np.float32) if off_policy else None,
            )
        )
    return sequences


def teach_to_guess(folder: Path, digits: int = 4, steps: int = 120) -> Path:
    """Train the random model to close its thinking and box a random digit: about one answer in `digits` is right."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    random = np.random.default_rng(0)
    for _ in range(steps):
        rows = []
        for _ in range(16):
            prompt = tokenizer.apply_chat_template(
                [{"role": "user", "content": f"Say {random.integers(digits)}."}], tokenize=False,
                add_generation_prompt=True,
            )  # fmt: skip
            answer = f"</think>\n\\boxed{{{random.integers(digits)}}}{SPECIAL[0]}"
            rows.append(tokenizer(prompt + answer, add_special_tokens=False).input_ids)
        ids = torch.tensor(rows)
        model(ids, labels=ids).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    write_model_json(folder, "guesser", "1", "Apache-2.0")
    return folder


@pytest.fixture(scope="session")
def guesser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return teach_to_guess(build_model(tmp_path_factory.mktemp("guesser")))


def write_digit_problems(path: Path, count: int = 24, digits: int = 4) -> Path:
    """Problems `Say 3.` with the answer 3, some of them several times under ids of their own."""
    problems = [
        Problem(
            f"row{i}", f"problem{i}", "math", f"Say {i % digits}.", Source("digits", "1", i), answers=(str(i % digits),)
        )
        for i in range(count)
    ]
    write_problems(path, problems)
    return path
