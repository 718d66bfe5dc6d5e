"""The help as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.controllers.commands import Command
from app.controllers.inert import inert, inert_line
from app.controllers.markdown_lines import markdown_lines
from app.controllers.text_layout import Line, Piece, line, wrap


@dataclass(frozen=True, slots=True)
class KeyHelp:
    """A key as configured now, what it does, and the id under which it can be rebound."""

    keys: str
    description: str
    id: str


COMPLETION_KEYS = (
    KeyHelp("up,down,ctrl+p,ctrl+n", "Choose in the completions", ""),
    KeyHelp("pageup,pagedown", "Choose ten further", ""),
    KeyHelp("tab", "Accept; never sends", ""),
    KeyHelp("enter", "Accept a name that is not complete, else send", ""),
    KeyHelp("alt+up,alt+down", "Read on in a long description", ""),
    KeyHelp("escape", "Close the completions and keep the text", ""),
)
BAR_WORDS = (
    ("#4", "The skills as you see them are the fourth view of them: it grows with each change on the disk"),
    ("live", "Changes on the disk show at once"),
    ("polling", "Changes show within moments: this disk tells nothing, so it is looked at again and again"),
    ("stale", "The disk cannot be read whole now, and the last whole view stays"),
    ("not saved", "This session is kept nowhere"),
)
_NAMES = {"escape": "Esc", "pageup": "PgUp", "pagedown": "PgDn"}
_KEY_WIDTH = 26


def key_names(keys: str) -> str:
    """``ctrl+j,shift+enter`` as ``Ctrl+J, Shift+Enter``."""
    shown: list[str] = []
    for key in keys.split(","):
        parts = [_NAMES.get(part, part.capitalize()) for part in key.split("+")]
        shown.append("+".join(parts))
    return ", ".join(shown)


def help_lines(
    groups: Sequence[tuple[str, Sequence[KeyHelp]]], commands: Sequence[Command], topics: Sequence[str], width: int
) -> list[Line]:
    """The whole help at a width."""
    lines: list[Line] = [line(Piece("Skilldeck: keys and commands", "heading"))]
    lines += wrap((Piece("Type / for commands and skills. A skill that is saved anywhere is there at once."),), width)
    titled = [*groups]
    titled.insert(3, ("With the completions open", COMPLETION_KEYS))
    for title, keys in titled:
        lines += [Line(), line(Piece(title, "strong"))]
        lines += [each for key in keys for each in _key_lines(key, width)]
    lines += [Line(), line(Piece("Commands", "strong"))]
    for command in commands:
        usage = f"/{command.name} {command.arguments}".rstrip()
        lines += _pair(usage, command.summary, width)
    lines += _pair("/skill:NAME words", "Use a skill yourself; anywhere in a message, several if you like", width)
    lines += _pair("/NAME words", "The same, for a name that no command has", width)
    lines += [Line(), line(Piece("The bar at the bottom", "strong"))]
    for word, meaning in BAR_WORDS:
        lines += _pair(word, meaning, width)
    if topics:
        lines += [Line(), line(Piece("More to read", "strong"))]
        lines += _pair("/help TOPIC", ", ".join(topics), width)
    return lines


def document_lines(folder: Path, topic: str, width: int) -> list[Line]:
    """One of the program's documents, or what there is instead."""
    known = sorted(path.stem for path in folder.glob("*.md"))
    if topic not in known:
        said = f"There is no document {inert_line(topic)}. There are: {', '.join(known) or 'none'}."
        return wrap((Piece(said),), width)
    return markdown_lines(inert((folder / f"{topic}.md").read_text("utf-8")), width)


def _key_lines(key: KeyHelp, width: int) -> list[Line]:
    tail = f"  [{key.id}]" if key.id and width >= 70 else ""
    return _pair(key_names(key.keys), key.description, width, tail)


def _pair(left: str, right: str, width: int, tail: str = "") -> list[Line]:
    pad = " " * max(_KEY_WIDTH - len(left), 2)
    pieces = (Piece(right), Piece(tail, "muted"))
    return wrap(pieces, width, (Piece("  "), Piece(left, "accent"), Piece(pad)), (Piece(" " * (_KEY_WIDTH + 2)),))
