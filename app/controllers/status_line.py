"""The status bar's words, in the order in which they may be left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from app.controllers.inert import inert_line
from app.controllers.marks import Marks
from app.controllers.skill_view import SkillView
from app.controllers.text_layout import Line, Piece, Role, counted, cut

SHORT_FOLDER = 14
"""Cells of the folder's name when there is little room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFacts:
    """What the bar says. ``usage`` is what the session took so far, ``activity`` what is being done, in words.

    ``unsaved`` says that the session is kept nowhere.
    """

    cwd: str
    model: str
    view: SkillView
    usage: str = ""
    activity: str = ""
    queued: int = 0
    unsaved: bool = False


def status_line(facts: StatusFacts, width: int, marks: Marks, home: str | None = None) -> Line:
    """At most ``width`` cells; what matters least goes first when there is no room."""
    view = facts.view
    problems = len(view.problems)
    errors = any(problem.severity == "error" for problem in view.problems)
    state_role: Role = "success" if view.state == "live" else "muted" if view.state == "starting" else "warning"
    parts: list[tuple[int, Piece]] = []
    if facts.activity:
        parts.append((0, Piece(cut(inert_line(facts.activity), max(width // 3, 16)), "accent")))
    if facts.unsaved:
        parts.append((0, Piece("not saved", "warning")))
    if facts.queued:
        parts.append((3, Piece(f"{facts.queued} queued", "accent")))
    folder = len(parts)
    parts.append((7, Piece(_short_folder(facts.cwd, home, max(width // 4, 12)), "muted")))
    parts.append((5, Piece(_short_model(inert_line(facts.model), max(width // 4, 12)), "muted")))
    found = "looking for skills" if view.snapshot is None else counted(view.skill_count, "skill")
    parts.append((2, Piece(found, "text")))
    parts.append((1, Piece(f"#{view.number}", "text")))
    parts.append((1, Piece(_state_text(view, max(width // 3, 20)), state_role)))
    if problems:
        parts.append((2, Piece(counted(problems, "problem"), "error" if errors else "warning")))
    if facts.usage:
        parts.append((6, Piece(facts.usage, "muted")))
    separator = f" {marks.separator} "
    if _width(parts, separator) > width - 2:
        parts[folder] = (7, Piece(_short_folder(facts.cwd, home, SHORT_FOLDER), "muted"))
    while len(parts) > 1 and _width(parts, separator) > width - 2:
        least = max(range(len(parts)), key=lambda index: parts[index][0])
        del parts[least]
    pieces: list[Piece] = [Piece(" ")]
    for index, (_, piece) in enumerate(parts):
        if index:
            pieces.append(Piece(separator, "muted"))
        pieces.append(piece)
    return Line(tuple(pieces))


def _state_text(view: SkillView, width: int) -> str:
    if view.state == "stale" and view.reason:
        return cut(f"stale: {inert_line(view.reason)}", width)
    if view.state == "off":
        return "not watched"
    return view.state


def _short_model(name: str, width: int) -> str:
    """Of a long name the end is shown: the model's own name, or the file's."""
    if cell_len(name) <= width:
        return name
    return "…" + set_cell_size(name[::-1], width - 1)[::-1].lstrip()


def _short_folder(cwd: str, home: str | None, width: int) -> str:
    home = os.path.expanduser("~") if home is None else home
    shown = "~" + cwd[len(home) :] if cwd == home or cwd.startswith(home.rstrip("/") + "/") else cwd
    shown = inert_line(shown)
    if cell_len(shown) <= width:
        return shown
    return cut(shown.rsplit("/", 1)[-1], width)


def _width(parts: Sequence[tuple[int, Piece]], separator: str) -> int:
    return sum(cell_len(piece.text) for _, piece in parts) + len(separator) * (len(parts) - 1)
