"""The canonical form of a statement: equal for two printings of one problem, different for different problems.

LaTeX delimiters, spacing, spelling variants of the same macro, letter case and sentence punctuation go; digits,
operators, signs, scripts and the order of tokens stay. `problem_id` and exact dedup are built on it, and its
tokens (separated by single spaces) are what shingles and n-grams are made of.
"""

import re
import unicodedata

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ", "0123456789+-=()ni")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]+")
_SUBSCRIPT_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ]+")
_VULGAR_FRACTION = re.compile("[¼½¾⅐-⅞]")

SYMBOLS = {
    **dict.fromkeys("−‐‑‒–—―﹣－", "-"),
    **dict.fromkeys("’‘′ʹ`´", "'"),
    **dict.fromkeys("“”„«»", '"'),
    "⁄": "/", "×": r" \times ", "·": r" \cdot ", "⋅": r" \cdot ", "÷": r" \div ", "±": r" \pm ", "≤": r" \le ",
    "⩽": r" \le ", "≥": r" \ge ", "⩾": r" \ge ", "≠": r" \ne ", "≈": r" \approx ", "≡": r" \equiv ", "∞": r" \infty ",
    "√": r" \sqrt ", "∠": r" \angle ", "△": r" \triangle ", "°": r" \degree ", "∈": r" \in ", "∪": r" \cup ",
    "∩": r" \cap ", "→": r" \to ", "…": r" \ldots ", "π": r" \pi ", "α": r" \alpha ", "β": r" \beta ",
    "γ": r" \gamma ", "θ": r" \theta ", "λ": r" \lambda ", "∣": "|", "∶": ":", "\u200b": "", "\ufeff": "",
}  # fmt: skip
_SYMBOL = re.compile("[" + re.escape("".join(SYMBOLS)) + "]")

