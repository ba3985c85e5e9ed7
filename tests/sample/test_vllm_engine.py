"""vLLM against forward passes in transformers, before and after new weights. In a process of its own, since vLLM
changes the process it lives in."""

import importlib.util
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

PROMPTS = ["What is 2 + 3?", "x" * 300, "ab"]
SEEDS = [100, 200, 300]


def compare(folder: Path) -> dict[str, object]:
    """What the assertions below look at, computed in a fresh process."""
    import torch
    from transformers import AutoModelForCausalLM

    from components.core.errors import InfraError
    from components.sample import vllm_engine
    from components.sample.engine import SamplingParameters

    torch.set_num_threads(1)
    engine = vllm_engine.VllmEngine(folder, 512, batch_size=16, canary=True)
    model = AutoModelForCausalLM.from_pretrained(folder)
    parameters = SamplingParameters(temperature=0.8, max_response_tokens=30)
    found: dict[str, object] = {}

    def worst_difference() -> float:
        worst = 0.0
        for prompt, row in zip(PROMPTS, engine.generate(PROMPTS, SEEDS, 3, parameters), strict=True):
            ids = engine.tokenizer(prompt).input_ids
            for sample in row:
                with torch.inference_mode():
                    logits = model(torch.tensor([ids + sample.token_ids])).logits[0, len(ids) - 1 : -1]
                expected = (logits / 0.8).log_softmax(-1).gather(1, torch.tensor(sample.token_ids)[:, None])[:, 0]
                worst = max(worst, float((expected - torch.tensor(sample.logprobs)).abs().max()))
        return worst

    found["before"] = worst_difference()
    samples = engine.generate(PROMPTS, SEEDS, 3, parameters)
    single = engine.generate(PROMPTS[1:2], [SEEDS[1] + 2], 1, parameters)
    found["seed + j"] = single[0][0].token_ids == samples[1][2].token_ids
    end = engine.tokenizer.eos_token_id
    found["ends"] = all((s.token_ids[-1] == end) == (s.finish_reason == "stop") for row in samples for s in row)
    torch.manual_seed(1)
    new = {n: (p + 0.1 * torch.randn_like(p)).detach() for n, p in model.named_parameters()}
    engine.load_weights({n: p.numpy() for n, p in new.items()})
    model.load_state_dict(new, strict=False)
    found["after"] = worst_difference()

    def without_the_head(worker: vllm_engine.WeightReload, state: dict[str, torch.Tensor]) -> None:
        worker.model_runner.reload_weights(weights_iterator=iter(state.items()))

    vllm_engine.WeightReload.or1_reload = without_the_head  # type: ignore[method-assign,assignment]
    try:
        engine.load_weights({n: -p for n, p in new.items()})
        found["stale head"] = "not noticed"
    except InfraError as error:
        found["stale head"] = str(error)
    return found


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("vllm") is None, reason="vLLM is not installed")
def test_vllm_follows_the_weights_and_the_canary_sees_when_not(random_model: Path):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        found = process.submit(compare, random_model).result(timeout=900)
    assert found["before"] < 1e-4 and found["after"] < 1e-4
    assert found["seed + j"] and found["ends"]
    assert "does not compute with the new weights" in str(found["stale head"])
