"""The side pane: what the model has against what is on the disk now, skill by skill, and the problems."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from app.controllers.completion import scope_of
from app.controllers.inert import inert_line
from app.controllers.marks import Marks
from app.controllers.skill_view import SkillView
from app.controllers.text_layout import Line, Piece, Role, cut_pieces, wrap
from skills_core.access.policy import SkillAccess
from skills_core.catalog import CatalogEntry, catalog_difference, catalog_entries, catalog_entry, entry_tokens
from skills_core.problem import SkillProblem
from skills_core.skill import SkillSummary

NAMES_SHOWN = 8
MANY_SKILLS = 40


@dataclass(frozen=True, slots=True)
class SkillPlace:
    """A skill's file, to open."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """``published`` is the catalog that the model has now, None when it has none."""

    view: SkillView
    access: SkillAccess
    published: Sequence[CatalogEntry] | None
    max_length: int
    folder: str

    @property
    def many(self) -> bool:
        """Whether there are so many skills that each gets one line until the person wants more."""
        return self.view.snapshot is not None and len(self.view.snapshot.skills) > MANY_SKILLS


@dataclass(frozen=True, slots=True)
class PaneView:
    """How much of it is shown: what holds the words ``narrow``, each skill on one line when ``folded``."""

    narrow: str = ""
    folded: bool = False

    def shows(self, *words: str | None) -> bool:
        """Whether any of the words holds what the pane is narrowed to."""
        wanted = self.narrow.casefold()
        return not wanted or any(wanted in each.casefold() for each in words if each)


WHOLE = PaneView()


def pane_lines(
    facts: PaneFacts, width: int, marks: Marks, view: PaneView = WHOLE
) -> tuple[list[Line], dict[int, object]]:
    """The lines, and for each line of a skill or a problem the place that it leads to."""
    page = _Page(width, marks, view)
    if view.narrow:
        pieces = (Piece("Only with ", "muted"), Piece(inert_line(view.narrow), "match"), Piece("  Esc: all", "muted"))
        page.add(wrap(pieces, width))
    _problems(page, facts)
    _skills(page, facts)
    if not view.narrow:
        _changes(page, facts)
    return page.lines, page.targets


class _Page:
    def __init__(self, width: int, marks: Marks, view: PaneView) -> None:
        self.width = width
        self.view = view
        self.marks = marks
        self.lines: list[Line] = []
        self.targets: dict[int, object] = {}

    def head(self, text: str) -> None:
        if self.lines:
            self.lines.append(Line())
        self.lines.extend(wrap((Piece(text, "heading"),), self.width))

    def add(self, lines: Sequence[Line], target: object = None) -> None:
        for line in lines:
            if target is not None:
                self.targets[len(self.lines)] = target
            self.lines.append(line)


def _problems(page: _Page, facts: PaneFacts) -> None:
    problems = facts.view.problems
    if not problems:
        return
    page.head("1 problem" if len(problems) == 1 else f"{len(problems):,} problems")
    for problem in problems:
        if not page.view.shows(problem.path, problem.message, problem.code):
            continue
        page.add(problem_lines(problem, page.width, facts.folder), SkillPlace(problem.path, problem.line))


def problem_lines(problem: SkillProblem, width: int, folder: str) -> list[Line]:
    """Place, cause and mend of one problem."""
    role: Role = "error" if problem.severity == "error" else "warning"
    place = inert_line(relative(problem.path, folder))
    if problem.line is not None:
        place += f":{problem.line}" + (f":{problem.column}" if problem.column is not None else "")
    lines = wrap((Piece(f"{problem.severity}  ", role), Piece(place, "strong")), width, (), (Piece("  "),))
    lines += wrap((Piece(inert_line(problem.message)),), width, (Piece("  "),), (Piece("  "),))
    if problem.hint:
        lines += wrap((Piece(inert_line(problem.hint), "muted"),), width, (Piece("  "),), (Piece("  "),))
    return lines


