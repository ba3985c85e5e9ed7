from dataclasses import replace

import pytest
from small_models import write_digit_problems

from components.core.records import Problem, Source, read_problems
from components.train.config import TrainConfig
from components.train.plan import Plan, count_visits, hold_out, row_keys, solved_problems
from components.train.problem_pool import choose_problems


def problem(name, row=0):
    return Problem(f"row-{name}-{row}", name, "math", f"statement {name}", Source("s", "1", row), answers=("1",))


KEYS = tuple(f"p{i}#0" for i in range(53))


def test_every_epoch_visits_each_row_at_most_once_and_epochs_differ():
    plan = Plan(KEYS, 8, seed=1)
    epochs = [[r for b in range(6) for r in plan.batch(6 * e + b)] for e in range(4)]
    for epoch in epochs:
        assert len(epoch) == len(set(epoch)) == 48
    assert len({tuple(e) for e in epochs}) == 4


def test_batch_is_a_pure_function_of_data_seed_and_step():
    forward, jumping = Plan(KEYS, 8, seed=1), Plan(KEYS, 8, seed=1)
    batches = [forward.batch(k) for k in range(30)]
    assert [jumping.batch(k) for k in (29, 3, 17, 3)] == [batches[k] for k in (29, 3, 17, 3)]
    assert Plan(KEYS, 8, seed=2).batch(0) != batches[0]
    assert Plan(KEYS[:-1], 8, seed=1).digest != forward.digest


def test_a_data_set_smaller_than_the_batch_is_used_whole():
    assert sorted(Plan(KEYS[:5], 8, seed=1).batch(11)) == [0, 1, 2, 3, 4]


def test_least_visited_rows_come_first_in_the_first_epoch_only():
    visits = {key: 1 for key in KEYS[:40]}
    plan = Plan(KEYS, 8, 1, visits)
    assert set(plan.batch(0)) <= set(range(40, 53))
    assert not set(plan.batch(6)) <= set(range(40, 53))


def test_copies_of_a_problem_have_keys_of_their_own_and_share_visits():
    keys = row_keys([problem("a"), problem("b"), problem("a", 1)])
    assert keys == ["a#0", "b#0", "a#1"]
    visits = count_visits([{"problem_id": "a"}, {"problem_id": "a"}, {"problem_id": "a"}, {"problem_id": "gone"}], keys)
    assert visits == {"a#0": 2, "a#1": 1}


def test_held_out_ids_do_not_depend_on_order_or_on_the_rest():
    ids = [f"p{i}" for i in range(100)]
    chosen = hold_out(ids, 10, 1)
    assert len(chosen) == 10 and chosen == hold_out(ids[::-1] * 2, 10, 1)
    assert len(hold_out(ids[:20], 10, 1)) == 5


@pytest.mark.parametrize(
    ("visits", "solved"),
    [
        ([(8, 8)], True),
        ([(7, 8)], False),
        ([(8, 8), (5, 8)], False),
        ([(5, 8), (8, 8)], True),
        ([(8, 8), (0, 0)], True),
    ],
)
def test_solved_means_all_correct_at_the_last_graded_visit(visits, solved):
    rows = [{"problem_id": "a", "num_correct": c, "num_graded": n} for c, n in visits]
    assert solved_problems(rows) == ({"a"} if solved else set())


def test_the_marks_of_the_mix_decide_repeats_and_held_out_problems(tiny_model, tmp_path):
    rows = read_problems(write_digit_problems(tmp_path / "p.parquet", count=6))
    problems = [replace(p, metadata={"split": "train", "repeat": 1 + i % 2}) for i, p in enumerate(rows)]
    problems[0] = replace(problems[0], metadata={"split": "development", "repeat": 1})
    pool = choose_problems(TrainConfig.parse({}), problems, [], tiny_model)
    assert [p.problem.problem_id for p in pool.held_out] == [problems[0].problem_id]
    copies = [p.problem.problem_id for p in pool.training]
    assert sorted(copies) == sorted([problems[i].problem_id for i in (1, 1, 2, 3, 3, 4, 5, 5)])
    assert len({p.key for p in pool.training}) == 8
