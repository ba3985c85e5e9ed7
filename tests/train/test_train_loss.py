"""Our micro-batched loss and gradient against the plain float64 reference, for any way to cut the batch up."""

import random

import numpy as np
import pytest
import reference
import torch
from small_models import build_model, random_sequences

from components.train.batch import MicroBatch, micro_batches, to_tensors
from components.train.loss import LossSettings, clipped_surrogate, kl_divergence, token_losses
from components.train.policy import TokenModel, load_language_model


def our_gradient(model: TokenModel, ranks, layout: str, settings: LossSettings, reference_model=None):
    """Sum over ranks of each rank's gradient, divided by their number: what FSDP's average gives."""
    model.zero_grad(set_to_none=True)
    total = 0.0
    for micro in (m for rank in ranks for m in rank):
        batch = to_tensors(micro, layout)
        args = (batch.input_ids_BT, batch.position_ids_BT, batch.index_N, batch.targets_N)
        logprobs_N, entropy_N = model(*args)
        with torch.no_grad():
            reference_N = None if reference_model is None else reference_model(*args)[0]
        old_N = logprobs_N.detach() if batch.old_logprobs_N is None else batch.old_logprobs_N
        terms = token_losses(logprobs_N, old_N, batch.advantages_N, entropy_N, settings, reference_N)
        loss = terms.loss_N.sum() * micro.scale / len(ranks)
        loss.backward()
        total += float(loss.detach())
    return total, torch.cat([p.grad.flatten() for p in model.parameters()]).double()


def ours(folder, dtype, temperature=1.0, chunk=4096) -> TokenModel:
    return TokenModel(load_language_model(folder).to(dtype), temperature, chunk)


CUTS = [
    ("padded", 60, 1),
    ("padded", 10**6, 1),
    ("packed", 90, 1),
    ("packed", 10**6, 3),
    ("padded", 1, 2),
    ("packed", 200, 4),
]


@pytest.mark.parametrize("off_policy", [False, True])
def test_gradient_equals_the_reference_for_every_cut(tiny_model, off_policy):
    sequences = random_sequences(off_policy=off_policy)
    settings = LossSettings(entropy_alpha=0.005)
    loss, expected = reference.gradient(reference.load_double(tiny_model), sequences, alpha=0.005)
    for dtype, limit in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        model = ours(tiny_model, dtype, chunk=50)
        for layout, max_tokens, ranks in CUTS:
            micros = micro_batches(sequences, ranks, max_tokens, layout)
            value, gradient = our_gradient(model, micros, layout, settings)
            assert reference.relative_error(gradient, expected) < limit
            assert value == pytest.approx(loss, rel=1e-5)


def test_random_partitions_give_one_gradient(tiny_model):
    sequences = random_sequences(10)
    model, settings = ours(tiny_model, torch.float32), LossSettings(entropy_alpha=0.002)
    total = sum(len(s.response_ids) for s in sequences)
    _, expected = our_gradient(model, micro_batches(sequences, 1, 10**6, "packed"), "packed", settings)
    draw = random.Random(5)
    for _ in range(6):
        order = draw.sample(sequences, len(sequences))
        cuts = sorted(draw.sample(range(1, len(order)), draw.randint(1, 5)))
        parts = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)]
        layout = draw.choice(["padded", "packed"])
        _, gradient = our_gradient(model, [[MicroBatch(tuple(p), 1 / total) for p in parts]], layout, settings)
        assert reference.relative_error(gradient, expected) < 1e-5


def test_temperature_clip_and_divergence_match_the_reference(tiny_model, tmp_path):
    sequences = random_sequences(8, off_policy=True)
    other = build_model(tmp_path / "other", seed=9)
    _, expected = reference.gradient(
        reference.load_double(tiny_model), sequences, 0.003, 0.7, 0.1, 0.3, 0.05, reference.load_double(other)
    )
    settings = LossSettings(0.1, 0.3, 0.003, 0.05, "k3")
    micros = micro_batches(sequences, 2, 80, "packed")
    _, gradient = our_gradient(
        ours(tiny_model, torch.float32, 0.7), micros, "packed", settings, ours(other, torch.float32, 0.7)
    )
    assert reference.relative_error(gradient, expected) < 1e-5


def test_on_policy_gradient_is_reinforce_and_nothing_is_clipped():
    logprobs = torch.tensor([-0.3, -2.0, -5.0], dtype=torch.float64, requires_grad=True)
    advantages = torch.tensor([1.5, -0.5, 0.0], dtype=torch.float64)
    terms = token_losses(logprobs, logprobs.detach(), advantages, torch.zeros(3), LossSettings())
    terms.loss_N.sum().backward()
    assert torch.equal(logprobs.grad, -advantages)
    assert not terms.clipped_N.any()


@pytest.mark.parametrize(
    ("ratio", "advantage", "gain", "has_gradient"),
    [
        (1.3, 1.0, 1.2, False), (1.3, -1.0, -1.3, True), (0.7, 1.0, 0.7, True), (0.7, -1.0, -0.8, False),
        (1.1, 2.0, 2.2, True), (0.9, -2.0, -1.8, True),
    ],
)  # fmt: skip
def test_clip_stops_the_gradient_on_the_right_side_only(ratio, advantage, gain, has_gradient):
    logprobs = torch.tensor([float(np.log(ratio))], dtype=torch.float64, requires_grad=True)
    value, clipped = clipped_surrogate(logprobs, torch.zeros(1), torch.tensor([advantage]), 0.2, 0.2)
    value.sum().backward()
    assert float(value.detach()) == pytest.approx(gain)
    assert bool(logprobs.grad != 0) is has_gradient
    assert bool(clipped) is not has_gradient


def test_divergence_estimators_by_hand():
    logprobs, reference_logprobs = torch.tensor([-1.0], dtype=torch.float64), torch.tensor([-1.5], dtype=torch.float64)
    assert float(kl_divergence(logprobs, reference_logprobs, "k1")) == pytest.approx(0.5)
    assert float(kl_divergence(logprobs, reference_logprobs, "k2")) == pytest.approx(0.125)
    assert float(kl_divergence(logprobs, reference_logprobs, "k3")) == pytest.approx(np.exp(-0.5) + 0.5 - 1)


def test_released_aggregation_by_hand():
    sequences = random_sequences(6)
    for rank in micro_batches(sequences, 2, 40, "packed", nominal_sequences=12):
        for micro in rank:
            tokens = sum(len(s.response_ids) for s in micro.sequences)
            assert not micro.sequences or micro.scale == pytest.approx(len(micro.sequences) / (12 / 2) / tokens)
