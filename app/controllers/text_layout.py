"""Lines of text for a grid of cells: pieces with a role, cut and wrapped by their width on the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size, split_graphemes

from skills_core.words import counted as counted

ELLIPSIS = "…"
TAB_SIZE = 4

Role: TypeAlias = Literal[
    "text",
    "muted",
    "strong",
    "emphasis",
    "strong-emphasis",
    "strike",
    "heading",
    "code",
    "code-block",
    "keyword",
    "string",
    "comment",
    "number",
    "quote",
    "link",
    "user",
    "accent",
    "success",
    "warning",
    "error",
    "match",
]
"""What a piece is, for the theme to colour. A role never carries a colour itself."""


class Piece(NamedTuple):
    """A run of text in one role, without line breaks or control characters."""

    text: str
    role: Role = "text"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the screen. ``soft`` when the next line continues the same text, so that copying joins them.

    ``joint`` is the white space that the wrap took out between this line and its continuation. ``indent`` is how many
    leading code points are layout (a bullet's indentation, a quote's bar) and no part of the text.
    """

    pieces: tuple[Piece, ...] = ()
    soft: bool = False
    joint: str = ""
    indent: int = 0

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def width(self) -> int:
        return sum(cell_len(piece.text) for piece in self.pieces)


def line(*pieces: Piece | str) -> Line:
    """A line from pieces; a bare string is plain text."""
    return Line(tuple(Piece(piece) if isinstance(piece, str) else piece for piece in pieces))


def sentences(*parts: str | None) -> str:
    """The parts as sentences behind each other: each one ends before the next begins."""
    said = [part.strip() for part in parts if part and part.strip()]
    ended = [part if part[-1] in ".!?:…" else f"{part}." for part in said]
    return " ".join(ended)


def expand_tabs(text: str) -> str:
    """Tabs as spaces up to the next multiple of four cells."""
    if "\t" not in text:
        return text
    parts = text.split("\t")
    out = parts[0]
    for part in parts[1:]:
        out += " " * (TAB_SIZE - cell_len(out) % TAB_SIZE) + part
    return out


def cut(text: str, width: int) -> str:
    """The text in at most ``width`` cells, ending in ``…`` when something was left out."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS


def cut_pieces(pieces: Iterable[Piece], width: int) -> tuple[Piece, ...]:
    """As ``cut``, over pieces: the roles stay, and the last one shown ends in ``…`` when something was left out."""
    pieces = [piece for piece in pieces if piece.text]
    out: list[Piece] = []
    left = width
    for index, piece in enumerate(pieces):
        length = cell_len(piece.text)
        last = index == len(pieces) - 1
        if length < left or (length == left and last):
            out.append(piece)
            left -= length
            continue
        shown = set_cell_size(piece.text, max(left - 1, 0)) + ELLIPSIS if left > 0 else ""
        if shown:
            out.append(Piece(shown, piece.role))
        break
    return tuple(out)


_ATOMS = re.compile(r"\s+|[^\s]+")
_BREAK_AFTER = re.compile(r"(?<=[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef])")


def wrap(pieces: Sequence[Piece], width: int, first: Sequence[Piece] = (), rest: Sequence[Piece] = ()) -> list[Line]:
    """Breaks a run of pieces into lines of at most ``width`` cells.

    ``first`` stands before the first line and ``rest`` before the others; both count as indent. Breaks are between
    words, and between any two characters of scripts that write without spaces; a word that is too long is broken
    where the line ends. White space at a break is kept in ``joint``.
    """
    builder = _Wrapper(max(width, 1), tuple(first), tuple(rest))
    for piece in pieces:
        for atom in _ATOMS.findall(piece.text):
            if atom.isspace():
                builder.space(atom, piece.role)
            else:
                for part in _split_unspaced(atom):
                    builder.word(part, piece.role)
    return builder.finish()


def _split_unspaced(atom: str) -> Sequence[str]:
    if atom.isascii():
        return (atom,)
    return [part for part in _BREAK_AFTER.split(atom) if part]


class _Wrapper:
    def __init__(self, width: int, first: tuple[Piece, ...], rest: tuple[Piece, ...]) -> None:
        self._width = width
        self._rest = rest
        self._lines: list[Line] = []
        self._pieces: list[Piece] = list(first)
        self._indent = sum(len(piece.text) for piece in first)
        self._used = sum(cell_len(piece.text) for piece in first)
        self._empty = True
        self._glue: list[Piece] = []
        self._word: list[Piece] = []
        self._word_width = 0

    def space(self, text: str, role: Role) -> None:
        self._flush_word()
        self._glue.append(Piece(text, role))

    def word(self, text: str, role: Role) -> None:
        """Adds a part of a word. Parts that follow each other without white space in Latin script stay together."""
        if self._word and not (self._word[-1].text[-1:].isascii() and text[:1].isascii()):
            self._flush_word()
        self._word.append(Piece(text, role))
        self._word_width += cell_len(text)

    def finish(self) -> list[Line]:
        self._flush_word()
        if not self._empty or not self._lines or self._glue:
            self._put_glue()
            self._lines.append(Line(tuple(self._pieces), indent=self._indent))
        return self._lines

    def _flush_word(self) -> None:
        if not self._word:
            return
        glue_width = sum(cell_len(piece.text) for piece in self._glue)
        if not self._empty and self._used + glue_width + self._word_width > self._width:
            self._break()
        else:
            self._put_glue()
        for piece in self._word:
            self._put_breaking(piece)
        self._word, self._word_width = [], 0

    def _put_glue(self) -> None:
        """White space stays as far as it leaves room for one more cell."""
        for piece in self._glue:
            text = piece.text[: max(self._width - self._used - 1, 0)]
            if text:
                self._put(Piece(text, piece.role))
        self._glue = []

    def _put_breaking(self, piece: Piece) -> None:
        if self._used + cell_len(piece.text) <= self._width:
            self._put(piece)
            return
        start = 0
        spans, _ = split_graphemes(piece.text)
        for begin, _end, cells in spans:
            if self._used + cell_len(piece.text[start:begin]) + cells > self._width and (
                begin > start or not self._empty
            ):
                if begin > start:
                    self._put(Piece(piece.text[start:begin], piece.role))
                self._break()
                start = begin
        self._put(Piece(piece.text[start:], piece.role))

    def _put(self, piece: Piece) -> None:
        if self._pieces and not self._empty and self._pieces[-1].role == piece.role:
            self._pieces[-1] = Piece(self._pieces[-1].text + piece.text, piece.role)
        else:
            self._pieces.append(piece)
        self._used += cell_len(piece.text)
        self._empty = False

    def _break(self) -> None:
        joint = "".join(piece.text for piece in self._glue)
        self._lines.append(Line(tuple(self._pieces), soft=True, joint=joint, indent=self._indent))
        self._glue = []
        self._pieces = list(self._rest)
        self._indent = sum(len(piece.text) for piece in self._rest)
        self._used = sum(cell_len(piece.text) for piece in self._rest)
        self._empty = True


def wrap_text(text: str, width: int, role: Role = "text", first: str = "", rest: str | None = None) -> list[Line]:
    """Wraps plain text with its real line breaks; ``first`` and ``rest`` indent the lines (``rest`` as ``first``)."""
    lines: list[Line] = []
    again = first if rest is None else rest
    for index, paragraph in enumerate(text.split("\n")):
        lead = first if index == 0 else again
        lines.extend(
            wrap(
                (Piece(expand_tabs(paragraph), role),),
                width,
                (Piece(lead),) if lead else (),
                (Piece(again),) if again else (),
            )
        )
    return lines
