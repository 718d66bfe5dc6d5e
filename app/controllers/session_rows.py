"""A stored session as a list of headed rows, for the formats that show one: text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.controllers.inert import inert, inert_line
from app.controllers.row_body import Fact, Heading, ListLine, Part, Prose, Verbatim
from app.controllers.transcript import Transcript
from app.controllers.transcript_row import Row, RowKind, row_parts, row_title
from skills_core.session import SessionEvent, SessionHeader
from skills_core.session.title import title_of


@dataclass(frozen=True, slots=True)
class ShownRow:
    """``title`` is one line, ``parts`` the whole body. Everything is inert."""

    kind: RowKind
    title: str
    parts: tuple[Part, ...]
    time: str
    seq: int


@dataclass(frozen=True, slots=True)
class ShownSession:
    """What is told of a session before its rows: facts by name, in order."""

    title: str
    facts: tuple[tuple[str, str], ...]
    rows: tuple[ShownRow, ...]


def shown_session(header: SessionHeader, events: Iterable[SessionEvent]) -> ShownSession:
    """The session as the transcript shows it, every row open."""
    events = tuple(events)
    transcript = Transcript()
    transcript.load(events)
    facts = [("Session", header.id), ("Folder", header.cwd), ("Created", header.created)]
    if header.parent_id is not None:
        facts.append(("Forked from", f"{header.parent_id}, event {header.parent_seq}"))
    return ShownSession(
        title=inert_line(title_of(events)) or "Untitled session",
        facts=tuple((name, inert_line(value)) for name, value in facts),
        rows=tuple(row for each in transcript.rows if (row := _shown(each)) is not None),
    )


def _shown(row: Row) -> ShownRow | None:
    if row.event is None:
        return None
    row.expanded = True
    if row.kind == "user":
        title = "You"
    elif row.kind == "assistant":
        model = row.event.data.get("model")
        title = f"Assistant · {model}" if isinstance(model, str) and model else "Assistant"
    else:
        title = "".join(piece.text for piece in row_title(row))
    parts = tuple(_inert_part(part) for part in row_parts(row))
    return ShownRow(row.kind, inert_line(title), parts, row.event.time, row.event.seq)


def _inert_part(part: Part) -> Part:
    match part:
        case Prose(text):
            return Prose(inert(text))
        case Verbatim(text, role):
            return Verbatim(inert(text), role)
        case Heading(text):
            return Heading(inert_line(text))
        case Fact(name, value):
            return Fact(inert_line(name), inert(value))
        case ListLine(mark, role, name, text):
            return ListLine(mark, role, inert_line(name), inert_line(text))
