"""The state of the popup: what it lists, what is selected, and what accepting does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.controllers.commands import Command
from app.controllers.file_token import FileToken, file_reference, find_file_token
from app.controllers.matching import Matcher, matched_positions
from app.controllers.slash_token import SKILL_PREFIX, SlashToken, find_slash_token
from skills_core.skill import SkillSummary

Scope: TypeAlias = Literal["command", "project", "user", "custom", "bundled", "runtime", "file"]

_SCOPE_ORDER: dict[Scope, int] = {
    "command": -1,
    "project": 0,
    "user": 1,
    "custom": 1,
    "runtime": 2,
    "bundled": 2,
    "file": 3,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of the popup. ``skill`` is None for a command; ``marks`` are words like ``user-only``."""

    name: str
    description: str
    scope: Scope
    argument_hint: str = ""
    marks: tuple[str, ...] = ()
    skill: SkillSummary | None = None

    @property
    def key(self) -> tuple[bool, str]:
        """The identity that a selection follows: a command and a skill of one name are two things."""
        return (self.skill is None, self.name)


@dataclass(frozen=True, slots=True)
class Replacement:
    """An edit of the draft: ``text`` for the code points from ``start`` to ``end``; then the caret goes behind it."""

    start: int
    end: int
    text: str


def scope_of(skill: SkillSummary) -> Scope:
    """The badge of a skill: who put it there."""
    if skill.project_root is not None or skill.source.startswith("project"):
        return "project"
    if skill.source.startswith("user"):
        return "user"
    if skill.source in ("custom", "bundled", "runtime"):
        return skill.source  # type: ignore[return-value]
    return "runtime"


def skill_choices(
    skills: Iterable[SkillSummary], may_use: Callable[[SkillSummary], bool], is_trusted: Callable[[SkillSummary], bool]
) -> tuple[Choice, ...]:
    """The skills that a person may invoke, in the order that equals have: scope, then name."""
    found: list[Choice] = []
    for skill in skills:
        if not may_use(skill):
            continue
        marks: list[str] = []
        if not skill.invocation.model_invocable:
            marks.append("user-only")
        if not is_trusted(skill):
            marks.append("untrusted")
        hint = skill.argument_hint or ""
        found.append(Choice(skill.name, skill.description, scope_of(skill), hint, tuple(marks), skill))
    found.sort(key=lambda choice: (_SCOPE_ORDER[choice.scope], choice.name))
    return tuple(found)


SKILL_CHOICE = Choice(SKILL_PREFIX, "Use a skill yourself: its name follows", "command")
"""The way from ``/`` to the list of skills alone."""


def command_choices(commands: Sequence[Command]) -> tuple[Choice, ...]:
    """The commands in their own order, and the way to the skills."""
    listed = [Choice(command.name, command.summary, "command", command.arguments) for command in commands]
    return (SKILL_CHOICE, *listed)


