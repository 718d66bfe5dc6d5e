"""The tool by which a model finds text in files, or files by name."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, flag_argument, number_argument, text_argument
from skills_core.agent.tools.paths import absolute_path, is_inside, shown_path
from skills_core.agent.tools.readable_folders import ReadableFolders, outside_question
from skills_core.agent.uninterrupted import waited

DEFAULT_RESULTS = 200
MAX_RESULTS = 1000
SECONDS = 20.0
_WORKER = str(Path(__file__).with_name("search_worker.py"))
_OUTPUT_MAX = 4 * 1024 * 1024

_SCHEMA = ToolSchema(
    "search",
    "Search files below a folder for a regular expression, or find files by name. Skips what `.gitignore` names and "
    "binary files.",
    {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "A regular expression (Python's dialect)."},
            "path": {"type": "string", "description": "A folder or a file; the working folder if left out."},
            "names": {"type": "boolean", "description": "Match paths instead of the text in the files."},
            "literal": {"type": "boolean", "description": "The pattern is plain text."},
            "ignore_case": {"type": "boolean", "description": "Letter case does not matter."},
            "glob": {"type": "string", "description": "Only files that fit, such as `*.py`."},
            "limit": {"type": "integer", "description": f"Most results; {DEFAULT_RESULTS} if left out.", "minimum": 1},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


class SearchTool:
    """Searches inside the project and skill folders without a question, elsewhere with one."""

    read_only = True

    def __init__(self, folders: ReadableFolders, *, seconds: float = SECONDS) -> None:
        self._folders = folders
        self._seconds = seconds

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        where = arguments.get("path")
        return one_line(f"Search {arguments.get('pattern', '')}" + (f" in {where}" if where else ""))

    async def prepare(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        await self._folders.refresh(context.cwd, context.scope)

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        return outside_question("search", arguments, context, self._folders)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        from skills_core.filesystem import find_project_root

        try:
            path = absolute_path(context.cwd, text_argument(arguments, "path", "."))
            project = await asyncio.to_thread(find_project_root, context.cwd)
            request = {
                "root": path,
                "top": project if is_inside(path, project) else path,
                "within": await asyncio.to_thread(self._folders.open_to, context.call_id),
                "pattern": text_argument(arguments, "pattern"),
                "names": flag_argument(arguments, "names"),
                "literal": flag_argument(arguments, "literal"),
                "ignore_case": flag_argument(arguments, "ignore_case"),
                "glob": text_argument(arguments, "glob", ""),
                "limit": number_argument(arguments, "limit", DEFAULT_RESULTS, least=1, most=MAX_RESULTS),
            }
        except ArgumentError as error:
            return failed(error.message)
        if not await asyncio.to_thread(os.path.exists, path):
            return failed(f"there is no folder or file {shown_path(path, context.cwd)}")
        output, in_time = await self._ask_worker(request)
        return _outcome(output, in_time, self._seconds, context.cwd)

    async def _ask_worker(self, request: Mapping[str, Any]) -> tuple[bytes, bool]:
        """What the worker wrote, and whether it came to its end in time."""
        worker = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-X",
            "utf8",
            _WORKER,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        output = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                assert worker.stdin is not None and worker.stdout is not None
                worker.stdin.write(json.dumps(request).encode())
                worker.stdin.close()
                while len(output) < _OUTPUT_MAX and (chunk := await worker.stdout.read(65536)):
                    output += chunk
                return bytes(output), len(output) < _OUTPUT_MAX
        except (TimeoutError, OSError):
            return bytes(output), False
        finally:
            if worker.returncode is None:
                worker.kill()
            await waited(asyncio.ensure_future(worker.wait()))


def _outcome(output: bytes, in_time: bool, seconds: float, cwd: str) -> ToolOutcome:
    lines: list[str] = []
    notes: list[str] = []
    finished = False
    for raw in output.splitlines():
        try:
            record = json.loads(raw)
        except ValueError:
            continue
        if "error" in record:
            return failed(str(record["error"]))
        if "path" in record:
            lines.append(_shown(record, cwd))
            continue
        finished = True
        if record.get("more"):
            notes.append("there are more results: narrow the search or raise `limit`")
        if record.get("outside"):
            notes.append(f"{record['outside']:,} links that lead outside were not followed")
        if record.get("cut"):
            notes.append("not all files were searched: there are too many")
    if not finished and not in_time:
        notes.append(f"the search was stopped after {seconds:g} seconds: use a simpler pattern or a smaller folder")
    elif not finished:
        return failed("the search ended unexpectedly")
    count = len(lines)
    if not count:
        lines.append("No matches.")
    if notes:
        lines.append(f"[{'; '.join(notes)}]")
    is_error = not finished and not count
    return ToolOutcome(text="\n".join(lines), is_error=is_error, details={"results": count, "finished": finished})


def _shown(record: Mapping[str, Any], cwd: str) -> str:
    path = shown_path(str(record["path"]), cwd)
    if "line" not in record:
        return path
    return f"{path}:{record['line']}: {record['text']}"
