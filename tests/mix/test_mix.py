"""The mix stage: order, quotas, repeats, split and card."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.core.errors import ConfigError, DataError
from components.core.records import Problem, Source, read_problems, write_problems
from components.core.step import execute
from components.mix.config import MixConfig
from components.mix.run import STAGE, mix


def problem(row: int, domain: str = "math", rate: float | None = 0.5, licence: str = "MIT") -> Problem:
    source = Source(f"source-{row % 2}", "1", row, licence)
    return Problem(f"r{row}", f"p{row}", domain, f"What is {row}+1?", source, ("7",), pass_rate=rate)  # type: ignore[arg-type]


def run_mix(folder: Path, pool: list[Problem], **config: object) -> tuple[list[Problem], dict, dict]:
    write_problems(folder / "in.parquet", pool)
    outputs = {"kept": folder / "kept.parquet", "data_card": folder / "data_card.json"}
    result = execute(STAGE, "mix", json.dumps(config), {"problems": folder / "in.parquet"}, outputs)
    return read_problems(outputs["kept"]), json.loads(outputs["data_card"].read_text()), result.counts


def test_code_counts_twice_without_copies(tmp_path: Path) -> None:
    pool = [problem(i, "code" if i < 3 else "math") for i in range(10)]
    kept, card, counts = run_mix(tmp_path, pool, development_share=0)
    assert len(kept) == 10 and {(p.domain, p.metadata["repeat"]) for p in kept} == {("code", 2), ("math", 1)}
    assert card["examples_per_epoch"] == 3 * 2 + 7 and card["by_domain"] == {"code": 3, "math": 7}
    assert counts["rows_in"] == counts["rows_kept"] == counts["train"] == 10


def test_rows_over_a_quota_are_named_in_the_card(tmp_path: Path) -> None:
    pool = [problem(i, "code" if i % 2 else "math") for i in range(20)]
    kept, card, counts = run_mix(tmp_path, pool, max_problems=12, max_problems_by_domain={"code": 4})
    assert counts["dropped"] == {"over_quota": 8} and counts["rows_in"] == 20
    assert sum(p.domain == "code" for p in kept) <= 4 and len(kept) == 12
    assert sorted([*card["over_quota"]["row_ids"], *(p.row_id for p in kept)]) == sorted(p.row_id for p in pool)


def test_the_card_counts_by_hand(tmp_path: Path) -> None:
    rates = [0.0, 0.05, 0.1, 0.95, 1.0, None]
    pool = [problem(i, rate=rate, licence="MIT" if i else "") for i, rate in enumerate(rates)]
    _, card, _ = run_mix(tmp_path, pool, development_share=0)
    bins = {b["from"]: b["problems"] for b in card["pass_rate"]["math"]["histogram"]}
    assert bins[0.0] == 2 and bins[0.1] == 1 and bins[0.9] == 2 and sum(bins.values()) == 5
    assert card["pass_rate"]["math"]["unknown"] == 1 and card["pass_rate"]["math"]["mean"] == 0.42
    assert card["by_licence"] == {"MIT": 5, "unknown": 1}
    assert [(s["name"], s["licence"], s["problems"]) for s in card["sources"]] == [
        ("source-0", "unknown", 1), ("source-0", "MIT", 2), ("source-1", "MIT", 3),
    ]  # fmt: skip
    assert card["statement_chars"]["0"] == card["statement_chars"]["1"] == 12


def test_sixteenths_fall_into_the_right_bins(tmp_path: Path) -> None:
    pool = [problem(i, rate=i / 16) for i in range(17)]
    _, card, _ = run_mix(tmp_path, pool, development_share=0)
    counts = [b["problems"] for b in card["pass_rate"]["math"]["histogram"]]
    assert counts == [2, 2, 1, 2, 1, 2, 2, 1, 2, 2]


def test_the_split_has_about_its_share_and_survives_changes_of_the_pool() -> None:
    pool = [problem(i) for i in range(3000)]
    config = MixConfig(development_share=0.1)
    split = {p.row_id: p.metadata["split"] for p in mix(pool, config)[0]}
    held_out = sum(side == "development" for side in split.values())
    assert abs(held_out - 300) < 5 * 16.5  # five standard deviations of a binomial
    smaller = mix(pool[::7], config)[0]
    assert all(split[p.row_id] == p.metadata["split"] for p in smaller)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_result_does_not_depend_on_input_order(size: int, limit: int, seed: int, rng: Random) -> None:
    pool = [problem(i, rng.choice(("math", "code"))) for i in range(size)]
    config = MixConfig(max_problems=limit, seed=seed)
    kept, over = mix(pool, config)
    assert len(kept) + len(over) == size and (not limit or len(kept) == min(limit, size))
    rng.shuffle(pool)
    assert mix(pool, config) == (kept, over)


def test_another_seed_gives_another_order() -> None:
    pool = [problem(i) for i in range(50)]
    first, second = (mix(pool, MixConfig(seed=seed))[0] for seed in (0, 1))
    assert [p.row_id for p in first] != [p.row_id for p in second] != [p.row_id for p in pool]


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    pool = [problem(i, "code" if i % 3 == 0 else "math") for i in range(40)]
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        run_mix(tmp_path / name, pool)
        files.append([(tmp_path / name / file).read_bytes() for file in ("kept.parquet", "data_card.json")])
    assert files[0] == files[1]


def test_nothing_to_train_on_and_wrong_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none of 0 problems"):
        run_mix(tmp_path, [])
    with pytest.raises(ConfigError, match="repeats"):
        run_mix(tmp_path, [problem(0)], repeats={"code": 0})
    with pytest.raises(ConfigError, match="repeats"):
        run_mix(tmp_path, [problem(0)], repeats={"poetry": 1})
