"""Several questions in one: one answer cannot be checked against all of them."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math

_MARK = re.compile(
    r"(?:^|[\s.;:?>])(?:part )?(?:\(([a-e])\)|\((i{1,3}|iv)\)|[(（]([1-5])[)）]|([a-e])\)|([1-5])[)）]|"
    r"([1-5])\.(?=\s+[A-Z]))\s*",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"^\W*(?:if [^.?]*, |then |also |hence |please )?(?:find|determine|calculate|compute|evaluate|prove|show|what|"
    r"how|which|write|draw|sketch|"
    r"solve|explain|state|is|are|does|do|can|when|why|give|express|list|estimate)\b|\?\s*$",
    re.IGNORECASE,
)
_MATH_MARK = re.compile(r"\$\s*(\((?:[1-5a-e]|i{1,3}|iv)\))\s*\$", re.IGNORECASE)
_BLANK = re.compile(r"(?:\\?_){3,}|\\underline\s*\{(?:\s|\\quad|\\qquad|\\hspace\s*\{[^}]*\})*\}")
_ONE_SIGN = str.maketrans(
    {sign: f"({i})" for signs in ("①②③④⑤", "⑴⑵⑶⑷⑸") for i, sign in enumerate(signs, 1)}
    | {sign: roman for sign, roman in zip("ⅠⅡⅢⅣ", ("I", "II", "III", "IV"), strict=True)}
)
MIN_PARTS = 2


def questions(text: str) -> list[str]:
    """The marks, such as `a` and `b`, of the parts of a text that ask something, for the first style that is used.
    A part that ends in a blank to be filled asks too."""
    text = _MATH_MARK.sub(r" \1 ", text.translate(_ONE_SIGN))
    for group in range(1, 7):
        marks = [m for m in _MARK.finditer(text) if m.group(group)]
        ends = [m.start() for m in marks[1:]] + [len(text)]
        asking = [m.group(group) for m, end in zip(marks, ends, strict=False) if _asks(text[m.end() : end].strip())]
        if len(set(asking)) >= MIN_PARTS:
            return asking
    return []


def _asks(part: str) -> bool:
    return bool(_ASK.search(part) or _BLANK.search(part))


def check(problem: Problem, config: FilterConfig) -> str | None:
    marks = questions(problem.statement)
    return f"questions in parts {', '.join(marks)}" if marks else None


RULE = Rule(
    "multi_part",
    ("math",),
    check,
    kept=(
        math("A function satisfies (a) f(0)=3 and (b) f(x+1)=f(x)+1 for all x. Find f(4)."),
        math("Let (i) x>0, (ii) x^2=49. Find x."),
        math("Let $(1)$ $x>0$ and $(2)$ $x^2=49$. Find $x$."),
        math("Of the claims ① $2>1$; ② $1>2$; ③ $3>2$; the right ones sum to ______."),
        math("How many solutions has equation (1) x+y=3, (2) x-y=1?"),
    ),
    dropped=(
        math("A ball is thrown. (a) Find its highest point. (b) When does it land?"),
        math("(1) Calculate 3+4. (2) Calculate 3-4."),
        math("Given x+y=5: a) what is x if y=1; b) what is y if x=2?"),
        math("Given $x+y=5$. $(1)$ Find $x$ if $y=1$; $(2)$ find $y$ if $x=2$."),
        math("Given $x+y=5$.<br/>$(1)$ If $y=1$ then $x$ is ______;<br/>$(2)$ if $x=2$ then $y$ is \\_\\_\\_\\_."),
        math("An ellipse has axes 6 and 8. (Ⅰ) Find its area; (Ⅱ) Find its foci."),
        math("For a line through A: ① Find its slope; ② Determine where it meets the axis."),
        math("A tank has two taps. (i) How long does it take to fill? (ii) How much is lost?"),
    ),
)
