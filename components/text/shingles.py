"""Token n-grams of a canonical text, as sets, and their exact Jaccard similarity."""

from collections.abc import Sequence


def ngrams(tokens: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Every run of `size` tokens, in order. A shorter text gives one n-gram: itself (an empty text none)."""
    if len(tokens) < size:
        return [tuple(tokens)] if tokens else []
    return [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]


def shingles(normalised: str, size: int = 3) -> frozenset[str]:
    """The set of token n-grams of a text in canonical form (see `normalise`)."""
    return frozenset(" ".join(gram) for gram in ngrams(normalised.split(), size))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """|left & right| / |left | right|; two empty sets are equal (1.0)."""
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared / union if union else 1.0
