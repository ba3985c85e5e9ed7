"""The vLLM engine: vLLM in this process (its own Ray actor, usually), CPU or GPU, with weights that can be replaced.

vLLM changes the process it lives in (thread count, default process group), so a trainer must be elsewhere.
"""

import importlib.util
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from components.core.errors import ConfigError, DataError, InfraError
from components.sample.engine import Sample, SamplingParameters, check_weights

log = logging.getLogger(__name__)

CANARY_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.25, torch.float16: 0.1}
"""Largest |difference| of a log-prob between vLLM and transformers after a sync. Float noise is 2e-6 in float32 and
0.016 in bfloat16; a layer with stale weights shows as 0.5 and more."""
CANARY_TOKENS = 8
MIN_BATCHED_TOKENS = 4096


def vllm_environment(cpu_cache_gib: int) -> dict[str, str]:
    """What vLLM reads from the environment when it is imported."""
    environment = {
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "ERROR",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": str(cpu_cache_gib),
        "TOKENIZERS_PARALLELISM": "false",
    }
    if not torch.cuda.is_available():
        environment["TORCH_COMPILE_DISABLE"] = "1"
    return environment


class WeightReload:
    """Mixed into vLLM's worker (worker_extension_cls)."""

    model_runner: Any

    def or1_reload(self, state: Mapping[str, torch.Tensor]) -> None:
        """Replace all weights through vLLM's layerwise reload, then rebuild what the reload misses: on CPU each linear
        layer holds a packed copy of its weight, and a tied head receives no weight of its own, so it would keep the
        copy of the old one."""
        self.model_runner.reload_weights(weights_iterator=iter(state.items()))
        for module in self.model_runner.model.modules():
            method: Any = getattr(module, "quant_method", None)
            if hasattr(module, "cpu_linear") and type(method).__name__ == "UnquantizedEmbeddingMethod":
                method.process_weights_after_loading(module)


