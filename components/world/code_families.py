"""Families of short programming problems: one-expression functions, and programs that read two lines of input.

Every family draws an expression, the sentence that says it, and inputs that sit on its edges. The expected outputs
come from evaluating the expression, so a test list is right by construction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from components.world.items import CodeItem

NUM_TESTS = 7


@dataclass(frozen=True, slots=True)
class Draft:
    """What a family function draws."""

    arguments: str
    """Parameter list, e.g. `a, b`."""
    sentence: str
    """What the function returns, e.g. `a times b plus 3`."""
    parts: tuple[str, ...]
    inputs: tuple[list[Any], ...]
    """Edge inputs first; drawn ones follow."""


def _numbers(rng: Random, count: int, low: int = -20, high: int = 20) -> list[int]:
    return [rng.randint(low, high) for _ in range(count)]


def _lists(rng: Random, edges: tuple[list[int], ...] = ()) -> tuple[list[Any], ...]:
    drawn = [[_numbers(rng, rng.randint(2, 7))] for _ in range(NUM_TESTS - len(edges))]
    return (*([edge] for edge in edges), *drawn)


def _words(rng: Random, letters: str = "") -> tuple[list[Any], ...]:
    """Words that are long enough for every slice and hold `letters` several times."""
    pool = "abcdeiorst" + letters * 4
    return tuple([["".join(rng.choice(pool) for _ in range(rng.randint(6, 11)))] for _ in range(NUM_TESTS)])


def _pairs(rng: Random, edges: tuple[list[int], ...] = ()) -> tuple[list[Any], ...]:
    return (*edges, *(_numbers(rng, 2) for _ in range(NUM_TESTS - len(edges))))


_WORD_OF = {"+": "plus", "-": "minus", "*": "times"}


def _linear(rng: Random) -> Draft:
    first, second, constant = rng.choice("+-*"), rng.choice("+-"), rng.randint(2, 20)
    one, two = rng.choice((("a", "b"), ("b", "a")))
    inner = f"{one}{first}{two}"
    sentence = f"{one} {_WORD_OF[first]} {two} {_WORD_OF[second]} {constant}"
    return Draft("a, b", sentence, (inner, f"{inner}{second}{constant}"), _pairs(rng, ([0, 0], [1, -1])))


def _bracket(rng: Random) -> Draft:
    sign, factor, extra = rng.choice("+-"), rng.randint(2, 9), rng.choice(("a", "b", str(rng.randint(2, 20))))
    noun, last = {"+": "sum", "-": "difference"}[sign], rng.choice("+-")
    sentence = rng.choice((f"{factor} times the {noun} of a and b", f"the {noun} of a and b, times {factor}"))
    inner = f"(a{sign}b)"
    parts = (inner, f"{inner}*{factor}", f"{inner}*{factor}{last}{extra}")
    return Draft("a, b", f"{sentence}, {_WORD_OF[last]} {extra}", parts, _pairs(rng, ([0, 0], [3, 5])))


def _extreme(rng: Random) -> Draft:
    word, function = rng.choice(
        (("larger", "max"), ("bigger", "max"), ("maximum", "max"), ("smaller", "min"), ("minimum", "min"))
    )
    operator, other = rng.choice("+-*"), rng.choice(("a", "b", str(rng.randint(2, 20))))
    inner = f"{function}(a, b)"
    sentence = f"the {word} of a and b {_WORD_OF[operator]} {other}"
    return Draft("a, b", sentence, (inner, f"{inner}{operator}{other}"), _pairs(rng, ([4, 9], [9, 4], [2, 2])))


_TOTALS = (
    ("the sum of xs", "sum(xs)"),
    ("the largest of xs", "max(xs)"),
    ("the smallest of xs", "min(xs)"),
    ("the length of xs", "len(xs)"),
    ("the first of xs", "xs[0]"),
    ("the last of xs", "xs[-1]"),
)


def _totals(rng: Random) -> Draft:
    (one, left), (two, right) = rng.sample(_TOTALS, 2)
    operator, factor = rng.choice("+-"), rng.randint(1, 9)
    scaled, words = (left, one) if factor == 1 else (f"{factor}*{left}", f"{factor} times {one}")
    sentence = f"{words} {_WORD_OF[operator]} {two}"
    return Draft("xs", sentence, (scaled, f"{scaled}{operator}{right}"), _lists(rng, ([5], [3, -4, 8, 1])))


def _condition(rng: Random) -> tuple[str, str, int]:
    """A condition on x: its words, its expression, a number on its edge."""
    number = rng.randint(2, 9)
    return rng.choice(
        (
            ("even", "x%2==0", 0),
            ("odd", "x%2==1", 1),
            (f"above {number}", f"x>{number}", number),
            (f"below {number}", f"x<{number}", number),
            (f"at least {number}", f"x>={number}", number),
            (f"at most {number}", f"x<={number}", number),
            (f"a multiple of {number}", f"x%{number}==0", number),
        )
    )


def _edges(edge: int) -> list[int]:
    return [edge - 1, edge, edge + 1, 2 * edge, -edge, 0]


def _keeping(rng: Random) -> Draft:
    words, condition, edge = _condition(rng)
    operator, constant = rng.choice(("", "+", "-", "*")), rng.randint(2, 9)
    value = f"x{operator}{constant}" if operator else "x"
    change = f", each {_WORD_OF[operator]} {constant}" if operator else ""
    sentence = f"all x in xs that are {words}{change}"
    parts = (f"if {condition}", f"[{value} for x in xs if {condition}]")
    return Draft("xs", sentence, parts, _lists(rng, ([], _edges(edge))))


def _counting(rng: Random) -> Draft:
    words, condition, edge = _condition(rng)
    verb, value = rng.choice((("how many x in xs are", "1"), ("the sum of the x in xs that are", "x")))
    parts = (f"if {condition}", f"sum({value} for x in xs if {condition})")
    return Draft("xs", f"{verb} {words}", parts, _lists(rng, ([], _edges(edge))))


def _mapping(rng: Random) -> Draft:
    factor, sign, constant = rng.randint(2, 9), rng.choice("+-"), rng.randint(1, 9)
    words, source = rng.choice((("", "xs"), (", last one first", "xs[::-1]"), (", without the first", "xs[1:]")))
    sentence = f"{factor} times x {_WORD_OF[sign]} {constant} for all x in xs{words}"
    value = f"{factor}*x{sign}{constant}"
    return Draft("xs", sentence, (value, f"[{value} for x in {source}]"), _lists(rng, ([], [0, 1])))


def _branch(rng: Random) -> Draft:
    words, condition, edge = _condition(rng)
    then, other = rng.sample("+-*", 2)
    one, two = rng.randint(2, 9), rng.randint(2, 9)
    sentence = f"x {_WORD_OF[then]} {one} if x is {words}, else x {_WORD_OF[other]} {two}"
    parts = (f"x{then}{one}", f"x{other}{two}", f"x{then}{one} if {condition} else x{other}{two}")
    inputs = [[x] for x in dict.fromkeys([*_edges(edge), *_numbers(rng, NUM_TESTS)])]
    return Draft("x", sentence, parts, tuple(inputs[:8]))


def _slices(rng: Random) -> Draft:
    one, two = rng.randint(1, 5), rng.randint(1, 5)
    pieces = [
        (f"the first {one} of s", f"s[:{one}]"),
        (f"the last {two} of s", f"s[-{two}:]"),
        ("s reversed", "s[::-1]"),
        ("s in upper case", "s.upper()"),
        (f"s without its first {two}", f"s[{two}:]"),
        (f"s without its last {one}", f"s[:-{one}]"),
    ]
    (words_one, left), (words_two, right) = rng.sample(pieces, 2)
    return Draft("s", f"{words_one}, then {words_two}", (left, right, f"{left}+{right}"), _words(rng))


def _letters(rng: Random) -> Draft:
    one, two = rng.sample("abcdehlmnoprstuw", 2)
    count = f"s.count('{one}')"
    words, parts = rng.choice(
        (
            (f"how many times {one} or {two} is in s", (count, f"{count}+s.count('{two}')")),
            (f"s with every {one} replaced by {two}", (f"s.replace('{one}', '{two}')",)),
            (f"how many more {one} than {two} are in s", (count, f"{count}-s.count('{two}')")),
            (f"s without the letters {one}", (f"s.replace('{one}', '')",)),
            (f"the place of the first {one} in s, -1 if none", (f"s.find('{one}')",)),
        )
    )
    return Draft("s", words, parts, _words(rng, one + two))


_FUNCTIONS: dict[str, Callable[[Random], Draft]] = {
    "linear": _linear, "bracket": _bracket, "extreme": _extreme, "totals": _totals, "keeping": _keeping,
    "counting": _counting, "mapping": _mapping, "branch": _branch, "slices": _slices, "letters": _letters,
}  # fmt: skip
_PROGRAMS: dict[str, Callable[[Random], Draft]] = {"read_two": _linear, "read_list": _totals}
CODE_FAMILIES = (*_FUNCTIONS, *_PROGRAMS)


def make_code(family: str, rng: Random) -> CodeItem:
    """Draw a problem of a family. Raises KeyError for an unknown family."""
    if family in _PROGRAMS:
        return _program(family, _PROGRAMS[family](rng))
    draft = _FUNCTIONS[family](rng)
    name = rng.choice(("f", "f", "g", "h", "calc"))
    statement = f"Write {name}({draft.arguments}) that returns {draft.sentence}."
    starter = f"def {name}({draft.arguments}):"
    program = f"{starter}\n    return {draft.parts[-1]}"
    outputs = [_evaluate(draft, arguments) for arguments in draft.inputs]
    tests = {"kind": "function_call", "fn_name": name, "inputs": [list(i) for i in draft.inputs], "outputs": outputs}
    return CodeItem(statement, starter, name, program, tests, family, draft.parts)


def _program(family: str, draft: Draft) -> CodeItem:
    single = draft.arguments == "xs"
    what = "integers xs" if single else "integers a and b"
    statement = f"Read {what} on a line. Print {draft.sentence}."
    reading = "xs = list(map(int, input().split()))" if single else "a, b = map(int, input().split())"
    lines = [draft_input[0] if single else draft_input for draft_input in draft.inputs]
    tests = {
        "kind": "stdin_stdout",
        "inputs": [" ".join(str(number) for number in line) + "\n" for line in lines],
        "outputs": [f"{_evaluate(draft, arguments)}\n" for arguments in draft.inputs],
    }
    return CodeItem(statement, "", "", f"{reading}\nprint({draft.parts[-1]})", tests, family, draft.parts)


_ALLOWED = {"max": max, "min": min, "sum": sum, "len": len}


def _evaluate(draft: Draft, arguments: list[Any]) -> Any:
    """The value of a drafted expression; only expressions written in this file ever get here."""
    names = dict(zip(draft.arguments.split(", "), arguments, strict=True))
    return eval(draft.parts[-1], {"__builtins__": _ALLOWED, **names})
