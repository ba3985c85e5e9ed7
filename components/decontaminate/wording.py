"""The wording of a problem without what a copyist would change: names of variables, the verb that asks, LaTeX dress."""

from components.text.normalise import SHORT_WORDS, tokens
from components.text.numbers import NUMBER_WORDS, canonical_number, without_drawings
from components.text.shingles import ngrams

LETTER = "\0"
"""Mark of a token that is a name (a variable, a point) and is renamed inside each n-gram."""
_LEFT_OUT = frozenset("{ } , : ' * \\".split())
_ASKING = dict.fromkeys("find determine compute calculate evaluate what obtain".split(), "find")
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi chi psi omega Gamma "
    "Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell".split()
)


def wording(statement: str) -> list[str]:
    """Tokens of a statement: names marked with LETTER (`ABC` is three), number words as digits, asking verbs as one."""
    words: list[str] = []
    for token in tokens(without_drawings(statement), keep_case=True):
        if token in _LEFT_OUT:
            continue
        if token[0] == "\\" and token[1:] in _GREEK:
            words.append(LETTER + token)
        elif _is_name(token):
            words.extend(LETTER + letter for letter in token)
        else:
            word = token.lower()
            word = NUMBER_WORDS.get(word, _ASKING.get(word, word))
            words.append(canonical_number(word) if word[0].isdigit() and word.replace(".", "").isdigit() else word)
    return words


def _is_name(token: str) -> bool:
    if not token.isalpha():
        return False
    return (
        len(token) == 1
        or (token.isupper() and len(token) <= 4)
        or (len(token) == 2 and token.lower() not in SHORT_WORDS)
    )


def renamed_ngrams(words: list[str], size: int) -> set[tuple[str, ...]]:
    """All n-grams, names replaced by the order of their first appearance inside the n-gram."""
    return {_renamed(gram) for gram in ngrams(words, size)}


def _renamed(gram: tuple[str, ...]) -> tuple[str, ...]:
    names: dict[str, str] = {}
    return tuple(names.setdefault(w, f"{LETTER}{len(names)}") if w[0] == LETTER else w for w in gram)


def content_words(words: list[str]) -> set[str]:
    """Words of three letters or more: no names, numbers or symbols."""
    return {w for w in words if len(w) > 2 and w.isalpha()}