class VllmEngine:
    """See `Engine`."""

    def __init__(
        self,
        folder: Path,
        max_model_tokens: int,
        batch_size: int = 256,
        dtype: str = "auto",
        gpu_memory_share: float = 0.9,
        cpu_cache_gib: int = 1,
        canary: bool = False,
    ) -> None:
        require_vllm()
        os.environ.update(vllm_environment(cpu_cache_gib))
        from vllm import LLM

        on_gpu = torch.cuda.is_available()
        name = dtype if dtype != "auto" else ("bfloat16" if on_gpu else "float32")
        self.dtype = getattr(torch, name)
        options: dict[str, Any] = {"gpu_memory_utilization": gpu_memory_share}
        if not on_gpu:
            # A prompt prefilled in chunks draws a number of its seed at each chunk and then rewinds the generator,
            # which a CPU generator can't do: vLLM would fail.
            batched_tokens = max(max_model_tokens, MIN_BATCHED_TOKENS)
            options = {
                "enforce_eager": True, "enable_chunked_prefill": False, "max_num_batched_tokens": batched_tokens,
            }  # fmt: skip
        precision: Any = name
        self.llm: Any = LLM(
            str(folder), dtype=precision, max_model_len=max_model_tokens, max_num_seqs=batch_size,
            logprobs_mode="processed_logprobs", worker_extension_cls=f"{__name__}.WeightReload",
            trust_remote_code=False, disable_log_stats=True, **options,
        )  # fmt: skip
        self.tokenizer = self.llm.get_tokenizer()
        self.max_model_tokens, self.folder, self.canary = max_model_tokens, folder, canary
        self._reference: Any = None
        self._expected: tuple[dict[str, tuple[int, ...]], set[str]] | None = None

    def generate(
        self, prompts: Sequence[str], seeds: Sequence[int], n: int, parameters: SamplingParameters
    ) -> list[list[Sample]]:
        from vllm import SamplingParams

        inputs, settings = [], []
        for i, prompt in enumerate(prompts):
            ids = self.tokenizer(prompt, add_special_tokens=False).input_ids
            limit = min(parameters.max_response_tokens, self.max_model_tokens - len(ids))
            if not ids or limit < 1:
                raise DataError(
                    f"prompt {i} has {len(ids)} tokens: the context of {self.max_model_tokens} leaves no room"
                )
            inputs.append({"prompt_token_ids": ids})
            # n samples with seed s are the same as n requests with seeds s, s+1, …
            settings.append(
                SamplingParams(
                    n=n, seed=seeds[i], temperature=parameters.temperature, top_p=parameters.top_p, max_tokens=limit,
                    logprobs=0, detokenize=False,
                )
            )  # fmt: skip
        outputs = self.llm.generate(inputs, settings, use_tqdm=False)
        return [[self._sample(c) for c in sorted(output.outputs, key=lambda c: c.index)] for output in outputs]

    def load_weights(self, state: Mapping[str, Any]) -> None:
        """Raises InfraError when vLLM afterwards doesn't compute with the new weights; the engine is then unusable."""
        tensors = {n: torch.as_tensor(value).to(self.dtype) for n, value in state.items()}
        if self._expected is None:
            self._expected = parameter_shapes(self.folder)
        check_weights(*self._expected, tensors)
        self.llm.collective_rpc("or1_reload", args=(tensors,))
        # The prefix cache still holds keys and values of the old weights.
        if not self.llm.reset_prefix_cache():
            raise InfraError("vLLM refused to drop its prefix cache after a weight sync; the engine must be replaced")
        if self.canary:
            self._compare_with_transformers(tensors)

    def close(self) -> None:
        del self.llm

    def _sample(self, completion: Any) -> Sample:
        ids = list(completion.token_ids)
        logprobs = [step[token].logprob for step, token in zip(completion.logprobs, ids, strict=True)]
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        return Sample(text, ids, logprobs, "length" if completion.finish_reason == "length" else "stop", len(ids))

    def _compare_with_transformers(self, state: Mapping[str, torch.Tensor]) -> None:
        from transformers import AutoModelForCausalLM
        from vllm import SamplingParams

        if self._reference is None:
            self._reference = AutoModelForCausalLM.from_pretrained(self.folder, dtype=self.dtype, local_files_only=True)
        self._reference.load_state_dict(state, strict=False)
        prompt = self.tokenizer("What is 12 + 30?", add_special_tokens=False).input_ids
        settings = SamplingParams(temperature=0.0, max_tokens=CANARY_TOKENS, logprobs=0, ignore_eos=True)
        drawn = self._sample(self.llm.generate([{"prompt_token_ids": prompt}], settings, use_tqdm=False)[0].outputs[0])
        with torch.inference_mode():
            logits = self._reference(torch.tensor([prompt + drawn.token_ids])).logits[0, len(prompt) - 1 : -1].float()
        expected = logits.log_softmax(-1).gather(1, torch.tensor(drawn.token_ids)[:, None])[:, 0]
        worst = float((expected - torch.tensor(drawn.logprobs)).abs().max())
        if not worst <= CANARY_TOLERANCE[self.dtype]:
            raise InfraError(
                f"vLLM does not compute with the new weights: a log-prob differs by {worst:.3g} from a forward pass"
            )


def require_vllm() -> None:
    if importlib.util.find_spec("vllm") is None:
        raise ConfigError(
            "setting 'sampler.engine': vllm is not installed; install the gpu extra (pip install 'or1-pipelines[gpu]') "
            "or set sampler.engine to transformers"
        )


def parameter_shapes(folder: Path) -> tuple[dict[str, tuple[int, ...]], set[str]]:
    """Parameter names and shapes of a model folder, and the names that are aliases of tied ones; loads no weights."""
    from transformers import AutoConfig, AutoModelForCausalLM

    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder, local_files_only=True))
    model.tie_weights()
    parameters = dict(model.named_parameters())
    return {n: tuple(p.shape) for n, p in parameters.items()}, set(model.state_dict()) - set(parameters)
