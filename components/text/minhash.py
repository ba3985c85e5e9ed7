"""MinHash signatures and the bands under which similar sets meet.

With 20 bands of 6 rows a pair of Jaccard similarity 0.8 shares a band with probability 1 - (1 - 0.8**6)**20 = 0.998.
"""

from collections.abc import Iterable, Iterator

import numpy as np


def signatures(sets: Iterable[frozenset[str]], num_perm: int, seed: int) -> Iterator[np.ndarray]:
    """One signature (uint32 [num_perm]) a set, in order. Depends on the set, `num_perm` and `seed` only."""
    from datasketch import MinHash

    encoded = ([item.encode("utf-8", "surrogatepass") for item in sorted(items)] for items in sets)
    for sketch in MinHash.generator(encoded, num_perm=num_perm, seed=seed, scheme="affine32"):
        yield sketch.hashvalues


def band_keys(signature: np.ndarray, bands: int) -> list[tuple[int, bytes]]:
    """The buckets of a signature: its rows cut into `bands` equal parts, each with its band number."""
    rows = len(signature) // bands
    return [(band, signature[band * rows : (band + 1) * rows].tobytes()) for band in range(bands)]
