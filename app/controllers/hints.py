"""The keys that fit the moment: on the composer's lower edge, and after a paste."""

from __future__ import annotations

from rich.cells import cell_len

from app.controllers.marks import Marks
from app.controllers.text_layout import counted

LONG_PASTE_LINES, LONG_PASTE = 10, 1_000
"""Lines and characters of a paste beyond which it is not seen whole, and its size is said."""


def composer_hints(
    width: int,
    marks: Marks,
    *,
    busy: bool,
    popup: bool,
    question: bool,
    drafting: bool,
    elsewhere: str = "",
    opens: bool = True,
) -> str:
    """As many hints as fit in ``width`` cells, the most useful first.

    ``elsewhere`` is the id of what has the focus in the composer's place; ``opens`` tells of the transcript's row.
    """
    if elsewhere == "transcript":
        hints = ["Up/Down choose", *(["Enter opens"] if opens else []), "Ctrl+Y copies", "End newest", "Esc writes on"]
    elif elsewhere == "pane":
        hints = [
            "Up/Down choose",
            "Enter opens the file",
            "Typing narrows",
            "Space folds",
            "F6 closes",
            "Esc writes on",
        ]
    elif elsewhere == "question":
        hints = ["Left/Right choose", "Enter answers", "Up/Down read", "Esc writes on"]
    elif popup:
        hints = ["Tab accepts", "Up/Down choose", "Esc closes"]
    elif question:
        hints = ["F2 F3 F4 answer", *(["Esc stops"] if busy else []), "Shift+Tab reads it"]
    elif busy:
        hints = ["Esc stops", "Enter queues", "F6 skills", "F1 help"]
    elif drafting:
        hints = ["Enter sends", "Ctrl+J new line", "Ctrl+Z undo", "F1 help"]
    else:
        hints = ["/ commands and skills", "F6 skills", "F1 help", "Ctrl+C twice leaves"]
    shown = ""
    for hint in hints:
        longer = f"{shown} {marks.separator} {hint}" if shown else hint
        if cell_len(longer) > width:
            break
        shown = longer
    return shown


def paste_hint(lines: int, characters: int) -> str:
    """The size of a long paste and the keys for it; empty for one that is seen whole."""
    if lines <= LONG_PASTE_LINES and characters <= LONG_PASTE:
        return ""
    size = f"{counted(lines, 'line')}, {counted(characters, 'character')}"
    return f"Pasted {size}. Ctrl+Z takes it out; Ctrl+G opens your editor."
