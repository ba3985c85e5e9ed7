"""The planned steps: order, links, cutting."""

import pytest

from components.core.errors import ConfigError
from pipelines.steps import plan_steps, up_to


def test_every_link_points_to_an_earlier_step():
    steps = plan_steps(["a", "b"], 3)
    seen = set()
    for step in steps:
        assert {source for links in step.inputs.values() for source, _ in links} <= seen
        seen.add(step.name)
    assert [s.name for s in steps if s.stage == "evaluate"] == [
        "evaluate-base",
        "evaluate-1",
        "evaluate-2",
        "evaluate-final",
    ]


def test_until_keeps_just_what_a_step_needs():
    names = [s.name for s in up_to(plan_steps(["a", "b"], 2), "dedup")]
    assert names == ["ingest-a", "ingest-b", "filter", "answers", "validate_tests", "dedup"]
    with pytest.raises(ConfigError, match="no step 'dedupe'.*dedup"):
        up_to(plan_steps(["a"], 1), "dedupe")


def test_without_train_stages_the_graph_ends_at_the_base_evaluation():
    assert [s.name for s in plan_steps(["a"], 0)][-2:] == ["mix", "evaluate-base"]
