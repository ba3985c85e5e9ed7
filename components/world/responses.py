"""How a solver of the synthetic world writes: the responses that the bundled base model learns from.

A response is the text after the opened `<think>` line: working, the closed thinking section, the final answer.
Every response here is right, but not every one is careful: some write each step, some only guess the result.
A tiny model that imitates both gets the terse ones wrong more often, which is what reinforcement learning can find
out. Wording and layout are drawn for every step, so that a model of these texts keeps a policy entropy to explore with.
"""

import re
from collections.abc import Sequence
from random import Random

from components.world.items import CodeItem, MathItem, Step

WORKED_SHARE = 0.6
"""Share of math responses that write every step."""
PLANNED_SHARE = 0.6
"""Share of code responses whose thinking names the expression before the program is written."""

_OPERATOR = re.compile(r"(?<=[\w)\]])(?:[-+*%<>]|//|==)(?=[\w(])")
"""A binary operator without spaces around it."""
_LEADS = ("", "", "", "", "so ", "then ", "now ", "ok ", "we get ", "and ", "that is ", "hence ")
_BREAKS = ("\n", "\n", "\n", ", ", "; ", ". ")
_GUESSES = ("", "", "it is ", "about ", "that is ", "easy, ", "must be ", "I think ", "looks like ", "quick: ")
_FINALS = ("\\boxed{%s}", "\\boxed{%s}", "The answer is \\boxed{%s}.", "So \\boxed{%s}", "Answer: \\boxed{%s}")
_PLANS = ("", "", "expr: ", "return ", "we need ", "it is ", "use ", "so ")
_EMPTY = ("easy", "ok", "clear", "just write it", "simple", "no need to think", "fine", "done")
_HEADS = ("", "", "", "Code:\n", "So:\n")


def math_response(item: MathItem, rng: Random, worked_share: float = WORKED_SHARE) -> str:
    """A right response to a math problem: step by step, on one line, or a bare guess of the result."""
    style = rng.random()
    if style < worked_share:
        thinking = _worked(item.steps, rng)
    elif style < (1 + worked_share) / 2:
        thinking = f"{rng.choice(_LEADS)}{item.expression}{rng.choice(('=', ' = ', ' is '))}{item.answer}"
    else:
        thinking = f"{rng.choice(_GUESSES)}{item.answer}"
    return f"{thinking}\n</think>\n{rng.choice(_FINALS) % item.answer}"


def _worked(steps: tuple[Step, ...], rng: Random) -> str:
    parts = []
    for step in steps:
        left, right = step.left, step.right
        if step.operator in "+*" and rng.random() < 0.25:
            left, right = right, left
        gap = rng.choice(("", "", " "))
        parts.append(f"{rng.choice(_LEADS)}{left}{gap}{step.operator}{gap}{right}{gap}={gap}{step.value}")
    text = parts[0]
    for part in parts[1:]:
        text += rng.choice(_BREAKS) + part
    return text


def practice_lines(steps: Sequence[Step], rng: Random) -> str:
    """The working of several problems in a row, in the styles of a worked response."""
    return _worked(tuple(steps), rng) + "\n</think>\n"


def code_response(item: CodeItem, rng: Random) -> str:
    """A right response to a programming problem: with the expression planned part by part, named once, or unplanned."""
    if rng.random() < PLANNED_SHARE:
        parts = item.parts if rng.random() < 0.5 else item.parts[-1:]
        thinking = rng.choice(_PLANS) + parts[0]
        for part in parts[1:]:
            thinking += rng.choice(_BREAKS) + rng.choice(("", "then ", "so ", "now ")) + part
    else:
        thinking = rng.choice(_EMPTY)
    return f"{_spaced(thinking, rng)}\n</think>\n{rng.choice(_HEADS)}```python\n{_spaced(item.program, rng)}\n```"


def _spaced(program: str, rng: Random) -> str:
    """The program with spaces around some of its operators, each by its own draw. A text with string literals stays
    as it is: a space inside one would change what it means."""
    if "'" in program or '"' in program:
        return program
    return _OPERATOR.sub(lambda found: f" {found.group()} " if rng.random() < 0.4 else found.group(), program)
