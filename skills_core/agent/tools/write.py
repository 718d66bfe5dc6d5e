"""The tool by which a model writes a whole file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tools.arguments import text_argument
from skills_core.agent.tools.change import Change
from skills_core.agent.tools.change_tool import ChangeTool
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


class WriteTool(ChangeTool):
    """Replaces the whole file, and keeps its mode, its line ends and its byte order mark."""

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"Write {arguments.get('path', '')}")

    def planner(self, arguments: Mapping[str, Any]) -> Callable[[str], Change]:
        return partial(_plan, text_argument(arguments, "content"))

    def verb(self, change: Change) -> str:
        return "Create" if change.before is None else "Overwrite"


def _plan(content: str, path: str) -> Change:
    try:
        before = read_file(path)
    except FileError as error:
        raise FileError(f"cannot be replaced: {error.message}") from error
    data = before.encoded(content) if before is not None else content.encode("utf-8", "replace")
    return Change(path, before, data)
