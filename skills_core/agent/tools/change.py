"""A change of one file: the difference that a person is shown, and the replacement with its report."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skills_core.agent.bounded import bounded
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.paths import shown_path
from skills_core.agent.tools.text_file import FileError, FileLedger, TextFile, read_file, replace_file
from skills_core.agent.uninterrupted import waited
from skills_core.words import counted

if TYPE_CHECKING:
    from skills_core.filesystem import FilesystemProvider

_log = logging.getLogger(__name__)
_DETAIL_SIZE = 20_000
_COMPARED_LINES = 3_000


@dataclass(frozen=True, slots=True)
class Change:
    """New content for one file; ``path`` is real, ``before`` is None for a new file."""

    path: str
    before: TextFile | None
    data: bytes

    @property
    def old_text(self) -> str:
        return self.before.text(strict=False) if self.before is not None else ""

    @property
    def new_text(self) -> str:
        return self.data.decode("utf-8", "replace").removeprefix("\ufeff")


class FileChanger:
    """Changes files for one agent and tells the filesystem provider, which may hold skills that are concerned."""

    def __init__(self, ledger: FileLedger, provider: FilesystemProvider | None) -> None:
        self._ledger = ledger
        self._provider = provider

    def ask(self, change: Change, context: ToolContext) -> str:
        """Remembers what the person is shown, and returns it: the difference, or the content of a new file."""
        self._ledger.asked(context.call_id, change.path, change.before.digest if change.before is not None else None)
        return difference(change, context.cwd)

    async def apply(self, path: str, context: ToolContext, plan: Callable[[str], Change]) -> ToolOutcome:
        """Makes the change that ``plan`` finds for the real path, to its end even when the turn is cancelled."""
        task = asyncio.ensure_future(self._apply(path, context, plan))
        await waited(task)
        return task.result()

    async def _apply(self, path: str, context: ToolContext, plan: Callable[[str], Change]) -> ToolOutcome:
        shown = shown_path(path, context.cwd)
        try:
            change = await asyncio.to_thread(self._replace, path, context, plan)
        except FileError as error:
            return failed(f"{shown}: {error.message}")
        if self._provider is not None:
            try:
                await self._provider.report_change(path)
            except Exception:
                _log.exception("the change of a file could not be reported")
        done = "Changed" if change.before is not None else "Created"
        lines = change.new_text.count("\n") + (0 if change.new_text.endswith("\n") or not change.new_text else 1)
        added, removed = _counts(change)
        details = {"path": path, "created": change.before is None, "added": added, "removed": removed}
        return ToolOutcome(text=f"{done} {shown} ({counted(lines, 'line')}).", details=details)

    def _replace(self, path: str, context: ToolContext, plan: Callable[[str], Change]) -> Change:
        real = os.path.realpath(path)
        try:
            change = plan(real)
        except FileError:
            # That somebody changed the file explains the failure better.
            now = None
            with contextlib.suppress(FileError):
                now = read_file(real)
            digest = now.digest if now is not None else None
            if self._ledger.was_asked(context.call_id):
                self._ledger.check(real, context.call_id, digest)
            self._ledger.check_seen(real, digest)
            raise
        self._ledger.check(change.path, context.call_id, change.before.digest if change.before is not None else None)
        replace_file(change.path, change.data, change.before)
        written = TextFile(change.data, 0)
        self._ledger.saw(change.path, written.digest)
        return change


def difference(change: Change, cwd: str) -> str:
    """A unified difference for a person, or the new content when there was none before; bounded."""
    name = shown_path(change.path, cwd)
    if change.before is None:
        return bounded(change.new_text, _DETAIL_SIZE)
    lines = _difference_lines(change)
    if lines is None:
        size = len(change.old_text)
        return bounded(f"{name} ({size:,} characters) becomes:\n{change.new_text}", _DETAIL_SIZE)
    return bounded("\n".join([f"--- {name}", f"+++ {name}", *lines[2:]]), _DETAIL_SIZE)


def _difference_lines(change: Change) -> list[str] | None:
    """None for files too long to compare in a moment."""
    old, new = change.old_text.splitlines(), change.new_text.splitlines()
    if len(old) > _COMPARED_LINES or len(new) > _COMPARED_LINES:
        return None
    return list(difflib.unified_diff(old, new, lineterm=""))


def _counts(change: Change) -> tuple[int, int]:
    lines = _difference_lines(change)
    if lines is None:
        return len(change.new_text.splitlines()), len(change.old_text.splitlines())
    body = lines[2:]
    return sum(line.startswith("+") for line in body), sum(line.startswith("-") for line in body)
