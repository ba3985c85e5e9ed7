"""The decode loop against plain forward passes of the same model."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from components.core.errors import DataError
from components.sample.engine import SamplingParameters, uniform_block
from components.sample.transformers_engine import TransformersEngine, draw

PROMPTS = ["a", "What is 2 + 3?", "x" * 70, "Write a program that adds.", "zz", "0123456789" * 4, "q" * 33]
SEEDS = [100 * i + 7 for i in range(len(PROMPTS))]
PARAMETERS = SamplingParameters(temperature=0.8, top_p=1.0, max_response_tokens=150)


@pytest.fixture(scope="module")
def engine(random_model: Path) -> TransformersEngine:
    return TransformersEngine(random_model, 512, batch_size=9)


def test_logprobs_and_tokens_follow_from_forward_passes_and_uniforms(engine: TransformersEngine, random_model: Path):
    """Teacher forcing: every log-prob, and every token by inverse CDF of its own uniform number."""
    model = AutoModelForCausalLM.from_pretrained(random_model)
    samples = engine.generate(PROMPTS, SEEDS, 4, PARAMETERS)
    assert {s.finish_reason for row in samples for s in row} == {"stop", "length"}
    for prompt, seed, row in zip(PROMPTS, SEEDS, samples, strict=True):
        ids = engine.tokenizer(prompt).input_ids
        for j, sample in enumerate(row):
            with torch.inference_mode():
                logits = model(torch.tensor([ids + sample.token_ids])).logits[0, len(ids) - 1 : -1].double()
            logprobs = torch.log_softmax(logits / 0.8, -1)
            taken = logprobs.gather(1, torch.tensor(sample.token_ids)[:, None])[:, 0]
            assert np.allclose(taken.numpy(), sample.logprobs, atol=1e-4)
            uniforms = np.concatenate([uniform_block(seed + j, b) for b in range(3)])[: len(sample.token_ids)]
            cdf = logprobs.exp().cumsum(-1).numpy()
            for position, token in enumerate(sample.token_ids):
                below = cdf[position, token - 1] if token else 0.0
                assert below - 1e-5 <= uniforms[position] <= cdf[position, token] + 1e-5


def test_ends_at_the_end_token_or_the_limit(engine: TransformersEngine):
    end = engine.tokenizer.eos_token_id
    for row in engine.generate(PROMPTS, SEEDS, 4, PARAMETERS):
        for sample in row:
            assert sample.num_tokens == len(sample.token_ids) == len(sample.logprobs)
            assert end not in sample.token_ids[:-1]
            if sample.finish_reason == "stop":
                assert sample.token_ids[-1] == end
                assert "<|end|>" not in sample.text
            else:
                assert sample.num_tokens == 150 and sample.token_ids[-1] != end


def test_a_sample_depends_on_prompt_and_seed_only(engine: TransformersEngine, random_model: Path):
    together = engine.generate(PROMPTS, SEEDS, 4, PARAMETERS)
    alone = TransformersEngine(random_model, 512, batch_size=1)
    for i in (0, 2, 5):
        for j in range(4):
            single = alone.generate([PROMPTS[i]], [SEEDS[i] + j], 1, PARAMETERS)[0][0]
            assert single.token_ids == together[i][j].token_ids
    backwards = engine.generate(PROMPTS[::-1], SEEDS[::-1], 4, PARAMETERS)[::-1]
    assert [[s.token_ids for s in r] for r in backwards] == [[s.token_ids for s in r] for r in together]


def test_more_samples_than_lanes(engine: TransformersEngine):
    many = engine.generate(PROMPTS[:2], SEEDS[:2], 40, SamplingParameters(max_response_tokens=5))
    few = engine.generate(PROMPTS[:2], SEEDS[:2], 3, SamplingParameters(max_response_tokens=5))
    assert [len(row) for row in many] == [40, 40]
    assert [[s.token_ids for s in row[:3]] for row in many] == [[s.token_ids for s in row] for row in few]


def test_the_context_limits_a_response(engine: TransformersEngine):
    prompt = "y" * 500
    (samples,) = engine.generate([prompt], [3], 6, SamplingParameters(max_response_tokens=100))
    assert max(s.num_tokens for s in samples) <= 12
    with pytest.raises(DataError, match="leaves no room"):
        engine.generate(["y" * 512], [3], 1, PARAMETERS)


def test_new_weights_are_used_and_wrong_ones_refused(random_model: Path):
    engine = TransformersEngine(random_model, 512)
    parameters = SamplingParameters(max_response_tokens=20)
    before = engine.generate(PROMPTS, SEEDS, 2, parameters)
    old = {n: p.detach().clone() for n, p in engine.model.named_parameters()}
    torch.manual_seed(5)
    new = {n: (p + 0.2 * torch.randn_like(p)).numpy() for n, p in old.items()}
    engine.load_weights(new)
    after = engine.generate(PROMPTS, SEEDS, 2, parameters)
    assert [[s.token_ids for s in r] for r in before] != [[s.token_ids for s in r] for r in after]
    head, embedding = engine.model.lm_head.weight, engine.model.model.embed_tokens.weight
    assert torch.equal(head, embedding) and torch.equal(head, torch.from_numpy(new["model.embed_tokens.weight"]))
    engine.load_weights(old)
    assert engine.generate(PROMPTS, SEEDS, 2, parameters) == before
    with pytest.raises(DataError, match="missing"):
        engine.load_weights({n: v for n, v in new.items() if "layers.1" not in n})
    with pytest.raises(DataError, match="unknown"):
        engine.load_weights({**new, "extra": new["model.norm.weight"]})
    with pytest.raises(DataError, match="expected"):
        engine.load_weights({**new, "model.norm.weight": np.ones(3, np.float32)})


def test_draw_follows_the_distribution():
    """100,000 draws of one distribution: shares within four standard errors, with and without a nucleus."""
    logits = torch.log(torch.tensor([0.5, 0.25, 0.15, 0.1]))
    uniforms = torch.linspace(0, 1 - 1e-9, 100_000, dtype=torch.float64)
    token_B, logprob_B = draw(logits.expand(100_000, 4), uniforms, 1.0, 1.0)
    shares = torch.bincount(token_B, minlength=4) / 100_000
    assert torch.allclose(shares, logits.exp(), atol=1e-4)
    assert torch.allclose(logprob_B, logits[token_B])
    token_B, logprob_B = draw(logits.expand(100_000, 4), uniforms, 1.0, 0.7)
    shares = torch.bincount(token_B, minlength=4) / 100_000
    assert torch.allclose(shares, torch.tensor([2 / 3, 1 / 3, 0.0, 0.0]), atol=1e-4)
    assert torch.allclose(logprob_B.exp(), torch.tensor([2 / 3, 1 / 3, 0.0, 0.0])[token_B], atol=1e-6)
    token_B, _ = draw(logits.expand(3, 4), uniforms[-3:], 0.0, 1.0)
    assert token_B.tolist() == [0, 0, 0]


def test_uniform_blocks_are_one_long_stream():
    """A block is reached directly, and equals that part of the sequential generator."""
    stream = np.random.Generator(np.random.Philox(key=12345)).random(640)
    assert np.array_equal(np.concatenate([uniform_block(12345, b) for b in range(10)]), stream)
