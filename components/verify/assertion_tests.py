"""Turns assertions into calls whose expected values stay outside the program's process, where that is possible.

`assert f(2, [1]) == 4` becomes a call of f with a literal expected value. What is not of this form (helpers on the
left, tolerances, loops) runs inside the program's process as a snippet.
"""

import ast
from dataclasses import dataclass
from typing import Any, Literal

Comparison = Literal["==", "!=", "is", "is not", "true", "false"]


@dataclass(frozen=True)
class CallForm:
    """`target(*args, **kwargs) COMPARISON expected` with literal values; target is an expression."""

    target: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    comparison: Comparison
    expected: Any = None


def read_assertion(statement: ast.stmt, names: dict[str, str]) -> CallForm | None:
    """The call form of one statement, or None. `names` maps local names to expressions (candidate -> entry point)."""
    if not isinstance(statement, ast.Assert):
        return None
    test = statement.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _call_form(test.operand, names, "false", None)
    if not isinstance(test, ast.Compare):
        return _call_form(test, names, "true", None)
    if len(test.ops) != 1:
        return None
    operators = {ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not"}
    comparison: Any = operators.get(type(test.ops[0]))
    left, right = test.left, test.comparators[0]
    if comparison is None:
        return None
    try:
        expected = ast.literal_eval(right)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if comparison in ("is", "is not") and not (expected is None or isinstance(expected, bool)):
        return None
    return _call_form(left, names, comparison, expected)


def _call_form(node: ast.expr, names: dict[str, str], comparison: Any, expected: Any) -> CallForm | None:
    if not isinstance(node, ast.Call) or any(keyword.arg is None for keyword in node.keywords):
        return None
    target = _target(node.func, names)
    if target is None:
        return None
    try:
        args = tuple(ast.literal_eval(argument) for argument in node.args)
        kwargs = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return CallForm(target, args, kwargs, comparison, expected)


def _target(function: ast.expr, names: dict[str, str]) -> str | None:
    """`f`, `candidate`, or `Solution().f`: nothing that takes arguments of its own."""
    if isinstance(function, ast.Name):
        return names.get(function.id, function.id)
    if not isinstance(function, ast.Attribute):
        return None
    owner = function.value
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and not owner.args and not owner.keywords:
        return ast.unparse(function)
    return None


def holds(form: CallForm, value: Any) -> bool:
    """Whether a returned value (plain data) satisfies the assertion."""
    if form.comparison == "==":
        return bool(value == form.expected)
    if form.comparison == "!=":
        return bool(value != form.expected)
    if form.comparison == "true":
        return bool(value)
    if form.comparison == "false":
        return not value
    return (value is form.expected) == (form.comparison == "is")
