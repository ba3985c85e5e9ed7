"""Text of unknown origin on a terminal: control characters are shown, never obeyed."""

import re

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All but tab and newline: escape sequences can rewrite what stands on the screen, as can direction overrides."""


def printable(text: str) -> str:
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
