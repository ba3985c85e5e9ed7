"""HTML and SVG by construction: every string is escaped unless it is already `Markup`.

Problems, completions and error messages are other people's text. No page of this project is put together from
plain strings, so none of them can become a tag, an attribute or a script.
"""

import html
from typing import Any

VOID = {"meta", "line", "rect", "circle", "path", "br", "polyline", "polygon"}


class Markup(str):
    """Text that is markup already and is not escaped again. Only `element` and `join` make it."""


def escape(value: Any) -> Markup:
    """Any value as text that is safe between tags and inside quoted attributes. Control characters that HTML
    forbids and lone surrogates become visible replacement marks."""
    if isinstance(value, Markup):
        return value
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    shown = "".join(c if c in "\t\n" or (ord(c) >= 32 and ord(c) != 127) else "\ufffd" for c in text)
    return Markup(html.escape(shown, quote=True))


def join(*children: Any, separator: str = "") -> Markup:
    """Escape and concatenate; None children are left out, lists are flattened."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, list | tuple):
            parts.append(join(*child, separator=separator))
        elif child is not None:
            parts.append(escape(child))
    return Markup(separator.join(parts))


def element(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """One element. Attribute names: `class_` for class, underscores become hyphens; None leaves one out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID and not children:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def _number(value: Any) -> Any:
    """Coordinates to a tenth of a pixel: enough for the eye, and the page stays small."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def shorten(text: str, num_characters: int) -> str:
    """The beginning of a long text, saying how much was left out."""
    left_out = len(text) - num_characters
    return text if left_out <= 0 else f"{text[:num_characters]} … ({left_out:,} more characters)"


def table(header: list[Any], rows: list[list[Any]], caption: str = "", numeric: tuple[int, ...] = ()) -> Markup:
    """A table that scrolls sideways on a narrow screen; `numeric` are the columns set flush right."""

    def cells(name: str, row: list[Any], **attributes: Any) -> list[Markup]:
        return [element(name, c, class_="n" if i in numeric else None, **attributes) for i, c in enumerate(row)]

    body = element(
        "table",
        element("thead", element("tr", cells("th", header, scope="col"))),
        element("tbody", [element("tr", cells("td", row)) for row in rows]),
        aria_label=caption or None,
    )
    said = element("p", caption, class_="caption") if caption else None  # above, so that it does not scroll away
    return join(said, element("div", body, class_="scroll", tabindex="0"))
