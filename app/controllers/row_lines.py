"""A row of the transcript as lines of cells at a width. Everything that comes from outside is made inert here."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len

from app.controllers.inert import inert, inert_line
from app.controllers.markdown_lines import finished_prefix, markdown_lines
from app.controllers.marks import UNICODE, Marks
from app.controllers.row_body import Fact, Heading, ListLine, Part, Prose, Verbatim
from app.controllers.text_layout import Line, Piece, cut, cut_pieces, expand_tabs, wrap, wrap_text
from app.controllers.transcript_row import Row, row_parts, row_title

GUTTER = 2
"""Cells left of every row, for its mark."""

LEAST_SHOWN = 12
"""Cells that a shortened part of a title keeps; with less it tells nothing."""

RUNNING_LINES = 4
"""Lines of a running tool's output under its closed row."""


def row_lines(row: Row, width: int, marks: Marks = UNICODE) -> list[Line]:
    """The lines of a row, at most ``width`` cells each."""
    if row.kind == "user":
        return _user_lines(row, width, marks)
    if row.kind == "assistant":
        return _indented(_parts_lines(row_parts(row), max(width - GUTTER, 1)), GUTTER)
    if not row.foldable:
        return wrap(_spaced(row_title(row)), width, (Piece("  "),), (Piece("  "),))
    mark = marks.open if row.expanded else marks.closed
    title = _spaced(row_title(row))
    head = Line((Piece(f"{mark} ", "muted"), *fitted(title, max(width - GUTTER, 1))), indent=GUTTER)
    if not row.expanded:
        return [head, *_running_lines(row, width)]
    return [head, *_indented(_parts_lines(row_parts(row), max(width - 2 * GUTTER, 1)), 2 * GUTTER)]


def _running_lines(row: Row, width: int) -> list[Line]:
    """The newest output of a tool that still runs, so that its row need not be opened to see it live."""
    if row.kind != "tool" or row.result is not None or not row.live_text:
        return []
    shown = inert("".join(row.live_text)).rstrip("\n").split("\n")[-RUNNING_LINES:]
    lead = Piece(" " * 2 * GUTTER)
    room = max(width - 2 * GUTTER, 1)
    return [Line((lead, *cut_pieces((Piece(expand_tabs(text), "muted"),), room)), indent=2 * GUTTER) for text in shown]


def _spaced(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Inert pieces on one line; the white space at their ends, which separates them, is kept as one space."""
    out: list[Piece] = []
    for piece in pieces:
        text = inert_line(piece.text)
        if piece.text[:1].isspace():
            text = " " + text
        if text.strip() or out:
            out.append(Piece(text, piece.role))
    return tuple(out)


def fitted(pieces: tuple[Piece, ...], width: int) -> tuple[Piece, ...]:
    """The pieces in ``width`` cells: the longest gives way, so that what stands behind it is still read."""
    over = sum(cell_len(piece.text) for piece in pieces) - width
    if over <= 0:
        return pieces
    longest = max(range(len(pieces)), key=lambda index: cell_len(pieces[index].text))
    room = cell_len(pieces[longest].text) - over
    if room < LEAST_SHOWN:
        return cut_pieces(pieces, width)
    shown = Piece(cut(pieces[longest].text, room), pieces[longest].role)
    return (*pieces[:longest], shown, *pieces[longest + 1 :])


def gap_before(row: Row, previous: Row | None) -> int:
    """How many empty lines stand between a row and the one above it."""
    if previous is None:
        return 0
    quiet = ("tool", "context", "note")
    return 0 if row.kind in quiet and previous.kind in quiet else 1


def estimated_height(row: Row, width: int) -> int:
    """About how many lines a row takes, without laying it out."""
    if row.kind not in ("user", "assistant"):
        return 1
    length = row.size()
    return 1 + length // max(width - GUTTER, 8)


def _user_lines(row: Row, width: int, marks: Marks) -> list[Line]:
    lines: list[Line] = []
    for part in row_parts(row):
        if isinstance(part, Verbatim):
            first = f"{marks.user} " if not lines else "  "
            found = wrap_text(inert(part.text).rstrip(), width, "user", first, "  ")
            if not lines and found:
                head = found[0]
                found[0] = Line((Piece(f"{marks.user} ", "accent"), *head.pieces[1:]), head.soft, head.joint, GUTTER)
            lines.extend(found)
        else:
            lines.extend(_indented(_parts_lines((part,), max(width - GUTTER, 1)), GUTTER))
    return lines or [Line((Piece(f"{marks.user} ", "accent"),), indent=GUTTER)]


def _parts_lines(parts: tuple[Part, ...], width: int) -> list[Line]:
    lines: list[Line] = []
    for part in parts:
        lines.extend(_part_lines(part, width))
    return lines


def _part_lines(part: Part, width: int) -> list[Line]:
    match part:
        case Prose(text):
            return markdown_lines(inert(text), width) if text.strip() else []
        case Verbatim(text, role):
            return wrap_text(inert(text).rstrip("\n"), width, role)
        case Heading(text):
            return wrap((Piece(inert_line(text), "muted"),), width)
        case ListLine(mark, role, name, text):
            pieces = [Piece(inert_line(name), "strong")]
            if text:
                pieces.append(Piece(f"  {inert_line(text)}"))
            return wrap(pieces, width, (Piece(f"{mark} ", role),), (Piece("  "),))
        case Fact(name, value):
            return _field_lines(inert_line(name), inert(value), width)


def _field_lines(name: str, value: str, width: int) -> list[Line]:
    if "\n" not in value and len(name) + len(value) + 2 <= width:
        return wrap((Piece(f"{name}: ", "muted"), Piece(value)), width)
    return [*wrap((Piece(f"{name}:", "muted"),), width), *wrap_text(value.rstrip("\n"), width, "text", "  ")]


def _indented(lines: list[Line], cells: int) -> list[Line]:
    lead = Piece(" " * cells)
    return [
        Line((lead, *line.pieces), line.soft, line.joint, line.indent + cells) if line.pieces else line
        for line in lines
    ]


@dataclass(slots=True)
class LiveLines:
    """The lines of a reply that is still coming in: finished blocks are laid out once, only the last one again."""

    width: int = 0
    _row: Row | None = None
    _taken: int = 0
    _text: str = ""
    _done_length: int = 0
    _done: list[Line] = field(default_factory=list)

    def lines(self, row: Row, width: int) -> list[Line]:
        """The lines of ``row`` now; cheap when only little came since the last call."""
        if row is not self._row or width != self.width or len(row.live_text) < self._taken:
            self._row, self.width, self._taken, self._text = row, width, 0, ""
            self._done_length, self._done = 0, []
        self._text += "".join(row.live_text[self._taken :])
        self._taken = len(row.live_text)
        inner = max(width - GUTTER, 1)
        tail = self._text[self._done_length :]
        finished = finished_prefix(tail)
        if finished:
            self._done.extend(_indented(markdown_lines(inert(tail[:finished]), inner), GUTTER))
            self._done.append(Line())
            self._done_length += finished
            tail = tail[finished:]
        rest = _indented(markdown_lines(inert(tail), inner), GUTTER) if tail.strip() else []
        if not self._text.strip():
            return _indented(_parts_lines(row_parts(row), inner), GUTTER) or [Line((Piece("  …", "muted"),))]
        return [*self._done, *rest]
