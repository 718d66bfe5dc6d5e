"""Which folders may be read without a question, and the question for the others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skills_core.access.policy import OPEN_ACCESS, SkillAccess
from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.tool import ToolContext
from skills_core.agent.tools.arguments import ArgumentError, text_argument
from skills_core.agent.tools.paths import absolute_path, is_inside
from skills_core.registry.lookup import Lookup, Scope
from skills_core.skill import DirectoryBase

if TYPE_CHECKING:
    from skills_core.filesystem import FilesystemProvider
    from skills_core.registry.registry import SkillRegistry

_ASKED_KEPT = 256
_OWN_ROOTS = frozenset({"user-dsh", "user-agents", "bundled"})


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


def outside_question(
    tool: str, arguments: Mapping[str, Any], context: ToolContext, folders: ReadableFolders
) -> ToolQuestion | None:
    """Asks when the path lies, links followed, neither in the project nor in a skill's folder."""
    try:
        path = absolute_path(context.cwd, text_argument(arguments, "path", "."))
    except ArgumentError:
        return None
    if folders.holds(path):
        return None
    real = os.path.realpath(path)
    folders.asked(context.call_id, real)
    summary = one_line(f"{tool.capitalize()} outside the project: {path}", 300)
    detail = path if real == path else f"{path}\nleads to {real}"
    return ToolQuestion(tool=tool, summary=summary, detail=detail, arguments=arguments, outside=True)
