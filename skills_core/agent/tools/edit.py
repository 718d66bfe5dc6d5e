"""The tool by which a model replaces a piece of text in a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, flag_argument, text_argument
from skills_core.agent.tools.change import Change, FileChanger, where
from skills_core.agent.tools.paths import absolute_path
from skills_core.agent.tools.readable_folders import ReadableFolders
from skills_core.agent.tools.text_file import FileError, read_file

_SCHEMA = ToolSchema(
    "edit",
    "Replace one piece of text in a file. `old_text` must occur exactly once, character for character, unless "
    "`replace_all` is true. Refused when the file changed since it was read.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file; relative paths start at the working folder."},
            "old_text": {"type": "string", "description": "The text to replace, with enough around it to be unique."},
            "new_text": {"type": "string", "description": "What takes its place."},
            "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
        },
        "required": ["path", "old_text", "new_text"],
        "additionalProperties": False,
    },
)


class EditTool:
    """Asks, then replaces the file in one step; line ends of the file are kept whatever the model sends."""

    def __init__(self, changer: FileChanger, folders: ReadableFolders) -> None:
        self._changer = changer
        self._folders = folders

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"Edit {arguments.get('path', '')}")

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path"))
            change = _plan(os.path.realpath(path), arguments)
        except (ArgumentError, FileError):
            # The call fails with the same words when it runs, and changes nothing.
            return None
        outside = not self._folders.in_project(change.path)
        summary = one_line(f"Edit {where(path, change.path, context.cwd, outside)}", 300)
        detail = self._changer.ask(change, context)
        return ToolQuestion(tool="edit", summary=summary, detail=detail, arguments=arguments, outside=outside)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path"))
            _texts(arguments)
        except ArgumentError as error:
            return failed(error.message)
        return await self._changer.apply(path, context, lambda real: _plan(real, arguments))


def _texts(arguments: Mapping[str, Any]) -> tuple[str, str, bool]:
    old, new = text_argument(arguments, "old_text"), text_argument(arguments, "new_text")
    if not old:
        raise ArgumentError("`old_text` is empty; use `write` to make a file")
    if old == new:
        raise ArgumentError("`old_text` and `new_text` are the same")
    return old, new, flag_argument(arguments, "replace_all")


def _plan(path: str, arguments: Mapping[str, Any]) -> Change:
    old, new, everywhere = _texts(arguments)
    before = read_file(path)
    if before is None:
        raise FileError("there is no such file")
    text = before.text(strict=True)
    old, new = _with_line_ends(text, old, new)
    found = text.count(old)
    if not found:
        raise FileError("`old_text` does not occur in the file. Read it again and copy the text exactly.")
    if found > 1 and not everywhere:
        raise FileError(f"`old_text` occurs {found} times. Give more text around it, or set `replace_all`.")
    return Change(path, before, before.encoded(text.replace(old, new)))


def _with_line_ends(text: str, old: str, new: str) -> tuple[str, str]:
    """Models write LF; in a file with CRLF the same text is meant with its line ends."""
    if old not in text and "\r\n" in text and "\r" not in old:
        old = old.replace("\n", "\r\n")
        if "\r" not in new:
            new = new.replace("\n", "\r\n")
    return old, new
