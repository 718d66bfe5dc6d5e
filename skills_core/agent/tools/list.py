"""The tool by which a model sees what a folder holds."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, text_argument
from skills_core.agent.tools.paths import absolute_path, shown_path
from skills_core.agent.tools.readable_folders import ReadableFolders, outside_question
from skills_core.agent.tools.text_file import FileError, check_opened

MAX_ENTRIES = 1000
_SCANNED = 100_000

_SCHEMA = ToolSchema(
    "list",
    "List a folder: one entry a line, folders end in a slash, links show where they lead. "
    "Relative paths start at the working folder.",
    {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "The folder; the working folder if left out."}},
        "additionalProperties": False,
    },
)


class ListTool:
    """Lists inside the project and skill folders without a question, elsewhere with one."""

    read_only = True

    def __init__(self, folders: ReadableFolders) -> None:
        self._folders = folders

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"List {arguments.get('path') or '.'}")

    async def prepare(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        await self._folders.refresh(context.cwd, context.scope)

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        return outside_question("list", arguments, context, self._folders)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path", "."))
        except ArgumentError as error:
            return failed(error.message)
        return await asyncio.to_thread(self._list, path, context)

    def _list(self, path: str, context: ToolContext) -> ToolOutcome:
        return _list(path, context.cwd, self._folders.open_to(context.call_id))


def _list(path: str, cwd: str, within: Sequence[str]) -> ToolOutcome:
    shown = shown_path(path, cwd)
    try:
        names, more = _names(path, within)
    except FileError as error:
        return failed(f"{shown}: {error.message}")
    except FileNotFoundError:
        return failed(f"there is no folder {shown}")
    except NotADirectoryError:
        return failed(f"{shown} is a file; use `read` for it")
    except OSError as error:
        return failed(f"{shown}: {(error.strerror or str(error)).lower()}")
    names.sort()
    lines = names[:MAX_ENTRIES]
    left = len(names) - len(lines)
    if left or more:
        lines.append(f"[{left:,}{' or more' if more else ''} entries left out]")
    if not names:
        lines.append("[the folder is empty]")
    return ToolOutcome(text="\n".join(lines), details={"path": path, "entries": len(names)})


def _names(path: str, within: Sequence[str]) -> tuple[list[str], bool]:
    """The entries as they are shown, and whether there are more. Raises OSError and FileError."""
    names: list[str] = []
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        check_opened(folder, path, os.fstat(folder), within)
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(names) >= _SCANNED:
                    return names, True
                names.append(_shown_entry(entry, folder))
    finally:
        os.close(folder)
    return names, False


def _shown_entry(entry: os.DirEntry[str], folder: int) -> str:
    name = entry.name.encode("utf-8", "replace").decode("utf-8").replace("\n", "\\n").replace("\r", "\\r")
    try:
        if entry.is_symlink():
            slash = "/" if entry.is_dir() else ""
            return one_line(f"{name}{slash} -> {os.readlink(entry.name, dir_fd=folder)}", 500)
        return name + "/" if entry.is_dir(follow_symlinks=False) else name
    except OSError:
        return name
