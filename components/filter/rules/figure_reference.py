"""A figure that the statement leans on or contains: a text model cannot see it (paper, section 6.1)."""

import re

from components.core.records import Problem
from components.filter.config import FilterConfig
from components.filter.rule import Rule, math, seen

_PICTURE = r"(?:figures?|diagrams?|pictures?|drawings?|illustrations?|sketch|image|graph|chart|map|grid|pictograph)"
_FIGURE = re.compile(
    rf"\[asy\]|\\includegraphics|\\begin\s*\{{(?:asy|tikzpicture|figure|picture)\}}|!\[[^\]]*\]\(|<img\b|<image|"
    rf"\b(?:in|from|on|see|consult|using|of|to) (?:the |this |each |an? )?(?:\w+ )?(?:figures?|diagrams?|pictures?|"
    rf"drawings?|illustrations?)\b (?:below|above|at|on the (?:right|left)|shown|given|to the)|"
    rf"\b(?:in|from|see) (?:the|this|each) (?:\w+ )?(?:figures?|diagrams?|illustrations?)\b|"
    rf"\bin the (?:picture|drawing|image(?! of))\b|"
    rf"\bthe (?:following|adjoining|accompanying|adjacent|attached) {_PICTURE}\b|"
    rf"\b(?:figures?|diagrams?|pictures?|drawings?|graph|chart|map|grid|shape) (?:(?:is|are) )?(?:shown|below|above|"
    rf"at right|to the right|"
    rf"on the (?:right|left))\b|"
    rf"\bthe (?:figure|diagram|picture|chart) (?:shows|illustrates|represents|indicates)\b|"
    rf"\b(?:as|is|are) (?:\w+ )?(?:shown|illustrated|pictured|depicted)(?: (?:in|below|above|here|at (?:the )?right|"
    rf"to the "
    rf"(?:right|left)|on the (?:right|left))\b|\s*[,.;:])|"
    rf",? shown(?: (?:below|above|here|at (?:the )?right|to the (?:right|left)|on the (?:right|left))\b|,)|"
    rf"\b(?:see|cf\.) fig(?:ure|\.)|\bfig\. ?\d|\bfigure \d",
    re.IGNORECASE,
)
_TEXT_TABLE = re.compile(r"\\begin\s*\{(?:tabular|array|[pbv]?matrix|tikzcd)\}|\|\s*:?-{2,}|\n\s*\|.*\|")


def check(problem: Problem, config: FilterConfig) -> str | None:
    match = _FIGURE.search(problem.statement)
    if match and not match.group().startswith(("[", "\\", "!", "<")) and _TEXT_TABLE.search(problem.statement):
        return None if re.search("shown|below|above", match.group()) else seen(match)
    return seen(match)


RULE = Rule(
    "figure_reference",
    ("math",),
    check,
    kept=(
        math("The six-figure number 12345d is divisible by 9. Find d."),
        math("Points A and B are drawn so that AB=5, and the region between the curves is rotated. Find the volume."),
        math("It can be shown that the sum is m/n in lowest terms. Find m+n."),
        math("The scores are as shown below:\n| name | score |\n|---|---|\n| P | 3 |\n| Q | 4 |\nFind the total."),
        math("A photographer takes a picture of 5 people in a row. In how many ways can they stand?"),
        math("How many elements lie in the image of $f(x)=x^2$ on {1,2,3}?"),
        math("The function below is continuous: $f(x)=x$ for $x<1$. Find $f(0)$."),
    ),
    dropped=(
        math("In the figure, angle ABC is 40 degrees. Find angle ACB."),
        math("A square is cut into four parts as shown. Find the area of the shaded part."),
        math("Find the perimeter. [asy] draw((0,0)--(3,4)); [/asy]"),
        math("The graph below gives the speed of a car. How far does it go in 3 hours?"),
        math("Refer to Figure 2. How many triangles are there?"),
        math("For example, in the image, piece a attacks piece b. How many pieces attack none?"),
        math("In $\\triangle{KLM}$, shown, $KL=3$. Find $LM$."),
    ),
)
