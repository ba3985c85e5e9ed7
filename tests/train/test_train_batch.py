import numpy as np
import pytest
import torch
from small_models import build_model, random_sequences

from components.train.batch import balance, micro_batches, split_by_tokens, to_tensors
from components.train.head import logprobs_and_entropy
from components.train.policy import TokenModel, load_language_model


def test_balance_keeps_every_item_once_and_loads_even():
    lengths = [int(x) for x in np.random.default_rng(0).integers(5, 400, 101)]
    ranks = balance(lengths, 4)
    assert sorted(i for rank in ranks for i in rank) == list(range(101))
    loads = [sum(lengths[i] for i in rank) for rank in ranks]
    assert max(loads) - min(loads) <= max(lengths)


@pytest.mark.parametrize("layout", ["padded", "packed"])
def test_micro_batches_respect_the_token_budget(layout):
    lengths = [int(x) for x in np.random.default_rng(1).integers(5, 100, 60)] + [500]
    bins = split_by_tokens(range(61), lengths, 256, layout)
    assert sorted(i for part in bins for i in part) == list(range(61))
    for part in bins:
        size = len(part) * max(lengths[i] for i in part) if layout == "padded" else sum(lengths[i] for i in part)
        assert size <= 256 or part == [60]


def test_ranks_run_equally_many_micro_batches_even_when_one_has_no_sequence():
    sequences = random_sequences(2)
    ranks = micro_batches(sequences, 3, 10, "padded")
    assert len({len(rank) for rank in ranks}) == 1
    dummy = next(m for rank in ranks for m in rank if not m.sequences)
    assert dummy.scale == 0.0
    assert to_tensors(dummy, "padded").targets_N.shape == (1,)


@pytest.mark.parametrize("tied", [True, False])
def test_layouts_give_the_log_probs_of_each_sequence_alone(tmp_path, tied):
    model = load_language_model(build_model(tmp_path / "model", tied=tied))
    wrapped = TokenModel(model, 1.3, 64)
    sequences = random_sequences(9)
    expected = []
    for s in sequences:
        ids = torch.tensor([[*s.prompt_ids.tolist(), *s.response_ids.tolist()]])
        logits = model(ids).logits[0, len(s.prompt_ids) - 1 : -1].double() / 1.3
        expected.append(logits.log_softmax(-1)[torch.arange(len(s.response_ids)), torch.tensor(s.response_ids)])
    for layout in ("padded", "packed"):
        for micro in micro_batches(sequences, 1, 150, layout)[0]:
            batch = to_tensors(micro, layout)
            got, _ = wrapped(batch.input_ids_BT, batch.position_ids_BT, batch.index_N, batch.targets_N)
            wanted = torch.cat([expected[sequences.index(s)] for s in micro.sequences])
            assert torch.allclose(got.double(), wanted, atol=2e-5)


def test_every_reported_token_is_in_the_loss_end_token_included():
    sequences = random_sequences(5)
    micros = micro_batches(sequences, 1, 10**6, "padded")[0]
    batch = to_tensors(micros[0], "padded")
    assert len(batch.targets_N) == sum(len(s.response_ids) for s in sequences)
    flat = batch.input_ids_BT.flatten()
    assert torch.equal(flat[batch.index_N + 1], batch.targets_N)


def test_chunked_head_equals_the_plain_one_and_the_textbook_entropy():
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(37, 16, generator=generator, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(50, 16, generator=generator, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(50, generator=generator, dtype=torch.float64)
    targets = torch.randint(0, 50, (37,), generator=generator)
    probabilities = torch.softmax((hidden @ weight.T + bias) / 0.6, -1)
    wanted_entropy = torch.distributions.Categorical(probs=probabilities).entropy()
    wanted_logprobs = probabilities[torch.arange(37), targets].log()
    wanted = torch.autograd.grad((wanted_logprobs * 2 + wanted_entropy).sum(), (hidden, weight))
    for chunk in (5, 37, 100):
        logprobs, entropy = logprobs_and_entropy(hidden, weight, bias, targets, 0.6, chunk)
        got = torch.autograd.grad((logprobs * 2 + entropy).sum(), (hidden, weight))
        assert torch.allclose(entropy, wanted_entropy, atol=1e-12)
        assert torch.allclose(logprobs, wanted_logprobs, atol=1e-12)
        assert all(torch.allclose(a, b, atol=1e-11) for a, b in zip(got, wanted, strict=True))


def test_half_precision_logits_are_widened_before_the_softmax():
    hidden = torch.randn(4, 8, generator=torch.Generator().manual_seed(1)).bfloat16()
    weight = torch.randn(30, 8, generator=torch.Generator().manual_seed(2)).bfloat16()
    targets = torch.tensor([1, 2, 3, 4])
    logprobs, entropy = logprobs_and_entropy(hidden, weight, None, targets, 1.0, 10)
    expected = (hidden @ weight.T).double().log_softmax(-1)[torch.arange(4), targets]
    assert logprobs.dtype == entropy.dtype == torch.float32
    assert torch.allclose(logprobs.double(), expected, atol=1e-5)
