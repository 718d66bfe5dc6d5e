"""A session as plain text."""

from __future__ import annotations

from app.controllers.row_body import Fact, Heading, ListLine, Part, Prose, Verbatim
from app.controllers.session_rows import ShownSession

_MARKS = {"user": "›", "assistant": "•", "tool": "▸", "context": "▸", "note": "·"}


def session_text(session: ShownSession) -> str:
    """One block a row: its title at the margin, its body indented."""
    lines = [session.title, ""]
    width = max(len(name) for name, _ in session.facts)
    lines.extend(f"{name.ljust(width)}  {value}" for name, value in session.facts)
    for row in session.rows:
        lines.extend(["", f"{_MARKS[row.kind]} {row.title}"])
        for part in row.parts:
            lines.extend(f"  {line}".rstrip() for line in _part_lines(part))
    return "\n".join(lines) + "\n"


def _part_lines(part: Part) -> list[str]:
    match part:
        case Prose(text) | Verbatim(text, _):
            return text.strip("\n").split("\n")
        case Heading(text):
            return [f"-- {text}"]
        case Fact(name, value):
            first, *rest = value.split("\n")
            return [f"{name}: {first}", *(f"  {line}" for line in rest)]
        case ListLine(mark, _, name, text):
            return [f"{mark} {name}: {text}" if text else f"{mark} {name}"]
