"""FSDP2 on gloo: one process, two processes and the plain reference give the same gradient, update and state."""

from pathlib import Path

import numpy as np
import pytest
import reference
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from small_models import random_sequences
from torch.distributed.tensor import DTensor

from components.core.errors import DataError
from components.train.batch import micro_batches
from components.train.config import TrainConfig
from components.train.loss import LossSettings
from components.train.policy import Policy

ALPHA = 0.005
LAYOUT = {1: "packed", 2: "padded"}


def run_rank(rank: int, world: int, model: str, folder: str, carried: str = "") -> None:
    """Two updates on one rank (only the second, from `carried`'s state, when that is given); rank 0 saves results."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=world)
    try:
        config = TrainConfig(
            learning_rate=1e-3,
            max_gradient_norm=0.5,
            head_chunk_tokens=32,
            num_trainer_ranks=world,
            defer_gradient_sync=world == 2,
            reshard_after_forward=world == 1,
        )
        policy = Policy(Path(model), config, LAYOUT[world])
        result = {}
        for number in (1, 2):
            if carried and number == 1:
                before = torch.load(carried)
                policy.load(_arrays(before["weights1"]), _arrays(before["optimizer1"]))
                continue
            sequences = random_sequences(seed=number)
            micros = micro_batches(sequences, world, 120, LAYOUT[world])[rank]
            result[f"before{number}"] = policy.logprobs(micros)
            result[f"sums{number}"] = policy.update(micros, LossSettings(entropy_alpha=ALPHA))
            result[f"gradient{number}"] = torch.cat(
                [
                    (p.grad.full_tensor() if isinstance(p.grad, DTensor) else p.grad).flatten()
                    for p in policy.model.parameters()
                ]
            )
            result[f"weights{number}"], result[f"optimizer{number}"] = policy.weights(), policy.optimizer_state()
        result["logprobs"] = policy.logprobs(micro_batches(random_sequences(seed=3), world, 120, LAYOUT[world])[rank])
        if rank == 0:
            torch.save({k: _tensors(v) for k, v in result.items()}, f"{folder}/result")
    finally:
        dist.destroy_process_group()


def _arrays(tensors):
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def _tensors(value):
    """NumPy arrays as tensors, which torch.load takes without pickled code."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, dict):
        return {k: _tensors(v) for k, v in value.items()}
    return [_tensors(v) for v in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def results(tiny_model, tmp_path_factory):
    """World size -> what rank 0 saved."""
    found = {}
    for world in (1, 2):
        folder = tmp_path_factory.mktemp(f"world{world}")
        if world == 1:
            run_rank(0, 1, str(tiny_model), str(folder))
        else:
            mp.spawn(run_rank, (world, str(tiny_model), str(folder)), nprocs=world)
        found[world] = {"path": str(folder / "result"), **torch.load(folder / "result")}
    return found


@pytest.mark.parametrize("world", [1, 2])
def test_gradient_of_all_ranks_equals_the_reference(results, tiny_model, world):
    _, expected = reference.gradient(reference.load_double(tiny_model), random_sequences(seed=1), alpha=ALPHA)
    sums = results[world]["sums1"]
    assert sums["gradient_norm"] == pytest.approx(float(expected.norm()), rel=1e-5)
    # What the optimizer saw is the gradient clipped to norm 0.5.
    clipped = expected * min(1.0, 0.5 / float(expected.norm()))
    assert reference.relative_error(results[world]["gradient1"], clipped) < 1e-5


@pytest.mark.parametrize("world", [1, 2])
def test_sums_are_those_of_the_whole_batch(results, tiny_model, world):
    sequences = random_sequences(seed=1)
    loss, _ = reference.gradient(reference.load_double(tiny_model), sequences, alpha=ALPHA)
    sums = results[world]["sums1"]
    assert sums["tokens"] == sum(len(s.response_ids) for s in sequences)
    assert sums["loss"] == pytest.approx(loss, rel=1e-5)
    assert sums["clipped"] == 0
    assert 0 < sums["mismatch"] / sums["tokens"] < sums["mismatch_max"]


def test_one_and_two_ranks_take_the_same_update(results):
    for part in ("weights2", "optimizer2"):
        one, two = results[1][part], results[2][part]
        assert set(one) == set(two)
        for name, value in one.items():
            assert torch.allclose(value, two[name], atol=2e-5, rtol=1e-4), name


def test_log_probs_follow_the_weights(results, tiny_model):
    """The forward pass without gradient sees the first update, and leaves the second one right."""
    first, second = (micro_batches(random_sequences(seed=n), 1, 120, "packed")[0] for n in (1, 2))
    model = reference.load_double(tiny_model)
    for number, micros in ((1, first), (2, second)):
        if number == 2:
            model.load_state_dict({k: v.double() for k, v in results[1]["weights1"].items()}, strict=False)
        for micro, found in zip(micros, results[1][f"before{number}"], strict=True):
            for sequence, logprobs in zip(micro.sequences, found, strict=True):
                ids = torch.tensor([[*sequence.prompt_ids.tolist(), *sequence.response_ids.tolist()]])
                logits = model(ids).logits[0, len(sequence.prompt_ids) - 1 : -1].log_softmax(-1)
                expected = logits.gather(1, torch.tensor(sequence.response_ids)[:, None])[:, 0]
                assert torch.allclose(logprobs.double(), expected, atol=2e-5)


def test_first_update_is_adamw_by_hand(results, tiny_model):
    before = dict(reference.load_double(tiny_model).named_parameters())
    gradients = iter(results[1]["gradient1"].split([p.numel() for p in before.values()]))
    for name, parameter in before.items():
        gradient = next(gradients).view_as(parameter).double()
        step = gradient / (gradient.abs() + 1e-8)
        expected = parameter * (1 - 1e-3 * 0.01) - 1e-3 * step
        assert torch.allclose(results[1]["weights1"][name].double(), expected, atol=1e-6), name


def test_state_of_two_ranks_continues_on_one(results, tiny_model, tmp_path):
    run_rank(0, 1, str(tiny_model), str(tmp_path), results[2]["path"])
    continued = torch.load(tmp_path / "result")
    for part in ("weights2", "optimizer2"):
        for name, value in continued[part].items():
            assert torch.allclose(value, results[2][part][name], atol=2e-5, rtol=1e-4), name


def test_state_of_another_model_is_refused(tiny_model, tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    try:
        policy = Policy(tiny_model, TrainConfig(), "padded")
        with pytest.raises(DataError, match="another model"):
            policy.load({"x": np.zeros(1, np.float32)}, {})
    finally:
        dist.destroy_process_group()
