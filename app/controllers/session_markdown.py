"""A session as Markdown."""

from __future__ import annotations

import re

from app.controllers.row_body import Fact, Heading, ListLine, Part, Prose, Verbatim
from app.controllers.session_rows import ShownRow, ShownSession

# What means something wherever it stands. An underscore inside a word, a lone `&` or `<`, and `~/` do not.
_INLINE = re.compile(r"[\\`*\[\]|]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|~(?!/)|(?<![^\W_])_|_(?![^\W_])")
# What means something at the beginning of a line only, and a closing row of # in a heading.
_AT_START = re.compile(
    r"^([ \t]*)(>|#(?=#{0,5}(?:\s|$))|-(?=[\s-]|$)|\+(?=\s|$)|=(?==*[ \t]*$))"
    r"|^([ \t]*\d{1,9})([.)])(?=\s|$)"
    r"|(?<=[ \t])()(#)(?=#*[ \t]*$)",
    re.MULTILINE,
)
_FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def session_markdown(session: ShownSession) -> str:
    """A heading a row. The assistant's words stay Markdown; everything else stands for itself, whatever it holds."""
    blocks = [f"# {_escaped(session.title)}"]
    blocks.append("\n".join(f"- {name}: {_code(value)}" for name, value in session.facts))
    for row in session.rows:
        blocks.append(f"## {_escaped(row.title)}")
        blocks.extend(_part(part, row) for part in row.parts)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _part(part: Part, row: ShownRow) -> str:
    match part:
        case Prose(text):
            return _closed(text.strip("\n"))
        case Verbatim(text, _):
            return _quoted(text) if row.kind in ("user", "assistant") else _fenced(text)
        case Heading(text):
            return f"**{_escaped(text)}**"
        case Fact(name, value):
            return f"{_escaped(name)}:\n\n{_fenced(value)}" if "\n" in value else f"{_escaped(name)}: {_code(value)}"
        case ListLine(mark, _, name, text):
            return f"- {_escaped(mark)} {_code(name)} {_escaped(text)}".rstrip()


def _closed(text: str) -> str:
    """Ends a code fence that the text leaves open, as a cut answer may: what follows must not become code."""
    open_fence = ""
    for match in re.finditer(r"^ {0,3}(`{3,}|~{3,})(.*)$", text, re.MULTILINE):
        fence, rest = match[1], match[2]
        if not open_fence:
            open_fence = fence
        elif fence[0] == open_fence[0] and len(fence) >= len(open_fence) and not rest.strip():
            open_fence = ""
    return f"{text}\n{open_fence}" if open_fence else text


def _quoted(text: str) -> str:
    return "\n".join(f"> {_escaped(line)}".rstrip() + ("  " if line else "") for line in text.strip("\n").split("\n"))


def _fenced(text: str) -> str:
    longest = max((len(match[1]) for match in _FENCE.finditer(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.strip(chr(10))}\n{fence}"


def _code(text: str) -> str:
    runs = [len(run) for run in re.findall("`+", text)]
    ticks = "`" * (max(runs, default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""


def _escaped(text: str) -> str:
    """The text so that Markdown shows it as it is, with as few marks as that takes."""
    text = _INLINE.sub(r"\\\g<0>", text)
    return _AT_START.sub(lambda found: "\\".join(part for part in found.groups() if part is not None), text)
