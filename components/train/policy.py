"""The policy on one FSDP2 rank: forward to log-probs and entropy, one optimizer update, whole weights in and out.

Runs inside a process group (gloo on CPU, nccl on GPU); one rank is the same code. N response tokens of a micro-batch.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from components.core.errors import ConfigError, DataError
from components.train.batch import Layout, MicroBatch, MicroTensors, to_tensors
from components.train.config import TrainConfig
from components.train.head import logprobs_and_entropy
from components.train.loss import LossSettings, TokenTerms, token_losses

Arrays = dict[str, np.ndarray]
SUM_NAMES = ("loss", "tokens", "clipped", "entropy", "kl", "mismatch", "mismatch_max")


class TokenModel(nn.Module):
    """A causal language model whose forward ends in log-probs and entropy of chosen tokens.

    The head runs inside the forward of the FSDP root, where its weight is gathered."""

    def __init__(self, language_model: Any, temperature: float, head_chunk_tokens: int) -> None:
        super().__init__()
        self.language_model: Any = language_model
        self.temperature = temperature
        self.head_chunk_tokens = head_chunk_tokens

    def forward(
        self,
        input_ids_BT: torch.Tensor,
        position_ids_BT: torch.Tensor | None,
        index_N: torch.Tensor,
        targets_N: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        # No 2-D mask and no cache: only then does transformers keep packed sequences apart (by position_ids).
        states = self.language_model.model(input_ids=input_ids_BT, position_ids=position_ids_BT, use_cache=False)
        hidden_NH = states.last_hidden_state.flatten(0, 1)[index_N]
        head = self.language_model.get_output_embeddings()
        return logprobs_and_entropy(
            hidden_NH, head.weight, head.bias, targets_N, self.temperature, self.head_chunk_tokens
        )


def load_language_model(folder: Path) -> Any:
    """A transformers model with float32 weights, from safetensors only. Raises DataError."""
    from transformers import AutoModelForCausalLM

    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True, use_safetensors=True, trust_remote_code=False
        )
    except (OSError, ValueError) as error:
        raise DataError(f"{folder}: the model can't be loaded ({error})") from error
    if not hasattr(getattr(model, "model", None), "layers"):
        raise DataError(f"{folder}: {type(model).__name__} has no model.layers; train a Llama-like decoder")
    if getattr(model.config, "final_logit_softcapping", None):
        raise DataError(f"{folder}: capped logits (final_logit_softcapping) are not supported")
    # Dropout must not act: the policy that is trained is the policy that sampled.
    return model.eval()


class Policy:
    """Model, optimizer and (with a KL term) reference of one rank."""

    def __init__(self, model_folder: Path, config: TrainConfig, layout: Layout) -> None:
        self.config = config
        self.layout = layout
        self.on_gpu = torch.cuda.is_available()
        self.device = torch.device("cuda", torch.cuda.current_device()) if self.on_gpu else torch.device("cpu")
        self.mesh = init_device_mesh(self.device.type, (dist.get_world_size(),))
        self.model = self._shard(load_language_model(model_folder))
        self._sharded: Any = self.model
        """The same object: fully_shard adds methods that its type doesn't know."""
        self.reference = self._shard(load_language_model(model_folder)) if config.kl_coefficient else None
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=config.learning_rate, betas=config.betas, weight_decay=config.weight_decay
        )

    def _shard(self, language_model: Any) -> TokenModel:
        config = self.config
        if config.activation_checkpointing:
            language_model.gradient_checkpointing_enable({"use_reentrant": False})
            # transformers recomputes in training mode only; there is no dropout in these models unless configured.
            if getattr(language_model.config, "attention_dropout", 0.0):
                raise ConfigError(
                    "activation_checkpointing: the model has attention_dropout; set it to 0 in its config"
                )
            language_model.train()
        half = config.compute_dtype == "bfloat16" or (config.compute_dtype == "auto" and self.on_gpu)
        precision = MixedPrecisionPolicy(
            param_dtype=torch.bfloat16 if half else torch.float32, reduce_dtype=torch.float32
        )
        model = TokenModel(language_model.to(self.device), config.temperature, config.head_chunk_tokens)
        options: dict[str, Any] = {"mesh": self.mesh, "mp_policy": precision}
        for layer in language_model.model.layers:
            fully_shard(layer, reshard_after_forward=config.reshard_after_forward, **options)
        # The root (embedding and head) stays gathered: its backward pass comes first, right after its forward.
        fully_shard(model, reshard_after_forward=False, **options)
        return model

    def logprobs(self, micros: Sequence[MicroBatch]) -> list[list[np.ndarray]]:
        """The policy's log-probs of the response tokens, float32, for each sequence of each micro-batch."""
        results = []
        with torch.no_grad():
            for micro in micros:
                batch = to_tensors(micro, self.layout, self.device)
                logprobs_N = self._forward(self.model, batch)[0].float().cpu().numpy()
                ends = np.cumsum([len(s.response_ids) for s in micro.sequences])
                results.append(np.split(logprobs_N, ends[:-1]) if micro.sequences else [])
        # Without a backward pass weights may stay gathered, and then miss the next change of the sharded ones.
        for module in self.model.modules():
            if isinstance(module, FSDPModule):
                module.reshard()
        return results

    def update(self, micros: Sequence[MicroBatch], settings: LossSettings) -> dict[str, float]:
        """One optimizer update from this rank's micro-batches. Returns sums over all ranks (see `SUM_NAMES`), and
        `gradient_norm` before clipping. A gradient that is not finite changes nothing and is returned as it is."""
        self.optimizer.zero_grad(set_to_none=True)
        sums = torch.zeros(len(SUM_NAMES), dtype=torch.float64)
        for number, micro in enumerate(micros):
            last = number == len(micros) - 1
            self._sharded.set_requires_gradient_sync(last or not self.config.defer_gradient_sync)
            batch = to_tensors(micro, self.layout, self.device)
            terms, logprobs_N, entropy_N = self._terms(batch, settings)
            loss = terms.loss_N.sum() * micro.scale
            loss.backward()
            if micro.sequences:
                row = _sums(loss, terms, logprobs_N, entropy_N, batch)
                sums = torch.cat([sums[:-1] + row[:-1], torch.maximum(sums[-1:], row[-1:])])
        norm = self._clip_gradient()
        if math.isfinite(norm):
            self.optimizer.step()
        return {**self._over_ranks(sums), "gradient_norm": norm}

    def _terms(self, batch: MicroTensors, settings: LossSettings) -> tuple[TokenTerms, torch.Tensor, torch.Tensor]:
        reference_N = None
        if self.reference is not None:
            with torch.no_grad():
                reference_N = self._forward(self.reference, batch)[0]
        logprobs_N, entropy_N = self._forward(self.model, batch)
        # On-policy the old log-probs are the new ones, so the ratio is exactly 1 and needs no second forward pass.
        old_N = logprobs_N.detach() if batch.old_logprobs_N is None else batch.old_logprobs_N
        return (
            token_losses(logprobs_N, old_N, batch.advantages_N, entropy_N, settings, reference_N),
            logprobs_N,
            entropy_N,
        )

    @staticmethod
    def _forward(model: TokenModel, batch: MicroTensors) -> tuple[torch.Tensor, torch.Tensor]:
        result: tuple[torch.Tensor, torch.Tensor] = model(
            batch.input_ids_BT, batch.position_ids_BT, batch.index_N, batch.targets_N
        )
        return result

    def _clip_gradient(self) -> float:
        norm = nn.utils.get_total_norm([p.grad for p in self.model.parameters() if p.grad is not None])
        # Of sharded gradients each rank knows only its part of the norm.
        whole = norm.full_tensor() if isinstance(norm, DTensor) else norm
        if torch.isfinite(whole):
            nn.utils.clip_grads_with_norm_(self.model.parameters(), self.config.max_gradient_norm, whole)
        return float(whole)

    def _over_ranks(self, sums: torch.Tensor) -> dict[str, float]:
        gathered: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(gathered, sums.tolist())
        total = {name: math.fsum(row[i] for row in gathered) for i, name in enumerate(SUM_NAMES)}
        total["mismatch_max"] = max(row[SUM_NAMES.index("mismatch_max")] for row in gathered)
        # Each rank's loss carries the factor `number of ranks` that FSDP's average takes away again.
        total["loss"] /= dist.get_world_size()
        return total

    def weights(self) -> Arrays:
        """All weights, whole and float32, under their Hugging Face names; only rank 0 returns them."""
        return self._gather({_public(n): p for n, p in self.model.named_parameters()})

    def optimizer_state(self) -> Arrays:
        """`PARAMETER.exp_avg`, `PARAMETER.exp_avg_sq`, `PARAMETER.step`, whole; only rank 0 returns them. Empty
        before the first update."""
        tensors = {}
        for name, parameter in self.model.named_parameters():
            for part, tensor in self.optimizer.state.get(parameter, {}).items():
                tensors[f"{_public(name)}.{part}"] = tensor
        return self._gather(tensors)

    @staticmethod
    def _gather(tensors: dict[str, torch.Tensor]) -> Arrays:
        whole = {}
        for name, tensor in tensors.items():
            full = (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach()
            if dist.get_rank() == 0:
                whole[name] = full.float().cpu().numpy().copy()
        return whole

    def load(self, weights: Arrays, optimizer_state: Arrays) -> None:
        """Take over whole weights and optimizer state; the number of ranks may have changed. Raises DataError."""
        parameters = {_public(n): p for n, p in self.model.named_parameters()}
        if set(weights) != set(parameters):
            odd = sorted(set(weights) ^ set(parameters))[:3]
            raise DataError(f"the checkpoint belongs to another model: parameters differ, e.g. {', '.join(odd)}")
        for name, parameter in parameters.items():
            if tuple(weights[name].shape) != tuple(parameter.shape):
                raise DataError(f"the checkpoint belongs to another model: {name} has shape {weights[name].shape}")
            with torch.no_grad():
                parameter.copy_(self._like(parameter, weights[name]))
            if f"{name}.step" in optimizer_state:
                self.optimizer.state[parameter] = {
                    "step": torch.tensor(float(optimizer_state[f"{name}.step"])),
                    "exp_avg": self._like(parameter, optimizer_state[f"{name}.exp_avg"]),
                    "exp_avg_sq": self._like(parameter, optimizer_state[f"{name}.exp_avg_sq"]),
                }

    def _like(self, parameter: nn.Parameter, array: np.ndarray) -> torch.Tensor:
        full = torch.from_numpy(array.copy()).to(self.device)
        return distribute_tensor(full, self.mesh, parameter.placements) if isinstance(parameter, DTensor) else full


def _public(name: str) -> str:
    """Parameter name without the wrapper."""
    return name.removeprefix("language_model.")


def _sums(
    loss: torch.Tensor, terms: TokenTerms, logprobs_N: torch.Tensor, entropy_N: torch.Tensor, batch: MicroTensors
) -> torch.Tensor:
    """Sums of one micro-batch in the order of `SUM_NAMES`."""
    gap_N = (logprobs_N.detach() - batch.rollout_logprobs_N).abs()
    values = [
        loss, torch.tensor(float(len(batch.targets_N))), terms.clipped_N.sum(), entropy_N.sum(),
        torch.tensor(0.0) if terms.kl_N is None else terms.kl_N.sum(), gap_N.sum(), gap_N.max(),
    ]  # fmt: skip
    return torch.tensor([float(v.detach()) for v in values], dtype=torch.float64)
