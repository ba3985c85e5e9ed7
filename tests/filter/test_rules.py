"""Every rule keeps and drops its own examples; every rule and setting is listed."""

from typing import get_args

import pytest

from components.core.records import Problem
from components.filter.config import FilterConfig, RuleName
from components.filter.rule import Rule
from components.filter.rules.catalog import RULES
from components.filter.run import apply_rules

KEPT = [(rule, problem) for rule in RULES for problem in rule.kept]
DROPPED = [(rule, problem) for rule in RULES for problem in rule.dropped]


@pytest.mark.parametrize(("rule", "problem"), KEPT, ids=[f"{r.name}-{i}" for i, (r, _) in enumerate(KEPT)])
def test_examples_that_stay(rule: Rule, problem: Problem) -> None:
    assert rule.check(problem, rule.config) is None


@pytest.mark.parametrize(("rule", "problem"), DROPPED, ids=[f"{r.name}-{i}" for i, (r, _) in enumerate(DROPPED)])
def test_examples_that_go(rule: Rule, problem: Problem) -> None:
    assert rule.check(problem, rule.config)
    kept, dropped = apply_rules([problem], rule.config)
    assert not kept and rule.name in (dropped[0].reason, *dropped[0].evidence["also"])


def test_the_catalog_and_the_setting_name_the_same_rules() -> None:
    names = [rule.name for rule in RULES]
    assert sorted(names) == sorted(get_args(RuleName)) and len(set(names)) == len(names)


def test_every_rule_has_examples_on_both_sides() -> None:
    assert all(rule.kept and rule.dropped for rule in RULES)


def test_a_rule_can_be_switched_off() -> None:
    problem = next(rule for rule in RULES if rule.name == "yes_no").dropped[0]
    assert apply_rules([problem], FilterConfig())[1][0].reason == "yes_no"
    assert apply_rules([problem], FilterConfig(disabled=("yes_no",)))[0] == [problem]
