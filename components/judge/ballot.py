"""What a judge is asked, and how its reply is read."""

import re

from components.core.records import Problem

INSTRUCTION = """You check the quality of {domain} problems before they are used to train a model. Judge only the text \
of the problem, do not solve it.

A problem is VALID if all of these hold:
- Clear: it can be read in one way only, and it says what has to be found.
- Complete: everything that is needed to find the answer is given, with no missing figure, list, condition or ending.
- Well formed: formulas and sentences are readable, with no damage from scanning, conversion or translation.
- Relevant: it is a {domain} problem, with nothing else mixed in.
Otherwise it is INVALID.

Give one or two sentences of reasons, then a last line with exactly one word: VALID or INVALID."""
_VERDICT = re.compile(r"\b(IN)?VALID\b", re.IGNORECASE)


def messages(problem: Problem) -> list[dict[str, str]]:
    """The chat messages for one vote. The problem is fenced, so that its text is not taken for instructions."""
    return [
        {"role": "system", "content": INSTRUCTION.format(domain=problem.domain)},
        {"role": "user", "content": f"<problem>\n{problem.statement}\n</problem>"},
    ]


def read_vote(reply: str) -> bool | None:
    """True for valid, False for invalid, None if the last line names neither."""
    lines = [line for line in reply.strip().splitlines() if line.strip()]
    found = _VERDICT.findall(lines[-1]) if lines else []
    return None if len({bool(prefix) for prefix in found}) != 1 else not found[0]
