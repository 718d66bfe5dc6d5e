"""What the completion popup draws: rows in columns, a detail area, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from app.controllers.completion import Choice
from app.controllers.inert import inert_line
from app.controllers.marks import Marks
from app.controllers.text_layout import Line, Piece, Role, cut_pieces, wrap
from skills_core.skill import SkillSummary

MAX_ROWS = 10
READ_KEYS = "Alt+Up/Down"
_NAME_LIMIT = 34
_BADGE_WIDTH = 7
_LOOKED_AT = 200
"""Choices whose descriptions are measured; a list can have ten thousand."""


@dataclass(frozen=True, slots=True)
class Window:
    """The rows that show: ``first`` and how many; ``selected`` is an index into all."""

    first: int
    count: int
    selected: int
    total: int


def window(total: int, selected: int, first: int, room: int = MAX_ROWS) -> Window:
    """Moves the window as little as needed to show the selected row."""
    count = min(total, room)
    first = min(max(first, selected - count + 1), selected)
    return Window(max(0, min(first, total - count)), count, selected, total)


def name_width(items: Sequence[Choice], width: int) -> int:
    """The width of the name column, for all rows alike, so that scrolling moves no column."""
    longest = max((len(choice.name) for choice in items), default=0)
    return max(min(longest, _NAME_LIMIT, width // 2), 4)


def choice_line(
    choice: Choice,
    width: int,
    names: int,
    positions: Sequence[int],
    *,
    selected: bool,
    marks: Marks,
) -> Line:
    """One row: mark, name with its matched letters, badge, marks, and as much of the description as fits."""
    lead = f"{marks.selected} " if selected else "  "
    name = cut_pieces(_highlighted(choice.name, positions), names)
    pad = " " * (names - sum(cell_len(piece.text) for piece in name) + 2)
    badge = Piece(f"{choice.scope:<{_BADGE_WIDTH}}  ", "text" if selected else "accent")
    pieces: list[Piece] = [Piece(lead, "accent"), *name, Piece(pad), badge]
    pieces += [Piece(f"{mark} ", "warning") for mark in choice.marks]
    if choice.skill is None and choice.argument_hint:
        pieces.append(Piece(f"{inert_line(choice.argument_hint)} ", "text" if selected else "muted"))
    pieces.append(Piece(inert_line(choice.description[: 4 * width]), "text" if selected else "muted"))
    return Line(cut_pieces(pieces, width))


def _highlighted(name: str, positions: Sequence[int]) -> list[Piece]:
    pieces: list[Piece] = []
    hit = set(positions)
    for index, character in enumerate(name):
        role: Role = "match" if index in hit else "strong"
        if pieces and pieces[-1].role == role:
            pieces[-1] = Piece(pieces[-1].text + character, role)
        else:
            pieces.append(Piece(character, role))
    return pieces


def count_line(
    shown: Window,
    width: int,
    marks: Marks,
    above: int = 0,
    below: int = 0,
    *,
    enter_accepts: bool = True,
    reading: str = "",
) -> Line:
    """``3 of 27`` between rules, with the keys; ``above`` and ``below`` count what came out of sight.

    Enter takes the selection as long as the name is unfinished, and sends the draft after that. ``reading`` says which
    part of a long description is below.
    """
    said = f" {shown.selected + 1:,} of {shown.total:,} "
    if above or below:
        where = [f"{count:,} new {place}" for count, place in ((above, "above"), (below, "below")) if count]
        said += f"{marks.separator} {', '.join(where)} "
    if reading:
        said += f"{marks.separator} {reading} "
    accepts = "Tab or Enter accepts" if enter_accepts else f"Tab accepts {marks.separator} Enter sends"
    keys = f" {accepts} {marks.separator} Esc closes "
    room = width - len(said) - 2
    if room >= len(keys) + 4:
        rule = marks.rule * (room - len(keys))
        return Line((Piece(marks.rule * 2, "muted"), Piece(said, "muted"), Piece(rule, "muted"), Piece(keys, "muted")))
    return Line(cut_pieces((Piece(marks.rule * 2 + said + marks.rule * max(room, 0), "muted"),), width))


def described(choice: Choice) -> str:
    """All that is said about a choice, on one line."""
    text = inert_line(choice.description)
    if choice.skill is not None and choice.skill.when_to_use:
        text = f"{text} When to use: {inert_line(choice.skill.when_to_use)}"
    return text


def detail_height(items: Sequence[Choice], width: int, room: int) -> int:
    """How many lines the detail area takes for all of ``items`` alike, so that moving among them moves nothing.

    Descriptions get as many lines as the longest needs, as far as ``room`` lines above the transcript allow.
    """
    if room < 3:
        return 0
    most = 6 if room >= 20 else 3 if room >= 8 else 1
    longest = max((cell_len(choice.description) + _when_length(choice) for choice in items[:_LOOKED_AT]), default=0)
    # A line may end some cells early where a word does not fit.
    return min(max(-(-longest * 11 // 10 // max(width - 4, 1)), 1), most) + 1


def _when_length(choice: Choice) -> int:
    skill = choice.skill
    return cell_len(skill.when_to_use) + 14 if skill is not None and skill.when_to_use else 0


@dataclass(frozen=True, slots=True)
class Detail:
    """The lines of the detail area; the description begins at its line ``first``, counted from 0.

    ``reading`` says which lines of the description these are and which keys show the others; empty when it is whole.
    """

    lines: tuple[Line, ...]
    first: int = 0
    reading: str = ""


def detail(choice: Choice, width: int, height: int, first: int = 0) -> Detail:
    """The selected choice in ``height`` lines: its description, then who may use it and where it lies.

    A description that is longer than the area is shown from its line ``first`` on, or from the last that fills the
    area.
    """
    if height <= 0:
        return Detail(())
    inner = max(width - 4, 4)
    lead = (Piece("  "),)
    text = inert_line(choice.name) if choice.scope == "file" else described(choice)
    lines = wrap((Piece(text),), width - 2, lead, lead)
    room = height - 1
    total = len(lines)
    first = min(max(first, 0), max(total - room, 0))
    shown = lines[first : first + room]
    reading = ""
    if total > room:
        which = f"line {first + 1}" if room == 1 else f"lines {first + 1}-{first + room}"
        reading = f"{which} of {total}, {READ_KEYS}"
    facts = Line(cut_pieces((*lead, Piece(_facts(choice, inner), "muted")), width - 1))
    return Detail((*shown, facts, *([Line()] * (room - len(shown)))), first, reading)


def _facts(choice: Choice, width: int) -> str:
    """Who may use it, what it costs, and where it is; of a path that is too long the end is shown."""
    skill = choice.skill
    if choice.scope == "file":
        return "its text goes with your message"
    if skill is None:
        return f"/{choice.name} {choice.argument_hint}".rstrip()
    if "untrusted" in choice.marks:
        who = "not for the model: the project is not trusted"
    elif skill.invocation.model_invocable:
        who = "for you and the model"
    else:
        who = "for you alone"
    said = f"{skill.source} · {who} · {_tokens(skill):,} tokens · "
    origin = inert_line(skill.path or skill.provider)
    room = width - cell_len(said)
    if cell_len(origin) > room >= 12:
        origin = "…" + set_cell_size(origin[::-1], room - 1)[::-1].lstrip()
    return said + origin


def _tokens(skill: SkillSummary) -> int:
    """What the skill's line costs in the model's catalog, estimated."""
    from skills_core.catalog import catalog_entry, entry_tokens

    return entry_tokens(catalog_entry(skill))
