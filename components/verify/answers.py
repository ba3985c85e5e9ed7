"""The one extractor: from a response to the answer or program that is judged.

Rules: text after the last `</think>` counts; of several boxes the last wins; without a box the plain final answer;
of several fenced code blocks labelled python, py, python3 or nothing, the last.
"""

import re

from components.verify.answer_text import compact, normalise_answer
from components.verify.exact_numbers import read_number

_BOX = re.compile(r"\\(?:boxed|fbox)\b\s*")
_VERB = r"(?:(?:is|are|was|equals|would be|must be)\b\s*:?|[:=])"
_PHRASE = re.compile(
    rf"\b(?:final\s+answer\b\**\s*{_VERB}?|answers?\b\**\s*(?:\([^()\n]{{0,40}}\)\s*)?{_VERB})\**\s*", re.IGNORECASE
)
_HASHES = re.compile(r"^\s*####\s*(.+?)\s*$", re.MULTILINE)
_SPAN = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$(.+?)(?<!\\)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.^{])[-+\u2212]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*/\s*\d+)?(?:\s*\\?%)?(?![\w^])")
_QUANTITY = re.compile(r"^([-+\u2212]?[\d,]*\.?\d+(?:/\d+)?)\s+[A-Za-z][A-Za-z ]*$")
_SENTENCE_END = re.compile(r"[.;!?](?=\s|$)")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$", re.MULTILINE)
_CODE_LABELS = {"", "python", "py", "python3"}
_SHORT_RESPONSE_CHARS = 40
_TAIL_CHARS = 4_000
_ENDING_CHARS = 300


def after_thinking(response: str, required: bool) -> str | None:
    """Text after the last `</think>`; the whole response if there is none; None if one is required."""
    _, tag, tail = response.rpartition("</think>")
    if tag:
        return tail
    return None if required else response


def extract_answer(text: str, require_box: bool = False) -> str | None:
    """The final answer in `text` (already without its thinking), or None.

    A last box that is empty or never closed gives None: the response withdrew what stood before it.
    """
    boxes = list(_BOX.finditer(text))
    if boxes:
        return _box_content(text, boxes[-1].end())
    return None if require_box else _plain_answer(text[-_TAIL_CHARS:])


def extract_stated_answer(text: str) -> str | None:
    """For solutions written by people: the last box, else "####", else a number that follows "the answer is" near the
    end; never a bare number or a phrase from the prose."""
    boxed = extract_answer(text, require_box=True)
    if boxed or _BOX.search(text):
        return boxed
    hashes = _HASHES.findall(text)
    if hashes:
        return str(hashes[-1])
    ending = text[-_ENDING_CHARS:]
    phrases = list(_PHRASE.finditer(ending))
    found = _after_phrase(ending[phrases[-1].end() :]) if phrases else None
    return found if found and read_number(compact(normalise_answer(found))) else None


def _box_content(text: str, start: int) -> str | None:
    if text[start : start + 1] != "{":
        bare = re.match(r"[^\s$]+", text[start:])
        return bare.group().rstrip(".,;") or None if bare else None
    depth, position = 0, start
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 2
            continue
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return text[start + 1 : position].strip() or None
        position += 1
    return None


def _plain_answer(text: str) -> str | None:
    stripped = text.strip().strip("*").strip()
    if not stripped:
        return None
    phrases = list(_PHRASE.finditer(stripped))
    if phrases:
        found = _after_phrase(stripped[phrases[-1].end() :])
        if found:
            return found
    hashes = _HASHES.findall(stripped)
    if hashes:
        return str(hashes[-1])
    if "\n" not in stripped and len(stripped) <= _SHORT_RESPONSE_CHARS:
        return _unwrap(stripped)
    spans = list(_SPAN.finditer(stripped))
    last_line = stripped.rfind("\n", 0, len(stripped)) + 1
    if spans and spans[-1].end() > last_line:
        return _span_content(spans[-1])
    numbers = _NUMBER.findall(_SPAN.sub(" ", stripped)) or _NUMBER.findall(stripped)
    return numbers[-1].strip() if numbers else None


def _after_phrase(tail: str) -> str | None:
    """What follows "the answer is": its math spans, else the rest of the sentence."""
    tail = tail.strip()
    if tail.startswith(("$$", "\\[")):
        display = _SPAN.match(tail)
        return _span_content(display) if display else None
    line = tail.split("\n", 1)[0]
    spans = list(_SPAN.finditer(line))
    if spans:
        return ", ".join(filter(None, map(_span_content, _spans_of_answer(line, spans)))) or None
    end = _SENTENCE_END.search(line)
    answer = (line[: end.start()] if end else line).strip().strip("*").strip().rstrip(",:")
    quantity = _QUANTITY.match(answer)
    return quantity.group(1) if quantity else answer or None


def _spans_of_answer(line: str, spans: list[re.Match[str]]) -> list[re.Match[str]]:
    """The first span and those joined to it by nothing but "and", "or" and commas."""
    chosen = spans[:1]
    for before, span in zip(spans, spans[1:], strict=False):
        if not re.fullmatch(r"[\s,]*(?:and|or)?[\s,]*", line[before.end() : span.start()]):
            break
        chosen.append(span)
    return chosen


def _span_content(span: re.Match[str]) -> str | None:
    return next(g for g in span.groups() if g is not None).strip().rstrip(".,") or None


def _unwrap(text: str) -> str:
    span = _SPAN.fullmatch(text.rstrip("."))
    return (_span_content(span) if span else None) or text.rstrip(".").strip()


def extract_code(text: str) -> str | None:
    """The last complete fenced block labelled python, py, python3 or nothing, or None."""
    found, opening = None, None
    for fence in _FENCE.finditer(text):
        marker, label = fence.group(1), fence.group(2).strip()
        if opening is None:
            opening = fence
        elif marker[0] == opening.group(1)[0] and len(marker) >= len(opening.group(1)) and not label:
            if opening.group(2).strip().lower() in _CODE_LABELS:
                found = text[opening.end() + 1 : fence.start()]
            opening = None
        elif label.lower() in _CODE_LABELS and label:
            opening = fence  # the block before was never closed
    return found if found and found.strip() else None
