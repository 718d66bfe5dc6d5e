"""A session as one HTML page that needs nothing else and does nothing: no script, no address, no picture."""

from __future__ import annotations

from html import escape

from app.controllers.row_body import Fact, Heading, ListLine, Part, Prose, Verbatim
from app.controllers.session_rows import ShownRow, ShownSession

_STYLE = """
:root { color-scheme: light dark; --dim: #667; --line: #8884; --accent: #06c; --bad: #b30; --warn: #960; --good: #073; }
@media (prefers-color-scheme: dark) { :root { --dim: #99a; --accent: #6bf; --bad: #f86; --warn: #db5; --good: #6c9; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 0; display: inline; font-weight: 600; }
dl.facts { display: grid; grid-template-columns: max-content auto; gap: 0 1rem; color: var(--dim); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
section, details { border-top: 1px solid var(--line); padding: .6rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
section.user { border-left: 3px solid var(--accent); padding-left: .8rem; }
time { color: var(--dim); font-size: .8rem; float: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; border-radius: .3rem; }
code, pre { font: .9em/1.45 ui-monospace, monospace; }
h3 { font-size: .9rem; color: var(--dim); margin: .8rem 0 .2rem; }
ul.entries { list-style: none; padding: 0; margin: .2rem 0; } ul.entries li { overflow-wrap: anywhere; }
.muted, .note { color: var(--dim); } .error { color: var(--bad); } .warning { color: var(--warn); }
.success { color: var(--good); } table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: .2rem .5rem; }
"""


def session_html(session: ShownSession) -> str:
    """The page. The assistant's Markdown is laid out, with links and pictures as plain text."""
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in session.facts)
    rows = "\n".join(_row(row) for row in session.rows)
    title = escape(session.title)
    return (
        '<!DOCTYPE html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1 dir="auto">{title}</h1>\n<dl class="facts">{facts}</dl>\n{rows}\n</body>\n</html>\n'
    )


def _row(row: ShownRow) -> str:
    head = f'<h2 dir="auto">{escape(row.title)}</h2><time>{escape(row.time)}</time>'
    body = _parts(row.parts)
    if row.kind in ("user", "assistant"):
        return f'<section class="{row.kind}">{head}{body}</section>'
    if not body:
        return f'<section class="{row.kind}">{head}</section>'
    return f'<details class="{row.kind}"><summary>{head}</summary>{body}</details>'


def _parts(parts: tuple[Part, ...]) -> str:
    out: list[str] = []
    listing = False
    for part in parts:
        if isinstance(part, ListLine) != listing:
            listing = not listing
            out.append('<ul class="entries">' if listing else "</ul>")
        out.append(_part(part))
    if listing:
        out.append("</ul>")
    return "".join(out)


def _part(part: Part) -> str:
    match part:
        case Prose(text):
            return f'<div dir="auto">{_markdown(text)}</div>'
        case Verbatim(text, role):
            return f'<pre class="{role}" dir="auto">{escape(text)}</pre>'
        case Heading(text):
            return f"<h3>{escape(text)}</h3>"
        case Fact(name, value):
            return f'<h3>{escape(name)}</h3><pre dir="auto">{escape(value)}</pre>'
        case ListLine(mark, role, name, text):
            said = f" {escape(text)}" if text else ""
            return f'<li dir="auto"><span class="{role}">{escape(mark)}</span> <b>{escape(name)}</b>{said}</li>'


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["link", "image", "autolink", "reference"]).render(text)