RENAMED = {
    "dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "leq": "le", "leqslant": "le", "geq": "ge", "geqslant": "ge",
    "neq": "ne", "dbinom": "binom", "tbinom": "binom", "rightarrow": "to", "longrightarrow": "to", "dots": "ldots",
    "cdots": "ldots", "dotsc": "ldots", "dotsb": "ldots", "varepsilon": "epsilon", "varphi": "phi", "land": "wedge",
    "lor": "vee", "lbrace": "{", "rbrace": "}", "emptyset": "varnothing", "overrightarrow": "vec", "bigcup": "cup",
    "bigcap": "cap", "ast": "*", "lt": "<", "gt": ">", "vert": "|", "lvert": "|", "rvert": "|", "mid": "|",
}  # fmt: skip
"""Macros that mean the same. A value that is not a name is the symbol itself."""
DISCARDED = frozenset(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr quad qquad displaystyle textstyle limits nolimits text textbf "
    "textit textrm textsf texttt emph mathrm mathbf mathit mathsf mathbb mathcal mathfrak mathscr boldsymbol bm mbox "
    "hbox operatorname rm bf it boxed noindent par newline item centering hfill smallskip medskip bigskip".split()
)
"""Macros that only change how something looks; what they wrap stays."""
_LAYOUT_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\s*\{(?:align|aligned|equation|gather|gathered|center|split|multline|itemize|enumerate|document)"
    r"\*?\}"
)
_WITH_ARGUMENT = re.compile(r"\\(?:hspace|vspace|label|tag|phantom|color)\*?\s*\{[^{}]*\}")
_DEGREE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))|\\degree(?![a-zA-Z])")
_THIN_SPACE_IN_NUMBER = re.compile(r"(?<=\d)(?:\{,\}|,\\!|\\,(?=\d{3}(?!\d)))(?=\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_SPACING_MACRO = re.compile(r"\\[,;:!>~\s]|~")
_BLANK = re.compile(r"(?:\\?_\s*){2,}")
_TOKEN = re.compile(
    r"\\[a-zA-Z]+|(?:\\?_\s*){2,}|\\.|\d+(?:\.\d+)?|[^\W\d_]{2,}(?:_[^\W\d_]{2,})+|[^\W\d_]+|\.\.\.|\S", re.DOTALL
)
DELIMITERS = frozenset({"$", r"\$", r"\(", r"\)", r"\[", r"\]", '"', "?"})
TWO_ARGUMENTS = frozenset({r"\frac", r"\binom"})
SCRIPTS = frozenset({"^", "_", r"\sqrt"})
SHORT_WORDS = frozenset("an as at be by do if in is it of on or so to we".split())
"""Two-letter words; other pairs of letters may be products or segments, whose commas matter."""


def normalise(statement: str) -> str:
    """The canonical form of a statement, tokens separated by single spaces.

    Keeps digits, operators, signs and scripts: `3+4` and `3-4`, `x^2` and `x_2`, `-5` and `5` stay different.
    Raises nothing: any text has a canonical form (possibly empty).
    """
    return " ".join(tokens(statement))


def tokens(statement: str, keep_case: bool = False) -> list[str]:
    """The tokens of the canonical form; with `keep_case` words keep their capitals (point labels can be told)."""
    return _drop_sentence_marks(_brace_arguments(_tokenise(_plain_symbols(statement), keep_case)))


def _plain_symbols(text: str) -> str:
    """Unicode variants to their LaTeX or ASCII spelling. Scripts and fractions go before NFKC, which makes x² x2."""
    text = _SUPERSCRIPT_RUN.sub(lambda m: "^{" + m.group().translate(SUPERSCRIPTS) + "}", text)
    text = _SUBSCRIPT_RUN.sub(lambda m: "_{" + m.group().translate(SUBSCRIPTS) + "}", text)
    text = _VULGAR_FRACTION.sub(lambda m: " " + unicodedata.normalize("NFKC", m.group()), text)
    text = _SYMBOL.sub(lambda m: SYMBOLS[m.group()], text)
    text = _SYMBOL.sub(lambda m: SYMBOLS[m.group()], unicodedata.normalize("NFKC", text))
    text = _WITH_ARGUMENT.sub(" ", _LAYOUT_ENVIRONMENT.sub(" ", text))
    text = _DEGREE.sub(r" \\degree ", text)
    text = _THIN_SPACE_IN_NUMBER.sub("", text)
    return _THOUSANDS.sub(lambda m: m.group().replace(",", ""), text)


def _tokenise(text: str, keep_case: bool) -> list[str]:
    """Macros, numbers, words and single symbols, with layout gone and equal macros renamed."""
    found = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in DELIMITERS or _SPACING_MACRO.fullmatch(token) or _BLANK.fullmatch(token):
            continue
        if token == "...":
            token = r"\ldots"
        elif token[0] == "\\" and token[1:].isalpha():
            name = RENAMED.get(token[1:], token[1:])
            if name in DISCARDED:
                continue
            token = "\\" + name if name.isalpha() or name in "{}" else name
        elif token in (r"\%", r"\&", r"\#", r"\_", r"\|"):
            token = token[1:]
        elif token[0] != "\\" and not keep_case:
            token = token.lower()
        found.append(token)
    return found


def _brace_arguments(found: list[str]) -> list[str]:
    """Write every macro argument with braces (`x^2` as `x^{2}`, `\\frac12` as `\\frac{1}{2}`) and drop the braces
    that only group."""
    out: list[str] = []
    stack: list[bool] = []  # for each open brace: whether it holds an argument
    awaited = [0]  # arguments still to come, one counter per open brace and one for the top level
    pending = list(reversed(found))
    while pending:
        token = pending.pop()
        if token == "{":
            is_argument = awaited[-1] > 0 or bool(out and out[-1][0] == "\\" and out[-1][1:].isalpha())
            awaited[-1] = max(0, awaited[-1] - 1)
            stack.append(is_argument)
            awaited.append(0)
            out.extend(["{"] * is_argument)
        elif token == "}":
            if stack:
                awaited.pop()
                out.extend(["}"] * stack.pop())
        elif awaited[-1] > 0 and token not in SCRIPTS and token not in TWO_ARGUMENTS and token != "[":
            first, rest = _bare_argument(token, pending, out, awaited[-1])
            awaited[-1] -= 1
            out.extend(["{", *first, "}"])
            pending.extend([rest] * bool(rest))
        elif token == "[" and awaited[-1] > 0 and out and out[-1] == r"\sqrt":
            out.append(token)
            while pending and out[-1] != "]":
                out.append(pending.pop())
        else:
            out.append(token)
            awaited[-1] = 2 if token in TWO_ARGUMENTS else 1 if token in SCRIPTS else 0
    return out


def _bare_argument(token: str, pending: list[str], out: list[str], awaited: int) -> tuple[list[str], str]:
    """The argument that a macro takes from an unbraced token, and what is left of the token."""
    if token in "+-" and pending and out and out[-1] in SCRIPTS:
        return [token, pending.pop()], ""
    if token[0] != "\\" and len(token) > 1 and (token.isalpha() or (token.isdigit() and out[-1] not in SCRIPTS)):
        return [token[0]], token[1:]
    return [token], ""


def _drop_sentence_marks(found: list[str]) -> list[str]:
    """Full stops go; commas, semicolons and colons go where a word or the end of the text stands beside them."""
    found = ["," if t == ";" else t for t in found if t != "."]
    kept: list[str] = []
    for i, token in enumerate(found):
        if token in (",", ":"):
            neighbours = (kept[-1] if kept else "", found[i + 1] if i + 1 < len(found) else "")
            if any(not n or (len(n) > 2 and n.isalpha()) or n.lower() in SHORT_WORDS for n in neighbours):
                continue
        kept.append(token)
    return kept
