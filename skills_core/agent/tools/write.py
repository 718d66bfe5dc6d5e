"""The tool by which a model writes a whole file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, text_argument
from skills_core.agent.tools.change import Change, FileChanger, where
from skills_core.agent.tools.paths import absolute_path
from skills_core.agent.tools.readable_folders import ReadableFolders
from skills_core.agent.tools.text_file import FileError, read_file

_SCHEMA = ToolSchema(
    "write",
    "Write a file: make a new one, or replace the whole content of one that exists. Missing folders are made. "
    "Refused when the file changed since it was read.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file; relative paths start at the working folder."},
            "content": {"type": "string", "description": "The whole new content."},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
)


class WriteTool:
    """Asks, then replaces the file in one step and keeps its mode, its line ends and its byte order mark."""

    def __init__(self, changer: FileChanger, folders: ReadableFolders) -> None:
        self._changer = changer
        self._folders = folders

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"Write {arguments.get('path', '')}")

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path"))
            change = _plan(os.path.realpath(path), text_argument(arguments, "content"))
        except (ArgumentError, FileError):
            # The call fails with the same words when it runs, and changes nothing.
            return None
        verb = "Create" if change.before is None else "Overwrite"
        outside = not self._folders.in_project(change.path)
        summary = one_line(f"{verb} {where(path, change.path, context.cwd, outside)}", 300)
        detail = self._changer.ask(change, context)
        return ToolQuestion(tool="write", summary=summary, detail=detail, arguments=arguments, outside=outside)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path"))
            content = text_argument(arguments, "content")
        except ArgumentError as error:
            return failed(error.message)
        return await self._changer.apply(path, context, lambda real: _plan(real, content))


def _plan(path: str, content: str) -> Change:
    try:
        before = read_file(path)
    except FileError as error:
        raise FileError(f"cannot be replaced: {error.message}") from error
    data = before.encoded(content) if before is not None else content.encode("utf-8", "replace")
    return Change(path, before, data)
