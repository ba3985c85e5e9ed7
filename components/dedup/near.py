"""Step 2: rows that share most of their token shingles. MinHash proposes, exact Jaccard and the numbers decide."""

import logging
import time
from collections.abc import Sequence

from components.core.records import Problem
from components.dedup.config import DedupConfig
from components.dedup.removal import Removal, removal
from components.dedup.sameness import confirmed, number_key
from components.text.minhash import band_keys, signatures
from components.text.normalise import normalise
from components.text.shingles import jaccard, shingles

log = logging.getLogger(__name__)

PROGRESS_INTERVAL_S = 10.0


def near_duplicates(problems: Sequence[Problem], order: Sequence[int], config: DedupConfig) -> dict[int, Removal]:
    """Row index -> why it goes. Greedy leader rule in `order` (best first): only kept rows enter the index.

    With `confirm`, math rows meet in a bucket only if their given numbers agree too, so that a template with
    thousands of twins costs no more than other texts.
    """
    sets = {index: shingles(normalise(problems[index].statement), config.shingle_tokens) for index in order}
    sketches = signatures((sets[i] for i in order), config.bands * config.rows_per_band, config.seed)
    buckets: dict[tuple[object, ...], list[int]] = {}
    removed: dict[int, Removal] = {}
    started = last = time.monotonic()
    for done, (index, signature) in enumerate(zip(order, sketches, strict=True), 1):
        problem = problems[index]
        group = number_key(problem) if config.confirm and problem.domain == "math" else ""
        keys = [(problem.domain, group, *band) for band in band_keys(signature, config.bands)]
        candidates = sorted({i for key in keys for i in buckets.get(key, ())})
        best = _best(problems, sets, index, candidates, config)
        if best:
            removed[index] = removal("near_duplicate", problems[best[0]], best[1])
        else:
            for key in keys:
                buckets.setdefault(key, []).append(index)
        if (now := time.monotonic()) - last > PROGRESS_INTERVAL_S:
            last, speed = now, done / (now - started)
            log.info(
                "dedup: MinHash %d of %d, %.0f/s, %.0f s left", done, len(order), speed, (len(order) - done) / speed
            )
    return removed


def _best(
    problems: Sequence[Problem],
    sets: dict[int, frozenset[str]],
    index: int,
    candidates: list[int],
    config: DedupConfig,
) -> tuple[int, float] | None:
    """The confirmed candidate with the highest exact Jaccard similarity, the earlier one on ties."""
    scored = [(jaccard(sets[i], sets[index]), i) for i in candidates]
    for similarity, i in sorted(scored, key=lambda item: (-item[0], item[1])):
        if similarity < config.min_jaccard:
            return None
        same_text = similarity >= config.min_jaccard_untested
        if not config.confirm or confirmed(problems[i], problems[index], config.min_shared_tests, same_text):
            return i, similarity
    return None
