"""Notes of a translator or of a rewriting model that were left in the text (paper, section 6.3: faulty problems)."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, code, math, seen

_NOTE = re.compile(
    r"\btranslator'?s? note\b|\[?\btranslated (?:from|into) (?:the )?(?:chinese|english|russian|french|original)\b|"
    r"\btranslat(?:e|ion of) the (?:above|following|given) (?:text|problem|question|content)\b|"
    r"\b(?:here is|this is|below is) (?:the )?translat(?:ion|ed text)\b(?! (?:by|of (?:the )?(?:point|graph|axes|"
    r"plane))| vector)|"
    r"\bkeep(?:ing)? the original (?:text'?s )?(?:line breaks|format)|\boutput the translation\b|"
    r"\bnote: the (?:above|original) "
    r"(?:problem|text|translation)\b|\bas an ai\b|\bI (?:cannot|can't|am unable to) (?:see|view|access)\b|"
    r"\b(?:the|this) (?:problem|question) (?:statement )?(?:is|seems|appears to be) (?:incomplete|truncated|cut off)",
    re.IGNORECASE,
)


def check(problem: Problem, config: FilterConfig) -> str | None:
    return seen(_NOTE.search(problem.statement))


RULE = Rule(
    "translator_note",
    ("math", "code"),
    check,
    kept=(
        math("Translate the graph of y=x^2 by 3 to the right. What is y at x=5?"),
        math("A translator earns 30 coins a page and notes 4 pages. How many coins is that?"),
        code("Read a word and print its translation by the table that follows."),
    ),
    dropped=(
        math("Find x if 2x=14. Translate the above text into English, keeping the original line breaks."),
        math("(Translator's note: the unit is missing.) A rope is cut in 3. How long is a part?"),
        math("Find the sum. Note: the original text has a misprint."),
    ),
)
