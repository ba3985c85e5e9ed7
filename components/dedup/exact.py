"""Step 1: rows whose statements have one canonical form."""

from collections.abc import Sequence

from components.core.records import Problem
from components.dedup.removal import Removal, conflict, removal
from components.dedup.sameness import same_answers
from components.text.normalise import normalise


def exact_duplicates(problems: Sequence[Problem], order: Sequence[int]) -> dict[int, Removal]:
    """Row index -> why it goes, for problems in order of preference (`order`: indices, best first).

    Equal statements with equal answers: the first stays. With different answers nobody knows which is right, so all
    go as `conflicting_answers`, unless exactly one of the answers is verified: then that one stays.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for index in order:
        if form := normalise(problems[index].statement):
            groups.setdefault((problems[index].domain, form), []).append(index)
    removed: dict[int, Removal] = {}
    for members in groups.values():
        if len(members) > 1:
            removed.update(_resolve(problems, members))
    return removed


def _resolve(problems: Sequence[Problem], members: list[int]) -> dict[int, Removal]:
    classes = _by_answer(problems, members)
    removed: dict[int, Removal] = {}
    if len(classes) > 1:
        verified = [c for c in classes if any(problems[i].answer_status == "verified" for i in c)]
        if len(verified) != 1:
            return {i: conflict(problems, i, [m for m in members if m != i]) for i in members}
        for index in (i for c in classes if c is not verified[0] for i in c):
            removed[index] = conflict(problems, index, [verified[0][0]])
        classes = verified
    leader, *copies = classes[0]
    return removed | {i: removal("exact_duplicate", problems[leader], 1.0) for i in copies}


def _by_answer(problems: Sequence[Problem], members: list[int]) -> list[list[int]]:
    """Members with equal answers together, order kept. Code problems with one statement are one class."""
    classes: list[list[int]] = []
    for index in members:
        for group in classes:
            if problems[index].domain == "code" or same_answers(problems[group[0]], problems[index]):
                group.append(index)
                break
        else:
            classes.append([index])
    return classes