def _skills(page: _Page, facts: PaneFacts) -> None:
    snapshot = facts.view.snapshot
    if snapshot is None:
        page.head("The skills are being looked for")
        return
    now = catalog_entries(snapshot, facts.access, facts.max_length)
    published = facts.published
    tokens = sum(entry_tokens(entry) for entry in now)
    if published is None:
        page.head(f"Skills on the disk: {len(snapshot.skills):,}")
        said = f"The model has no catalog yet; the next step gives it {len(now):,} (about {tokens:,} tokens)."
    else:
        page.head(f"Model has {len(published):,} {page.marks.separator} disk has {len(now):,} for it")
        difference = catalog_difference(published, now)
        lead = "The next step brings the difference" if difference else "The model has what is on the disk"
        said = f"{lead} (about {tokens:,} tokens)."
    page.add(wrap((Piece(said, "muted"),), page.width))
    had = {entry.name: entry.description for entry in published or ()}
    shadows: dict[str, list[str]] = {}
    for lost in snapshot.shadowed:
        where = relative(lost.skill.path or lost.skill.provider, facts.folder)
        shadows.setdefault(lost.winner.name, []).append(inert_line(where))
    names = {entry.name: entry.description for entry in now}
    for skill in snapshot.skills:
        if not page.view.shows(skill.name, skill.description):
            continue
        if not page.view.folded:
            page.add([Line()])
        target = SkillPlace(skill.path) if skill.path else None
        page.add(_skill_lines(page, facts, skill, _mark(skill.name, had, names, published is not None)), target)
        for loser in () if page.view.folded else shadows.get(skill.name, ()):
            page.add(wrap((Piece(f"shadows {loser}", "muted"),), page.width, (Piece("    "),), (Piece("    "),)))
    gone = [name for name in had if name not in snapshot.by_name]
    if gone:
        page.head("Gone from the disk, still with the model")
        for name in gone:
            page.add([Line(cut_pieces((Piece("− ", "error"), Piece(inert_line(name), "strong")), page.width))])


def _changes(page: _Page, facts: PaneFacts) -> None:
    if not facts.view.changes:
        return
    page.head("Lately on the disk")
    for change in facts.view.changes:
        pieces: list[Piece] = [Piece(change.time, "muted")]
        kinds: tuple[tuple[str, Role, tuple[str, ...]], ...] = (
            ("+", "success", change.added),
            ("−", "error", change.removed),
            ("~", "warning", change.changed),
        )
        for mark, role, names in kinds:
            pieces += [Piece(f" {mark}{inert_line(name)}", role) for name in names[:NAMES_SHOWN]]
            if len(names) > NAMES_SHOWN:
                pieces.append(Piece(f" {mark}{len(names) - NAMES_SHOWN} more", role))
        page.add(wrap(pieces, page.width, (), (Piece(" " * 9),)))


def _mark(name: str, had: dict[str, str], now: dict[str, str], published: bool) -> Piece:
    if not published or (name not in had and name not in now):
        return Piece("  ")
    if name not in had:
        return Piece("+ ", "success")
    if name not in now:
        return Piece("− ", "error")
    return Piece("  ") if had[name] == now[name] else Piece("~ ", "warning")


def _skill_lines(page: _Page, facts: PaneFacts, skill: SkillSummary, mark: Piece) -> list[Line]:
    width = page.width
    notes: list[str] = []
    if not facts.access.is_enabled(skill):
        notes.append("off")
    if not facts.access.is_trusted(skill):
        notes.append("untrusted")
    if not skill.invocation.model_invocable:
        notes.append("user-only")
    if not skill.invocation.user_invocable:
        notes.append("model-only")
    entry = catalog_entry(skill, facts.max_length)
    head = (
        mark,
        Piece(inert_line(skill.name), "strong"),
        Piece(f"  {scope_of(skill)}", "accent"),
        *(Piece(f" {note}", "warning") for note in notes),
        Piece(f"  {entry_tokens(entry):,} tokens", "muted"),
    )
    lead = (Piece("  "),)
    if page.view.folded:
        return [Line(cut_pieces(head, width))]
    lines = wrap(head, width, (), lead)
    lines += wrap((Piece(inert_line(entry.description)),), width, lead, lead)
    if skill.path:
        lines += wrap((Piece(inert_line(relative(skill.path, facts.folder)), "muted"),), width, lead, lead)
    return lines


def relative(path: str, folder: str) -> str:
    """The path as seen from a folder when it lies below it, with ``~`` for the home folder."""
    if path.startswith(folder.rstrip("/") + "/"):
        return path[len(folder.rstrip("/")) + 1 :]
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home.rstrip("/") + "/") else path
