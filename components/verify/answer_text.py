"""Spelling of math answers: the small rewriting that is done before anything is compared or parsed.

Only changes that keep the meaning: Unicode signs to LaTeX, spacing commands, alternative fraction macros, text
wrappers, degree signs, thousands separators.
"""

import re
from functools import lru_cache

_CHARACTERS = {
    "\u2212": "-", "\u2013": "-", "\u2010": "-", "\u2011": "-", "\uff0d": "-", "\ufe63": "-",
    "\u00d7": r"\times ", "\u00b7": r"\cdot ", "\u22c5": r"\cdot ", "\u00f7": "/", "\u2215": "/", "\u2044": "/",
    "\u03c0": r"\pi ", "\u221e": r"\infty ", "\u2264": r"\le ", "\u2265": r"\ge ", "\u2260": r"\ne ",
    "\u222a": r"\cup ", "\u2229": r"\cap ", "\u2208": r"\in ", "\u00b0": r"^\circ", "\u2205": r"\emptyset ",
    "\u00b2": "^2", "\u00b3": "^3", "\u00bd": r"\frac{1}{2}", "\u00bc": r"\frac{1}{4}", "\u00be": r"\frac{3}{4}",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\ufeff": "", "\u2019": "'", "\u211d": r"\mathbb{R}",
    "\uff0c": ",", "\uff08": "(", "\uff09": ")",
}  # fmt: skip
_CHARACTERS.update({chr(0xFF10 + digit): str(digit) for digit in range(10)})
_TABLE = str.maketrans(_CHARACTERS)
_SPACING = re.compile(
    r"\\[!,;: ]|\\(?:quad|qquad|displaystyle|limits)\b|\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\.?|~"
)
_WRAPPER = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|operatorname|mbox|bold|bf|rm)\s*\{([^{}]*)\}"
)
_DEGREE = re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\degrees?\b")
_DELIMITED = re.compile(r"^(?:\$\$(.*)\$\$|\$(.*)\$|\\\((.*)\\\)|\\\[(.*)\\\])$", re.DOTALL)
_SQRT_CALL = re.compile(r"(?<![\\a-zA-Z])sqrt\s*\(([^()]*)\)")
_SQRT_SIGN = re.compile("\u221a\\s*(?:\\(([^()]*)\\)|(\\d+|[a-zA-Z]))")
_WORDS = {"pi": r"\pi ", "inf": r"\infty ", "infinity": r"\infty ", "sin": r"\sin ", "cos": r"\cos ", "tan": r"\tan ",
          "ln": r"\ln ", "log": r"\log "}  # fmt: skip
_WORD = re.compile(r"(?<![\\a-zA-Z])(?:pi|inf|infinity|sin|cos|tan|ln|log)(?![a-zA-Z])")


@lru_cache(maxsize=65_536)
def normalise_answer(answer: str) -> str:
    """The answer in one spelling (spaces between tokens kept). Text in \\text{…} is unwrapped."""
    text = answer.translate(_TABLE).strip()
    for _ in range(3):
        text = _strip_delimiters(text)
    text = text.replace(r"\dfrac", r"\frac").replace(r"\tfrac", r"\frac").replace(r"\cfrac", r"\frac")
    text = (
        re.sub(r"\\?\$", "", text)
        .replace(r"\%", "%")
        .replace("{,}", ",")
        .replace(r"\lvert", "|")
        .replace(r"\rvert", "|")
    )
    text = _SPACING.sub(" ", text)
    for _ in range(3):  # nested wrappers
        text = _WRAPPER.sub(lambda m: f" {m.group(1)} " if len(m.group(1)) > 1 else m.group(1), text)
    text = _DEGREE.sub("", text)
    text = _SQRT_CALL.sub(r"\\sqrt{\1}", _SQRT_SIGN.sub(lambda m: rf"\sqrt{{{m.group(1) or m.group(2)}}}", text))
    text = _WORD.sub(lambda m: _WORDS[m.group()], text).replace("**", "^").replace(r"\ast", "*")
    text = re.sub(r"\\leq(?:slant)?\b", r"\\le", re.sub(r"\\geq(?:slant)?\b", r"\\ge", text))
    text = re.sub(r"\\emptyset\b|\\varnothing\b", r"\\emptyset", text)
    return re.sub(r"\s+", " ", text).strip().rstrip(".").strip()


def _strip_delimiters(text: str) -> str:
    whole = _DELIMITED.match(text)
    if whole:
        inner = next(g for g in whole.groups() if g is not None)
        if "$" not in inner.replace(r"\$", ""):
            return inner.strip()
    boxed = re.match(r"^\\(?:boxed|fbox)\s*\{(.*)\}$", text, re.DOTALL)
    return boxed.group(1).strip() if boxed and braces_balance(boxed.group(1)) else text


def compact(text: str) -> str:
    """A normalised answer as a comparison key: no spaces, thousands joined, leading zeros and braces of single
    characters gone."""
    key = join_thousands(text)
    key = re.sub(r"\s+", "", key)
    key = re.sub(r"(?<![\d.])0+(?=\d)", "", key)
    return re.sub(r"([_^])\{(\w)\}", r"\1\2", key)


def join_thousands(text: str) -> str:
    """`1,000` -> `1000`, where the whole text is one number (else the comma may separate two answers)."""
    number = re.fullmatch(r"([-+]?)(\d{1,3}(?:[, ]\d{3})+)((?:\.\d+)?)(\s*[a-zA-Z%].*)?", text)
    if not number:
        return text
    return number.group(1) + re.sub("[, ]", "", number.group(2)) + number.group(3) + (number.group(4) or "")


def braces_balance(text: str) -> bool:
    depth = 0
    for char in re.sub(r"\\.", "", text, flags=re.DOTALL):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def split_top_level(text: str, separators: str = ",") -> list[str]:
    """Split at separators outside every kind of bracket."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char in separators and depth <= 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return parts