class Completion:
    """Follows the draft and the candidates, and holds what the popup shows.

    Candidates are held in memory, so that no key press waits for anything. The selection follows a choice by
    identity; when that is gone it goes to the neighbour that took its place. A popup that was dismissed stays so until
    the token changes.
    """

    def __init__(self, commands: Sequence[Command]) -> None:
        self.token: SlashToken | FileToken | None = None
        self.items: Sequence[Choice] = ()
        self.index = 0
        self.moved = False
        self._dismissed: tuple[str, int, str] | None = None
        self._reading: tuple[object, int] = (None, 0)
        self._fresh: set[tuple[bool, str]] = set()
        self._in_own_order = command_choices(commands)
        self._commands = self._in_own_order
        self._skills: tuple[Choice, ...] = ()
        self._files: Matcher[Choice] = Matcher(())
        self._skills_only = Matcher(self._skills)
        self._everything = Matcher(self._merge())

    @property
    def open(self) -> bool:
        return self.token is not None and bool(self.items) and not self.dismissed

    @property
    def dismissed(self) -> bool:
        return self._dismissed is not None and self._dismissed == self._identity()

    @property
    def selected(self) -> Choice | None:
        return self.items[self.index] if self.items else None

    @property
    def query(self) -> str:
        return self.token.query if self.token is not None else ""

    def fresh(self, first: int, last: int) -> int:
        """How many of the items from ``first`` to before ``last`` came while the popup was open."""
        if not self._fresh:
            return 0
        return sum(choice.key in self._fresh for choice in self.items[first:last])

    @property
    def skills(self) -> tuple[Choice, ...]:
        return self._skills

    def positions(self, choice: Choice) -> tuple[int, ...]:
        """The letters of the choice's name that the query matched."""
        return matched_positions(self.query, choice.name)

    def follow(self, text: str, caret: int) -> None:
        """Takes in the draft as it is now."""
        token = find_slash_token(text, caret) or find_file_token(text, caret)
        before = self._identity()
        self.token = token
        after = self._identity()
        if after != self._dismissed:
            self._dismissed = None
        if before != after:
            self._fresh.clear()
        if token is None:
            self.items, self.index, self.moved = (), 0, False
        elif before != after or not self.items:
            same_token = before is not None and after is not None and before[:2] == after[:2]
            kept = self.selected if same_token and self.moved else None
            self.items = self._match(token)
            self.index = self._index_of(kept)
            self.moved = kept is not None and bool(self.items) and self.items[self.index].key == kept.key

    def set_skills(self, skills: tuple[Choice, ...]) -> None:
        """Takes in a newer complete set of skills and queries an open token again, in place."""
        if skills == self._skills:
            return
        self._skills = skills
        self._everything = Matcher(self._merge(), self._everything)
        self._skills_only = Matcher(skills, self._everything)
        self._query_again()

    def set_command_use(self, counts: Mapping[str, int]) -> None:
        """Lists the commands that were used most often first, the others in their own order."""
        first, *rest = self._in_own_order
        commands = (first, *sorted(rest, key=lambda choice: -counts.get(choice.name, 0)))
        if commands != self._commands:
            self._commands = commands
            self._everything = Matcher(self._merge(), self._everything)
            self._query_again()

    def set_files(self, paths: Sequence[str]) -> None:
        """Takes in the project's files, and queries an open token again, in place."""
        self._files = Matcher([Choice(path, "", "file") for path in paths], self._files)
        self._query_again()

    @property
    def wants_files(self) -> bool:
        """Whether the caret stands in a file token."""
        return isinstance(self.token, FileToken)

    def _query_again(self) -> None:
        if self.token is None:
            return
        kept = self.selected
        old_items, old_index = self.items, self.index
        self.items = self._match(self.token)
        self.index = self._index_near(kept, old_items, old_index)
        if old_items and not isinstance(self.token, FileToken):
            self._fresh |= {choice.key for choice in self.items} - {choice.key for choice in old_items}
        if not self.items:
            self.moved = False

    def move(self, rows: int) -> None:
        """Moves the selection; a single step wraps around, a page stops at the ends."""
        if not self.items:
            return
        count = len(self.items)
        target = self.index + rows
        self.index = target % count if abs(rows) == 1 else min(max(target, 0), count - 1)
        self.moved = True

    def select(self, index: int) -> None:
        if 0 <= index < len(self.items):
            self.index = index
            self.moved = True

    @property
    def reading(self) -> int:
        """The line of the selected choice's description at which the detail area begins, from 0."""
        chosen = self.selected
        return self._reading[1] if chosen is not None and self._reading[0] == chosen.key else 0

    def read_at(self, line: int) -> None:
        """Lets the detail area begin at another line, until another choice is selected."""
        chosen = self.selected
        if chosen is not None:
            self._reading = (chosen.key, max(line, 0))

    def dismiss(self) -> None:
        """Closes the popup and keeps the text; the same token does not open it again."""
        self._dismissed = self._identity()

    def enter_accepts(self) -> bool:
        """Whether Enter takes the selection: the token is not yet a full name, or the person moved the selection."""
        if not self.open or self.token is None:
            return False
        chosen = self.selected
        if self.moved and chosen is not None and chosen.name != self.query:
            return True
        return not any(choice.name == self.query for choice in self.items)

    def accept(self, text: str) -> Replacement | None:
        """The edit that puts the selected name into ``text``, in the form that was typed, with a space behind it.

        What stands behind the caret stays, unless the chosen name ends with it.
        """
        token, chosen = self.token, self.selected
        if token is None or chosen is None:
            return None
        if isinstance(token, FileToken):
            return Replacement(token.start, token.end, f"{file_reference(chosen.name)} ")
        end = token.caret
        rest = text[token.caret : token.end]
        if rest and chosen.name.endswith(rest):
            end = token.end
        if chosen is SKILL_CHOICE:
            return Replacement(token.start, end, f"/{SKILL_PREFIX}")
        if end < len(text) and text[end] == " ":
            end += 1
        return Replacement(token.start, end, f"{token.form}{chosen.name} ")

    def hint_at(self, text: str, caret: int) -> str:
        """The argument hint to show behind the caret: the draft ends in a full name and one space."""
        if caret != len(text) or not text.endswith(" ") or text.endswith("  "):
            return ""
        token = find_slash_token(text[:-1], caret - 1)
        if token is None:
            return ""
        for choice in self._match(token)[:1]:
            if choice.name == token.query:
                return choice.argument_hint
        return ""

    def _identity(self) -> tuple[str, int, str] | None:
        token = self.token
        if isinstance(token, FileToken):
            return ("file", token.start, token.query)
        return None if token is None else (token.kind, token.start, token.query)

    def _match(self, token: SlashToken | FileToken) -> Sequence[Choice]:
        if isinstance(token, FileToken):
            return self._files.match(token.query)
        matcher = self._everything if token.kind == "any" else self._skills_only
        return matcher.match(token.query)

    def _merge(self) -> tuple[Choice, ...]:
        taken = {choice.name for choice in self._commands}
        return (*self._commands, *(choice for choice in self._skills if choice.name not in taken))

    def _index_of(self, kept: Choice | None) -> int:
        if kept is not None:
            for index, choice in enumerate(self.items):
                if choice.key == kept.key:
                    return index
        return 0

    def _index_near(self, kept: Choice | None, old_items: Sequence[Choice], old_index: int) -> int:
        """Where the selection goes: the same choice, else the next one after it that is still there, else before."""
        if kept is None or not self.items:
            return 0
        where = {choice.key: index for index, choice in enumerate(self.items)}
        if kept.key in where:
            return where[kept.key]
        for choice in old_items[old_index + 1 :]:
            if choice.key in where:
                return where[choice.key]
        for choice in reversed(old_items[:old_index]):
            if choice.key in where:
                return where[choice.key]
        return 0
