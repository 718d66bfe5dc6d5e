"""The tool by which a model replaces a piece of text in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tools.arguments import ArgumentError, flag_argument, text_argument
from skills_core.agent.tools.change import Change
from skills_core.agent.tools.change_tool import ChangeTool
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


class EditTool(ChangeTool):
    """Replaces a piece of the file's text; line ends of the file are kept whatever the model sends."""

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"Edit {arguments.get('path', '')}")

    def planner(self, arguments: Mapping[str, Any]) -> Callable[[str], Change]:
        old, new = text_argument(arguments, "old_text"), text_argument(arguments, "new_text")
        if not old:
            raise ArgumentError("`old_text` is empty; use `write` to make a file")
        if old == new:
            raise ArgumentError("`old_text` and `new_text` are the same")
        return partial(_plan, old, new, flag_argument(arguments, "replace_all"))

    def verb(self, change: Change) -> str:
        return "Edit"


def _plan(old: str, new: str, everywhere: bool, path: str) -> Change:
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
