"""The tool by which a model reads a text file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, number_argument, text_argument
from skills_core.agent.tools.paths import absolute_path, shown_path
from skills_core.agent.tools.readable_folders import ReadableFolders, outside_question
from skills_core.agent.tools.text_file import FileError, FileLedger, read_file
from skills_core.words import counted

DEFAULT_LINES = 2000
MAX_CHARACTERS = 50_000
_LINE_MAX = 4_000

_SCHEMA = ToolSchema(
    "read",
    "Read a text file. The result is the text as it is, followed by a note when lines were left out. "
    "Relative paths start at the working folder.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file."},
            "offset": {"type": "integer", "description": "The first line to read, from 1.", "minimum": 1},
            "limit": {"type": "integer", "description": f"How many lines; {DEFAULT_LINES} if left out.", "minimum": 1},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


class ReadTool:
    """Reads inside the project and skill folders without a question, elsewhere with one."""

    read_only = True

    def __init__(self, folders: ReadableFolders, ledger: FileLedger) -> None:
        self._folders = folders
        self._ledger = ledger

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"Read {arguments.get('path', '')}")

    async def prepare(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        await self._folders.refresh(context.cwd, context.scope)

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        return outside_question("read", arguments, context, self._folders)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path"))
            first = number_argument(arguments, "offset", 1, least=1, most=1 << 31)
            limit = number_argument(arguments, "limit", DEFAULT_LINES, least=1, most=1 << 31)
            return await asyncio.to_thread(self._read, path, context, first, limit)
        except (ArgumentError, FileError) as error:
            return failed(error.message)

    def _read(self, path: str, context: ToolContext, first: int, limit: int) -> ToolOutcome:
        shown = shown_path(path, context.cwd)
        try:
            file = read_file(path, self._folders.open_to(context.call_id))
        except FileError as error:
            hint = " Use `list` for it." if os.path.isdir(path) else ""
            raise FileError(f"{shown}: {error.message}.{hint}") from error
        if file is None:
            raise FileError(f"there is no file {shown}")
        self._ledger.saw(os.path.realpath(path), file.digest)
        lines = file.text(strict=False).split("\n")
        if lines[-1] == "":
            lines.pop()
        total = len(lines)
        chosen, cut = _chosen(lines, first - 1, limit)
        text = "\n".join(chosen)
        last = first - 1 + len(chosen)
        notes: list[str] = []
        if total and first > total:
            notes.append(f"the file has only {counted(total, 'line')}")
        elif first > 1 or last < total:
            more = f"; go on with offset {last + 1}" if last < total else ""
            notes.append(f"lines {first} to {last} of {total}{more}")
        if cut:
            notes.append(f"{counted(cut, 'long line')} cut at {_LINE_MAX:,} characters")
        if not total:
            notes.append("the file is empty")
        note = f"[{'; '.join(notes)}]" if notes else ""
        details = {"path": path, "first": first, "last": last, "lines": total, "bytes": len(file.data)}
        return ToolOutcome(text="\n".join(part for part in (text, note) if part), details=details)


def _chosen(lines: list[str], start: int, limit: int) -> tuple[list[str], int]:
    """The lines asked for as far as they fit, and how many of them were cut."""
    chosen: list[str] = []
    size = cut = 0
    for line in lines[start : start + limit]:
        if len(line) > _LINE_MAX:
            line = line[:_LINE_MAX]
            cut += 1
        size += len(line) + 1
        if size > MAX_CHARACTERS and chosen:
            break
        chosen.append(line)
    return chosen, cut
