"""What a path in a tool call means, and which folders may be read without a question."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skills_core.access.policy import OPEN_ACCESS, SkillAccess
from skills_core.registry.lookup import Lookup, Scope
from skills_core.skill import DirectoryBase

if TYPE_CHECKING:
    from skills_core.filesystem import FilesystemProvider
    from skills_core.registry.registry import SkillRegistry

_ASKED_KEPT = 256
_OWN_ROOTS = frozenset({"user-dsh", "user-agents", "bundled"})


class ArgumentError(Exception):
    """An argument of a tool call is missing or of the wrong kind. ``message`` is for the model."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def text_argument(arguments: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A string argument. Raises ArgumentError when it is missing without a default, or is no string."""
    value = arguments.get(name)
    if value is None:
        if default is None:
            raise ArgumentError(f"the argument `{name}` is missing")
        return default
    if not isinstance(value, str):
        raise ArgumentError(f"the argument `{name}` must be a text")
    return value


def number_argument(arguments: Mapping[str, Any], name: str, default: int, *, least: int, most: int) -> int:
    """A whole number, kept within its bounds. Raises ArgumentError when it is no number."""
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"the argument `{name}` must be a whole number")
    return min(max(value, least), most)


def flag_argument(arguments: Mapping[str, Any], name: str) -> bool:
    """A boolean argument that is false when left out. Raises ArgumentError when it is no boolean."""
    value = arguments.get(name, False)
    if not isinstance(value, bool):
        raise ArgumentError(f"the argument `{name}` must be true or false")
    return value


def absolute_path(cwd: str, text: str) -> str:
    """An absolute path with ``~`` and ``..`` resolved by name. Raises ArgumentError for one that no system has."""
    if not text.strip() or "\0" in text:
        raise ArgumentError("the path is empty" if not text.strip() else "the path holds a NUL character")
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(text)))


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def shown_path(path: str, cwd: str) -> str:
    """The path as a person reads it: relative below the working folder, else absolute."""
    if path == cwd:
        return "."
    return os.path.relpath(path, cwd) if is_inside(path, cwd) else path


@dataclass(slots=True)
class ReadableFolders:
    """The project and the skills' folders: what is inside them, by real path, is read without a question.

    ``refresh`` takes up the present skills and is awaited before each question.
    """

    project_root: str
    provider: FilesystemProvider | None = None
    registry: SkillRegistry | None = None
    access: SkillAccess = OPEN_ACCESS
    _skills: tuple[str, ...] = field(default=(), init=False)
    _asked: dict[str, str] = field(default_factory=dict[str, str], init=False)

    async def refresh(self, cwd: str, scope: Scope | None) -> None:
        """Looks up the folders of the skills that are offered now.

        What a project names or links may lie anywhere, so its skills beyond the project count only once the person
        trusts it, and its roots not at all.
        """
        folders: set[str] = set()
        if self.provider is not None:
            folders.update(root.path for root in self.provider.roots(cwd) if root.source in _OWN_ROOTS)
        if self.registry is not None:
            snapshot = await self.registry.snapshot(Lookup(cwd=cwd, scope=scope))
            for skill in snapshot.skills:
                if isinstance(skill.resource_base, DirectoryBase) and self.access.is_trusted(skill):
                    folders.add(skill.resource_base.path)
        self._skills = tuple(sorted(folders))

    def in_project(self, real_path: str) -> bool:
        """Whether a real path lies in the project. Looks at the disk."""
        return is_inside(real_path, os.path.realpath(self.project_root))

    def holds(self, path: str) -> bool:
        """Whether the file that the path leads to, links followed, lies in one of the folders. Looks at the disk."""
        real = os.path.realpath(path)
        return any(is_inside(real, folder) for folder in self._real_folders())

    def asked(self, call_id: str, real_path: str) -> None:
        """Remembers what a call was seen to reach beyond the folders, and so what the person is asked about."""
        if len(self._asked) >= _ASKED_KEPT:
            del self._asked[next(iter(self._asked))]
        self._asked[call_id] = real_path

    def open_to(self, call_id: str) -> tuple[str, ...]:
        """The real folders, and perhaps a file, that a call may read: what it finds elsewhere when it opens it was put
        there after the question. Looks at the disk."""
        asked = self._asked.get(call_id)
        return (*self._real_folders(), *(() if asked is None else (asked,)))

    def _real_folders(self) -> tuple[str, ...]:
        return tuple(os.path.realpath(folder) for folder in (self.project_root, *self._skills))
