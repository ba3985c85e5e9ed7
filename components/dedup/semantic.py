"""Step 3: reworded rows, by the cosine of sentence vectors."""

import logging
from collections.abc import Sequence

from components.core.records import Problem
from components.dedup.config import DedupConfig
from components.dedup.removal import Removal, removal
from components.dedup.sameness import confirmed, marks, number_key
from components.text.embeddings import Encoder
from components.text.leaders import greedy_leaders
from components.text.numbers import answer_key, without_drawings

log = logging.getLogger(__name__)


def reworded_duplicates(
    problems: Sequence[Problem], order: Sequence[int], config: DedupConfig, encoder: Encoder
) -> dict[int, Removal]:
    """Row index -> why it goes. Greedy leader rule in `order` (best first), exact search.

    With `confirm`, only rows that some other row could confirm are encoded at all: math rows that share given numbers
    and answer with another row, and code rows that share tests or a program with another row.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    partnered = _with_partner(problems, order, config) if config.confirm else set(order)
    for index in order:
        if problems[index].domain == "math" or index in partnered:
            groups.setdefault(_group(problems[index], config), []).append(index)
    groups = {key: members for key, members in groups.items() if len(members) > 1}
    wanted = sorted({i for members in groups.values() for i in members})
    log.info("dedup: %d of %d rows left could be reworded duplicates", len(wanted), len(order))
    if not wanted:
        return {}
    vectors_ND = encoder.encode([without_drawings(problems[i].statement) for i in wanted])
    row_of = {index: row for row, index in enumerate(wanted)}
    removed: dict[int, Removal] = {}
    for members in groups.values():

        def agree(kept: int, row: int, members: list[int] = members) -> bool:
            pair = problems[members[kept]], problems[members[row]]
            return not config.confirm or confirmed(*pair, config.min_shared_tests, same_text=False)

        leaders = greedy_leaders(vectors_ND[[row_of[i] for i in members]], config.min_cosine, agree)
        for row, (kept, cosine) in leaders.items():
            removed[members[row]] = removal("reworded_duplicate", problems[members[kept]], cosine)
    return removed


def _group(problem: Problem, config: DedupConfig) -> tuple[str, ...]:
    """Rows in different groups are never compared."""
    if not config.confirm or problem.domain == "code":
        return (problem.domain,)
    return (problem.domain, number_key(problem), *sorted({answer_key(answer) for answer in problem.answers}))


def _with_partner(problems: Sequence[Problem], order: Sequence[int], config: DedupConfig) -> set[int]:
    """Code rows that some other code row would be confirmed to be, were their texts alike."""
    holders: dict[str, list[int]] = {}
    partnered: set[int] = set()
    for index in order:
        if problems[index].domain != "code":
            continue
        earlier: set[int] = set()
        for mark in sorted(marks(problems[index])):
            earlier.update(holders.get(mark, ()))
            holders.setdefault(mark, []).append(index)
        for other in sorted(earlier):
            pair = problems[other], problems[index]
            if not {other, index} <= partnered and confirmed(*pair, config.min_shared_tests, same_text=False):
                partnered |= {other, index}
    return partnered
