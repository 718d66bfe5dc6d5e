"""What a tool that changes one file does, whatever the change: it asks with the difference, and makes the change."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, text_argument
from skills_core.agent.tools.change import Change, FileChanger
from skills_core.agent.tools.paths import absolute_path, shown_path
from skills_core.agent.tools.readable_folders import ReadableFolders
from skills_core.agent.tools.text_file import FileError


class ChangeTool(ABC):
    """Asks, then replaces the file in one step. A subclass says what changes, and what that is called."""

    def __init__(self, changer: FileChanger, folders: ReadableFolders) -> None:
        self._changer = changer
        self._folders = folders

    @property
    @abstractmethod
    def schema(self) -> ToolSchema: ...

    @abstractmethod
    def title(self, arguments: Mapping[str, Any]) -> str: ...

    @abstractmethod
    def planner(self, arguments: Mapping[str, Any]) -> Callable[[str], Change]:
        """What finds the change for a real path, and may raise FileError. Raises ArgumentError."""

    @abstractmethod
    def verb(self, change: Change) -> str:
        """What would be done to the file, as the first word of the question."""

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        try:
            path = self._path(arguments, context)
            change = self.planner(arguments)(os.path.realpath(path))
        except (ArgumentError, FileError):
            # The call fails with the same words when it runs, and changes nothing.
            return None
        outside = not self._folders.in_project(change.path)
        place = _place(path, change.path, context.cwd, outside)
        return ToolQuestion(
            tool=self.schema.name,
            summary=one_line(f"{self.verb(change)} {place}", 300),
            detail=self._changer.ask(change, context),
            arguments=arguments,
            outside=outside,
        )

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            path = self._path(arguments, context)
            plan = self.planner(arguments)
        except ArgumentError as error:
            return failed(error.message)
        return await self._changer.apply(path, context, plan)

    def _path(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        return absolute_path(context.cwd, text_argument(arguments, "path"))


def _place(path: str, real: str, cwd: str, outside: bool) -> str:
    """The path as written, where it leads when that is elsewhere, and whether that is beyond the project."""
    straight = os.path.normpath(os.path.join(os.path.realpath(cwd), os.path.relpath(path, cwd)))
    leads = "" if real in (path, straight) else f" (leads to {real})"
    return f"{shown_path(path, cwd)}{leads}{' outside the project' if outside else ''}"
