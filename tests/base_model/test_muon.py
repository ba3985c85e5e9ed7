"""Muon: the orthogonalised update, and that it minimises."""

import torch

from components.base_model.muon import Muon, orthogonalise


def test_singular_values_become_about_one_and_directions_stay():
    torch.manual_seed(0)
    for shape in ((3, 16, 40), (2, 40, 16), (1, 24, 24)):
        matrices = torch.randn(shape)
        update = orthogonalise(matrices)
        values = torch.linalg.svdvals(update)
        # The quintic iteration overshoots on purpose: it ends between 0.7 and 1.2 but for the smallest few.
        assert update.shape == matrices.shape
        assert values.max() < 1.25 and values.median() > 0.65
        u, _, v = torch.linalg.svd(matrices, full_matrices=False)
        assert torch.nn.functional.cosine_similarity(update.flatten(), (u @ v).flatten(), dim=0) > 0.97


def test_one_step_moves_by_the_learning_rate_whatever_the_gradient_scale():
    for scale in (1e-3, 1e3):
        weight = torch.nn.Parameter(torch.zeros(8, 32))
        torch.manual_seed(1)
        weight.grad = scale * torch.randn(8, 32)
        Muon([weight], lr=0.1).step()
        assert 0.06 < torch.linalg.svdvals(weight).median() < 0.13


def test_least_squares_converges():
    torch.manual_seed(2)
    target, weight = torch.randn(12, 20), torch.nn.Parameter(torch.zeros(12, 20))
    optimizer = Muon([weight], lr=0.1, weight_decay=0.0)
    for step in range(200):
        optimizer.param_groups[0]["lr"] = 0.1 * (1 - step / 200)
        weight.grad = 2 * (weight.detach() - target)
        optimizer.step()
    assert (weight - target).abs().max() < 0.1
