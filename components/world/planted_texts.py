"""Texts of the planted rows: phrases that make a problem unusable, names and edits that do not."""

from collections.abc import Callable
from random import Random

from components.world.writers import PEOPLE_NAMES

NON_ASCII_NAMES = ("Zoë", "Łukasz", "Ángel", "Jürgen", "小明", "Ольга", "Nadège", "Søren", "Þóra", "Ömer")
FIGURES = (
    "In the figure below, the situation is drawn to scale. {}",
    "As shown in the figure, {}",
    "{} Use the diagram on the right.",
    "The picture shows the starting position. {}",
    "See the figure below. {}",
)
PROOFS = (
    "Prove that the sum of {n} consecutive odd numbers is divisible by {n}.",
    "Show that {n} times an even number is even.",
    "Prove that there are infinitely many multiples of {n} that end in 0.",
    "Prove that the product of {n} consecutive integers is divisible by {n}.",
)
UNVERIFIABLE = (
    "it depends on the weather on that day", "the friend who came first keeps the rest of it",
    "infinitely many values as the text above says", "any number that fits the pattern described above",
)  # fmt: skip
TRANSLATOR_NOTE = (
    "\n\nTranslate the text above into English, please retain the original text's line breaks and format, and output "
    "the translation result directly."
)
ELSEWHERE = (
    "Under the conditions of the previous problem, find the largest number.",
    "Use the table below to find the sum of the first row.",
    "Let T be your answer to problem 3. Find T + 12.",
)
LONG_WORDS = 2_200
_PLACES = "market mill bridge river garden station harbour forest valley tower school meadow village".split()
_DEEDS = "passes sees leaves crosses reaches remembers describes avoids paints follows guards measures".split()
_KINDS = "old quiet bright narrow green distant crowded sunny wooden famous empty little".split()


def long_story(rng: Random) -> str:
    """Text that says nothing about the question, longer than any prompt may be, and nowhere a repetition of itself."""
    words: list[str] = []
    while len(words) < LONG_WORDS:
        first, second = rng.sample(_PLACES, 2)
        words += f"The {rng.choice(_KINDS)} {first} {rng.choice(_DEEDS)} the {rng.choice(_KINDS)} {second}.".split()
    return " ".join(words) + " "


def rename(statement: str, name: str) -> str:
    """The statement with its first person renamed."""
    present = min((n for n in PEOPLE_NAMES if n in statement), key=statement.index, default="")
    return statement.replace(present, name) if present else f"{name} asks: {statement}"


def renaming(name: str) -> Callable[[str], str]:
    return lambda statement: rename(statement, name)
