"""The programming problems: reference programs pass, and programs with one thing changed fail."""

import contextlib
import io
import json
import sys
from random import Random

import pytest

from components.world.code_families import CODE_FAMILIES, make_code


def passes(program, tests):
    """Plain oracle, for the programs of this test alone."""
    for given, expected in zip(tests["inputs"], tests["outputs"], strict=True):
        space, printed = {}, io.StringIO()
        try:
            if tests["kind"] == "function_call":
                exec(program, space)
                if space[tests["fn_name"]](*given) != expected:
                    return False
                continue
            sys.stdin = io.StringIO(given)
            with contextlib.redirect_stdout(printed):
                exec(program, space)
        except Exception:
            return False
        finally:
            sys.stdin = sys.__stdin__
        if printed.getvalue() != expected:
            return False
    return True


@pytest.mark.parametrize("family", CODE_FAMILIES)
def test_reference_passes_and_tests_are_json(family):
    for seed in range(100):
        item = make_code(family, Random(seed))
        assert item == make_code(family, Random(seed))
        assert json.loads(json.dumps(item.tests)) == item.tests
        assert 5 <= len(item.tests["inputs"]) == len(item.tests["outputs"]) <= 8
        assert passes(item.program, item.tests), item
        assert item.expression in item.program
        assert item.program.startswith(item.starter_code)
        assert (item.tests["kind"] == "stdin_stdout") == (item.fn_name == "") == (item.starter_code == "")


def variants(expression):
    """The expression with one operator, comparison, function or constant changed."""
    swaps = (
        ("+", "-"), ("-", "+"), ("*", "+"), (">=", ">"), (">", ">="), ("<=", "<"), ("<", "<="), ("==0", "==1"),
        ("==1", "==0"), ("max", "min"), ("min", "max"), ("sum(", "len("), ("len(", "sum("), ("xs[0]", "xs[-1]"),
        ("[::-1]", ""), (".upper()", ""), ("2", "3"), ("5", "6"), ("x for", "1 for"),
        (".find(", ".rfind("), (".count(", ".find("),
    )  # fmt: skip
    letters = [(f"'{letter}'", "'z'") for letter in "abcdehlmnoprstuw"]
    for old, new in (*swaps, *letters):
        changed = expression.replace(old, new, 1)
        if changed != expression and ">==" not in changed and "<==" not in changed:
            yield changed


def equivalent(one, other, item):
    """Whether two expressions agree on many more inputs than the tests have."""
    rng = Random(0)
    arguments = item.starter_code.partition("(")[2].rstrip("):").split(", ") if item.starter_code else None
    arguments = arguments or (["xs"] if "xs" in item.expression else ["a", "b"])

    def value(expression, given):
        try:
            return eval(expression, dict(given))
        except Exception as error:
            return type(error).__name__

    for _ in range(300):
        given = {}
        for name in arguments:
            if name == "xs":
                given[name] = [rng.randint(-20, 20) for _ in range(rng.randint(1, 7))]
            elif name == "s":
                given[name] = "".join(rng.choice("abcdehlmnoprstuw") for _ in range(rng.randint(4, 12)))
            else:
                given[name] = rng.randint(-20, 20)
        if value(one, given) != value(other, given):
            return False
    return True


@pytest.mark.parametrize("family", CODE_FAMILIES)
def test_tests_tell_wrong_programs_apart(family):
    rejected, slipped = 0, []
    for seed in range(60):
        item = make_code(family, Random(seed))
        for wrong in variants(item.expression):
            if passes(item.program.replace(item.expression, wrong), item.tests):
                if not equivalent(item.expression, wrong, item):
                    slipped.append((item.expression, wrong))
            else:
                rejected += 1
    assert rejected >= 60
    assert len(slipped) <= 0.01 * rejected, slipped
