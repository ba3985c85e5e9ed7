"""How good a checkpoint is: sampled pass rates on problems that it was not trained on, and its token entropy.

Legend: B sequences, T tokens, V vocabulary.
"""

import json
import re
import subprocess
import sys
from random import Random
from typing import Any

import torch

from components.base_model.pretrain_data import draw_code, draw_math, prompt_of
from components.world.items import CodeItem, MathItem

MAX_RESPONSE_TOKENS = 192
PROGRAM_TIMEOUT_S = 60


@torch.no_grad()
def sample(
    model: Any, tokenizer: Any, prompts: list[str], seed: int, max_response_tokens: int = MAX_RESPONSE_TOKENS
) -> tuple[list[str], float]:
    """One response a prompt at temperature 1, and the mean entropy (nats) of the sampled tokens' distributions."""
    generator = torch.Generator().manual_seed(seed)
    encoded = tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
    tokens_BT, mask_BT = encoded["input_ids"], encoded["attention_mask"]
    cache, sampled, entropies, alive_B = None, [], [], torch.ones(len(prompts), dtype=torch.bool)
    positions_BT = (mask_BT.cumsum(-1) - 1).clamp(min=0)
    for _ in range(max_response_tokens):
        out = model(
            tokens_BT, attention_mask=mask_BT, position_ids=positions_BT, past_key_values=cache, logits_to_keep=1
        )
        cache, logprobs_BV = out.past_key_values, out.logits[:, -1].log_softmax(-1)
        entropies.append(-(logprobs_BV.exp() * logprobs_BV).sum(-1)[alive_B])
        next_B = torch.multinomial(logprobs_BV.exp(), 1, generator=generator)[:, 0]
        next_B = torch.where(alive_B, next_B, tokenizer.pad_token_id)
        sampled.append(next_B)
        alive_B = alive_B & (next_B != tokenizer.eos_token_id)
        if not alive_B.any():
            break
        tokens_BT, positions_BT = next_B[:, None], positions_BT[:, -1:] + 1
        mask_BT = torch.cat([mask_BT, torch.ones_like(tokens_BT)], 1)
    texts = tokenizer.batch_decode(torch.stack(sampled, 1), skip_special_tokens=True)
    return texts, float(torch.cat(entropies).mean())


def evaluate(model: Any, tokenizer: Any, num_problems: int, seed: int, split: Any = "benchmark") -> dict[str, Any]:
    """Pass rates and entropy on `num_problems` problems a domain, one sample each, with examples of both."""
    rng = Random(f"evaluation/{seed}")
    math = [draw_math(split, rng) for _ in range(num_problems)]
    code = [draw_code(split, rng) for _ in range(num_problems)]
    math_texts, math_entropy = sample(model, tokenizer, [prompt_of(tokenizer, i) for i in math], seed)
    code_texts, code_entropy = sample(model, tokenizer, [prompt_of(tokenizer, i) for i in code], seed + 1)
    math_right = [is_right_answer(item, text) for item, text in zip(math, math_texts, strict=True)]
    code_right = are_right_programs(code, code_texts)
    worked = [text.split("</think>")[0].count("=") >= 2 for text in math_texts]
    planned = ["(" in text.split("</think>")[0] or "x" in text.split("</think>")[0] for text in code_texts]
    return {
        "math_pass_rate": _mean(math_right),
        "code_pass_rate": _mean(code_right),
        "math_entropy": math_entropy,
        "code_entropy": code_entropy,
        "math_pass_rate_worked": _mean([r for r, w in zip(math_right, worked, strict=True) if w]),
        "math_pass_rate_terse": _mean([r for r, w in zip(math_right, worked, strict=True) if not w]),
        "code_pass_rate_planned": _mean([r for r, w in zip(code_right, planned, strict=True) if w]),
        "code_pass_rate_unplanned": _mean([r for r, w in zip(code_right, planned, strict=True) if not w]),
        "math_by_family": _by_family(math, math_right),
        "code_by_family": _by_family(code, code_right),
        "examples": [
            {"statement": item.statement, "response": text, "right": right}
            for item, text, right in [*zip(math, math_texts, math_right, strict=True)][:6]
            + [*zip(code, code_texts, code_right, strict=True)][:6]
        ],
    }


def _mean(values: list[bool]) -> float:
    return round(sum(values) / max(1, len(values)), 4)


def _by_family(items: list[Any], right: list[bool]) -> dict[str, float]:
    groups: dict[str, list[bool]] = {}
    for item, is_right in zip(items, right, strict=True):
        groups.setdefault(item.family, []).append(is_right)
    return {family: _mean(values) for family, values in sorted(groups.items())}


def is_right_answer(item: MathItem, text: str) -> bool:
    """Whether the thinking section was closed and the last box after it holds the answer."""
    thinking, closed, final = text.rpartition("</think>")
    boxes = re.findall(r"\\boxed\{(\d+)\}", final)
    return bool(closed and boxes and int(boxes[-1]) == item.answer)


_RUNNER = """
import contextlib, io, json, resource, signal, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
def stop(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, stop)
def passes(program, tests):
    for given, expected in zip(tests["inputs"], tests["outputs"]):
        space, out = {}, io.StringIO()
        if tests["kind"] == "function_call":
            exec(program, space)
            if space[tests["fn_name"]](*given) != expected:
                return False
        else:
            sys.stdin = io.StringIO(given)
            with contextlib.redirect_stdout(out):
                exec(program, space)
            if out.getvalue().split() != expected.split():
                return False
    return True
results = []
for program, tests in json.load(sys.stdin):
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        results.append(passes(program, tests))
    except BaseException:
        results.append(False)
    signal.setitimer(signal.ITIMER_REAL, 0)
sys.stdout.write(json.dumps(results))
"""


def are_right_programs(items: list[CodeItem], texts: list[str]) -> list[bool]:
    """Run every response's fenced program against its tests, in one separate process with memory and time limits."""
    jobs = []
    for item, text in zip(items, texts, strict=True):
        blocks = re.findall(r"```python\n(.*?)\n```", text.rpartition("</think>")[2], re.DOTALL)
        jobs.append([blocks[-1] if blocks and "</think>" in text else "raise ValueError", item.tests])
    done = subprocess.run(
        [sys.executable, "-I", "-c", _RUNNER],
        input=json.dumps(jobs), capture_output=True, text=True, timeout=PROGRAM_TIMEOUT_S, check=True,
    )  # fmt: skip
    results: list[bool] = json.loads(done.stdout)
    return results
