"""Pretraining: what the batches hold, that resuming changes nothing, and the evaluation's own checks."""

from random import Random

import pytest
import torch

from components.base_model.architecture import build_model
from components.base_model.pretrain import PretrainSettings, backward, learning_rate_scale, pretrain
from components.base_model.pretrain_data import draw_code, draw_math, make_steps
from components.base_model.pretrain_evaluation import are_right_programs, sample
from components.base_model.tokenizer import build_tokenizer
from components.world.split import split_of

SMALL = {"batch_size": 8, "evaluation_problems": 1, "compiled": False}


def test_batches_hold_pretrain_problems_and_weigh_response_and_end():
    tokenizer = build_tokenizer()
    steps = make_steps(tokenizer, 0, 0, 4, 8, 0.1)
    assert [(len(m.tokens_BT), len(c.tokens_BT)) for m, c in steps] == [(7, 1)] * 4
    for math, code in steps:
        for batch, mark in ((math, "boxed"), (code, "```python")):
            for tokens, weights in zip(batch.tokens_BT, batch.weights_BT, strict=True):
                prompt, response = tokenizer.decode(tokens[weights == 0.1]), tokenizer.decode(tokens[weights == 1])
                assert prompt.startswith("<|user|>") and prompt.endswith("<|assistant|><think>\n")
                is_practice = prompt == "<|user|><|assistant|><think>\n"  # working without a problem has no answer
                assert (mark in response) != is_practice and response.endswith("<|end|>")
                statement = prompt.removeprefix("<|user|>").split("<|assistant|>")[0].split("\n\ndef ")[0]
                assert split_of(statement) == "pretrain"
                assert set(tokens[weights == 0].tolist()) <= {tokenizer.pad_token_id}


def test_loss_is_the_token_weighted_mean_over_both_batches():
    tokenizer = build_tokenizer()
    model = build_model(tokenizer, 0)
    batches = make_steps(tokenizer, 0, 0, 1, 8, 0.1)[0]
    loss, total, weight = backward(model, batches), 0.0, 0.0
    for batch in batches:
        for tokens, weights in zip(batch.tokens_BT, batch.weights_BT, strict=True):
            length = int((weights > 0).sum())
            logprobs = model(tokens[None, :length]).logits[0].log_softmax(-1)
            for position in range(1, length):
                total -= (weights[position] * logprobs[position - 1, tokens[position]]).item()
                weight += float(weights[position])
    assert loss == pytest.approx(total / weight, rel=1e-4)


def test_resumed_run_ends_in_the_same_weights(tmp_path):
    pretrain(tmp_path / "whole", PretrainSettings(steps=4, evaluate_every=4, **SMALL))
    pretrain(tmp_path / "parts", PretrainSettings(steps=4, evaluate_every=2, **SMALL))
    whole, parts = (torch.load(tmp_path / n / "state.pt", weights_only=True) for n in ("whole", "parts"))
    assert all(torch.equal(whole["model"][name], parts["model"][name]) for name in whole["model"])
    before = torch.load(tmp_path / "parts" / "state.pt", weights_only=True)
    pretrain(tmp_path / "parts", PretrainSettings(steps=6, evaluate_every=6, **SMALL))
    after = torch.load(tmp_path / "parts" / "state.pt", weights_only=True)
    assert (before["step"], after["step"]) == (4, 6)
    assert {p.name for p in (tmp_path / "parts").glob("step-*")} == {"step-2", "step-4", "step-6"}


def test_learning_rate_warms_up_and_ends_at_zero():
    settings = PretrainSettings(steps=1000, warmup_steps=50)
    scales = [learning_rate_scale(step, settings) for step in range(1001)]
    assert scales[0] == pytest.approx(0.02) and max(scales) == scales[50] == 1.0
    assert scales[525] == pytest.approx(0.5) and scales[1000] == pytest.approx(0.0, abs=1e-9)


def test_sampler_agrees_with_the_model_without_a_cache():
    tokenizer = build_tokenizer()
    model = build_model(tokenizer, 3).eval()
    for parameter in model.parameters():  # sharper, so that a wrong position or mask would change the samples
        parameter.data *= 1.5
    prompts = ["<|user|>short<|assistant|><think>\n", "<|user|>a longer problem text<|assistant|><think>\n"]
    together = sample(model, tokenizer, prompts, 5, max_response_tokens=12)[0]
    generator = torch.Generator().manual_seed(5)
    rows = [tokenizer.encode(p, add_special_tokens=False) for p in prompts]
    starts = [len(row) for row in rows]
    for _ in range(12):
        with torch.no_grad():
            probabilities = torch.stack([model(torch.tensor([row])).logits[0, -1].softmax(-1) for row in rows])
        drawn = torch.multinomial(probabilities, 1, generator=generator)[:, 0].tolist()
        rows = [row + [token] for row, token in zip(rows, drawn, strict=True)]
    alone = [tokenizer.decode(row[start:], skip_special_tokens=True) for row, start in zip(rows, starts, strict=True)]
    for one, other in zip(together, alone, strict=True):
        assert other.startswith(one)


def test_program_check_accepts_the_reference_and_survives_bad_programs():
    items = [draw_code("benchmark", Random(seed)) for seed in range(40)]
    right = [f"ok\n</think>\n```python\n{item.program}\n```" for item in items]
    assert all(are_right_programs(items, right))
    name = next(i for i in items if i.fn_name)
    fence = "```python\n%s\n```"
    bad = ["", fence % name.program, fence % "while True: pass"]  # thinking was not closed
    bad += ["</think>\n" + fence % program for program in ("while True: pass", ")", "raise SystemExit", "")]
    assert are_right_programs([name] * len(bad), bad) == [False] * len(bad)


def test_drawn_problems_are_of_the_wanted_split():
    for split in ("pretrain", "pool", "benchmark"):
        assert split_of(draw_math(split, Random(1)).statement) == split
        assert split_of(draw_code(split, Random(1)).statement) == split
