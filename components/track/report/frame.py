"""The frame of every page: style, content-security policy, light and dark colours. No script, nothing loaded."""

from typing import Any

from components.track.report.markup import Markup, element, join

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

STYLE = Markup("""
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1b1f24;--soft:#5b6470;--line:#dfe3e8;--fill:#eef1f4;
--c0:#2463c4;--c1:#d9730d;--c2:#1a8a5f;--c3:#9a4fb8;--c4:#b3261e;--c5:#8b95a1;--good:#167a4c;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--card:#1c2026;--ink:#e7eaee;--soft:#a3adb8;--line:#343b44;
--fill:#272d35;--c0:#79abff;--c1:#f2a65a;--c2:#5fcf9f;--c3:#d29be8;--c4:#ff8a80;--c5:#7e8994;--good:#5fcf9f;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1120px;margin:0 auto;padding:16px}
h1{font-size:1.6rem;line-height:1.2;margin:.4rem 0}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-top:.8rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .4rem} .case h3{margin-top:.1rem}
p{margin:.4rem 0;max-width:72ch}
.soft,figcaption,.caption,.axis{color:var(--soft)}
.result{font-size:1.15rem;font-weight:600;border-left:4px solid var(--c0);padding:.3rem .8rem;margin:.8rem 0}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem;margin:.6rem 0}
a{color:var(--c0)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:12px 0}
.card,figure,.case{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px;min-width:0}
.card b{display:block;font-size:1.3rem;line-height:1.25;overflow-wrap:anywhere}
.card span{font-size:.85rem;color:var(--soft)}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:12px;margin:12px 0}
figure{margin:0}
figcaption{font-size:.85rem;margin-top:.4rem}
figure strong{display:block;font-size:.95rem}
svg{display:block;width:100%;height:auto;max-width:480px}
svg text{fill:var(--ink);font:11px system-ui,-apple-system,"Segoe UI",sans-serif}
svg .axis{fill:var(--soft)}
svg .grid{stroke:var(--line)} svg .stage{stroke:var(--soft);stroke-dasharray:3 3}
svg .edge{stroke:var(--soft);fill:none;stroke-width:1.2} svg .node{fill:var(--fill);stroke:var(--line)}
svg .digest,code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
svg .digest{font-size:9.5px;fill:var(--soft)}
.l0{stroke:var(--c0)} .l1{stroke:var(--c1)} .l2{stroke:var(--c2)} .l3{stroke:var(--c3)} .l4{stroke:var(--c4)}
.l5{stroke:var(--c5)} .line{fill:none;stroke-width:1.8;stroke-linejoin:round} .dash{stroke-dasharray:5 3}
.f0{fill:var(--c0)} .f1{fill:var(--c1)} .f2{fill:var(--c2)} .f3{fill:var(--c3)} .f4{fill:var(--c4)}
.f5{fill:var(--c5)}
.legend{display:flex;flex-wrap:wrap;gap:.1rem .9rem;font-size:.82rem;margin:.2rem 0}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.35em;vertical-align:-.05em}
.b0{background:var(--c0)} .b1{background:var(--c1)} .b2{background:var(--c2)} .b3{background:var(--c3)}
.b4{background:var(--c4)} .b5{background:var(--c5)}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.88rem;min-width:100%}
.caption{font-size:.85rem;margin:.9rem 0 0} td:first-child{white-space:nowrap}
th,td{text-align:left;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;white-space:nowrap} .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bar{display:flex;height:.7rem;min-width:90px;border-radius:3px;overflow:hidden;background:var(--fill)}
.bar i{display:block;height:100%}
details{margin:.35rem 0} summary{cursor:pointer;padding:.25rem 0}
pre,.quote{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;background:var(--fill);border-radius:6px;
padding:.5rem .7rem;margin:.35rem 0;font-size:.82rem;line-height:1.45;max-height:22rem;overflow-y:auto}
.quote{font-family:inherit;font-size:.88rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:10px}
.case{margin:12px 0} .good{color:var(--good);font-weight:600} .bad{color:var(--bad);font-weight:600}
code{font-size:.85em;overflow-wrap:anywhere} td code{white-space:nowrap;overflow-wrap:normal}
.narrow{max-width:480px}
""")


def document(title: str, *body: Any) -> str:
    """A complete HTML page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", STYLE),
    )
    return "<!DOCTYPE html>\n" + join(element("html", head, element("body", element("main", *body)), lang="en")) + "\n"


def section(identifier: str, title: str, *body: Any) -> Markup:
    """One section with its heading; `identifier` is the anchor that the navigation links to."""
    return element("section", element("h2", title), *body, id=identifier)


def sentence(text: str) -> Markup:
    return element("p", text, class_="soft")


def quote(text: Any) -> Markup:
    """Somebody else's prose: line breaks kept, direction isolated."""
    return element("div", text, class_="quote", dir="auto")


def listing(text: Any) -> Markup:
    """Somebody else's program or completion, in a fixed-width block."""
    return element("pre", text, dir="auto", tabindex="0")
