import numpy as np
import pytest

from components.train.advantage import group_advantages
from components.train.select import select

VECTORS = [
    (4, 1, 1.5, -0.5), (4, 2, 0.8660, -0.8660), (4, 3, 0.5, -1.5),
    (8, 1, 2.4749, -0.3536), (8, 4, 0.9354, -0.9354), (8, 7, 0.3536, -2.4749),
    (16, 1, 3.75, -0.25), (16, 8, 0.9682, -0.9682), (16, 15, 0.25, -3.75),
    (32, 1, 5.4800, -0.1768), (32, 16, 0.9842, -0.9842), (32, 31, 0.1768, -5.4800),
    (64, 1, 7.8749, -0.125), (64, 32, 0.9922, -0.9922), (64, 63, 0.125, -7.8749),
]  # fmt: skip


@pytest.mark.parametrize(("size", "correct", "up", "down"), VECTORS)
def test_advantage_vectors(size, correct, up, down):
    rewards = np.array([[1.0] * correct + [0.0] * (size - correct)])
    advantages = group_advantages(rewards)[0]
    assert advantages[0] == pytest.approx(up, abs=1e-4)
    assert advantages[-1] == pytest.approx(down, abs=1e-4)
    assert abs(advantages.sum()) < 1e-9


def test_advantages_ignore_shift_and_scale_of_the_rewards():
    rewards = np.random.default_rng(0).normal(size=(5, 8))
    # 1e-6 beside the standard deviation is all that keeps this from being exact.
    assert np.allclose(group_advantages(rewards), group_advantages(3 * rewards + 7), atol=1e-4)


def test_groups_of_one_and_of_equal_rewards():
    assert group_advantages(np.array([[1.0]]))[0, 0] == pytest.approx(1.0)
    equal = np.full((1, 7), 0.1) + 0.2
    assert not group_advantages(equal).any()


def grid(rows):
    return np.array(rows, float)


def test_rejection_keeps_whole_groups_with_a_non_zero_advantage():
    rewards = grid([[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]])
    everything = np.ones_like(rewards, bool)
    chosen = select(rewards, everything, ~everything)
    assert chosen.kept_P.tolist() == [False, False, True, False]
    assert chosen.rejected == {"all_correct": 1, "all_wrong": 1, "equal_rewards": 1}
    assert chosen.in_loss_PG.sum() == 4
    kept_all = select(rewards, everything, ~everything, reject_zero_advantage=False)
    assert kept_all.kept_P.all() and not kept_all.advantages_PG[[0, 1, 3]].any()


def test_a_sample_that_could_not_be_graded_leaves_its_group():
    rewards = grid([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0]])
    graded = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 1, 0]], bool)
    chosen = select(rewards, graded, np.zeros_like(graded))
    # 1, 0, 0: mean 1/3, unbiased std sqrt(1/3).
    assert chosen.advantages_PG[0] == pytest.approx([2 / 3 / 3**-0.5, -1 / 3 / 3**-0.5, -1 / 3 / 3**-0.5, 0], abs=1e-5)
    assert chosen.in_loss_PG[0].tolist() == [True, True, True, False]
    assert chosen.rejected == {"too_few_graded": 1, "all_correct": 1}


def test_truncation_masks():
    rewards = grid([[1, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    truncated = np.array([[0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]], bool)
    graded = np.ones_like(truncated)
    plain = select(rewards, graded, truncated, "none")
    assert plain.kept_P.all() and plain.in_loss_PG.all()
    after = select(rewards, graded, truncated, "after")
    assert after.kept_P.all()
    assert np.array_equal(after.advantages_PG, np.where(truncated, 0, plain.advantages_PG))
    assert np.array_equal(after.in_loss_PG, ~truncated)
    before = select(rewards, graded, truncated, "before")
    assert before.kept_P.tolist() == [True, False, False]
    assert before.rejected == {"too_few_graded": 1, "all_correct": 1}
    assert before.advantages_PG[0] == pytest.approx([2 / 3 / 3**-0.5, -1 / 3 / 3**-0.5, -1 / 3 / 3**-0.5, 0], abs=1e-5)
    counted = select(rewards, graded, truncated, "before", masked_tokens_in_mean=True)
    assert counted.in_loss_PG[0].all() and not counted.advantages_PG[0, 3]
