"""Which engine is chosen, and how rounds and shares are cut."""

import importlib.util
from pathlib import Path

import pytest

from components.core.errors import ConfigError
from components.core.records import Problem, Source
from components.sample.catalog import choose_engine, context_tokens, make_engine, num_parameters
from components.sample.config import SamplerConfig
from components.sample.engine import seed_of
from components.sample.pool import split_evenly
from components.sample.rollouts import Task, split_rounds


def test_a_tiny_model_on_a_cpu_takes_transformers(random_model: Path):
    name, reason = choose_engine(SamplerConfig(), random_model)
    assert name == "transformers" and reason.startswith("auto: ")
    assert choose_engine(SamplerConfig(engine="vllm"), random_model)[0] == "vllm"


def test_parameters_are_counted(random_model: Path):
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(random_model)
    assert num_parameters(random_model) == sum(p.numel() for p in model.parameters())


def test_missing_vllm_says_what_to_do(random_model: Path, monkeypatch: pytest.MonkeyPatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "vllm" else find(name, *rest))
    with pytest.raises(ConfigError, match="gpu extra"):
        make_engine(SamplerConfig(engine="vllm"), random_model, 64)
    assert choose_engine(SamplerConfig(), random_model) == ("transformers", "auto: vLLM is not installed")


def test_context_tokens(random_model: Path):
    assert context_tokens(SamplerConfig(), random_model) == 512
    assert context_tokens(SamplerConfig(max_model_tokens=100), random_model) == 100
    with pytest.raises(ConfigError, match="more than the model's 512"):
        context_tokens(SamplerConfig(max_model_tokens=1000), random_model)


def test_shares_are_even_and_complete():
    lengths = [5, 90, 10, 40, 40, 7, 60, 1]
    parts = split_evenly(lengths, 3)
    assert sorted(i for part in parts for i in part) == list(range(8))
    loads = [sum(lengths[i] for i in part) for part in parts]
    assert max(loads) - min(loads) <= 40
    assert split_evenly([3], 2) == [[0], []]


def test_rounds_hold_one_sample_count_each():
    problem = Problem("r", "p", "math", "s", Source("x", "y", 0))
    tasks = [Task(problem, "", tokens, n, 0) for n, tokens in [(4, 9), (16, 5), (4, 3), (4, 7), (16, 1), (4, 1)]]
    assert split_rounds(tasks, 8) == [[5, 2], [3, 0], [4], [1]]


def test_seeds_differ_by_purpose():
    seeds = {seed_of(1, "a"), seed_of(2, "a"), seed_of(1, "b"), seed_of(1, "a", 0), seed_of(1, "a0")}
    assert len(seeds) == 5 and all(0 <= s < 2**48 for s in seeds)
