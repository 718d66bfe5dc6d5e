"""Project instructions: `AGENTS.md` from the project's root down to the working folder, as a pre-step hook."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from skills_core.agent.hooks import Batch, Reject, StepContext
from skills_core.agent.tools.paths import is_inside
from skills_core.escaping import escape_attribute
from skills_core.filesystem.opening import opened_path
from skills_core.session.event import SOURCE_AGENT_INSTRUCTIONS, PendingEvent, SessionEvent, user_message

FILE_NAME = "AGENTS.md"
FILE_MAX_BYTES = 64 * 1024
TOTAL_MAX_BYTES = 256 * 1024

Action: TypeAlias = Literal["loaded", "updated", "removed"]

_FRAME = re.compile(r"<(/?\s*(?:project_instructions|system-reminder))", re.IGNORECASE)
_OPENING = (
    "These are the instructions of the project for whoever works on it. Follow them where they apply; "
    "where two of them differ, that of the deeper folder holds."
)


class _OutsideError(Exception):
    """A link leads out of the project."""


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """One file as read; ``path`` is relative to the project's root, with slashes."""

    path: str
    text: str
    digest: str
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class InstructionChange:
    """``file`` is None for a removal."""

    path: str
    action: Action
    digest: str | None
    file: InstructionFile | None = None


class ProjectInstructions:
    """Publishes the instructions at the first step, and what changed of them later; nothing when nothing did.

    What was published is read from the session, so that a resumed session says nothing new, and a compaction that hid
    a message has it published again. Without ``project_root`` the project is found from the working folder.
    """

    def __init__(self, project_root: str | None = None) -> None:
        self._project_root = project_root

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        found = await asyncio.to_thread(read_instructions, context.cwd, self._project_root)
        session = context.session
        visible = [e for e in session.of_source(SOURCE_AGENT_INSTRUCTIONS) if session.surface.is_visible(e.seq)]
        changes = instruction_changes(published_digests(visible), found)
        return (*batch, instructions_message(changes)) if changes else batch


def read_instructions(cwd: str, project_root: str | None = None) -> dict[str, InstructionFile | None]:
    """The instruction files by their relative path, from the root down; None for one that cannot be read now.

    A link is followed as long as it stays in the project. Sizes are bounded, and what does not fit is left out.
    """
    from skills_core.filesystem import find_project_root

    root = project_root or find_project_root(cwd)
    real_root = os.path.realpath(root)
    found: dict[str, InstructionFile | None] = {}
    room = TOTAL_MAX_BYTES
    for folder in _folders(root, cwd):
        path = os.path.join(folder, FILE_NAME)
        name = os.path.relpath(path, root).replace(os.sep, "/")
        if not os.path.lexists(path):
            continue
        try:
            data = _read(path, min(FILE_MAX_BYTES, room), real_root)
        except _OutsideError:
            continue
        if data is None:
            found[name] = None
            continue
        room -= len(data[0])
        text = data[0].decode("utf-8", "ignore" if data[1] else "replace").removeprefix("\ufeff")
        if text.strip():
            found[name] = InstructionFile(name, text, hashlib.sha256(data[0]).hexdigest(), data[1])
    return found


def published_digests(events: Iterable[SessionEvent]) -> dict[str, str]:
    """What the model has been told, by path, from the visible messages oldest first; unreadable ones are skipped."""
    told: dict[str, str] = {}
    for event in events:
        source = event.data.get("source")
        changes = cast("Mapping[str, Any]", source).get("changes") if isinstance(source, Mapping) else None
        if not isinstance(changes, list):
            continue
        for change in cast("list[Any]", changes):
            facts: Mapping[str, Any] = cast("Mapping[str, Any]", change) if isinstance(change, Mapping) else {}
            path, digest = facts.get("path"), facts.get("digest")
            if not isinstance(path, str):
                continue
            if facts.get("action") == "removed":
                told.pop(path, None)
            elif isinstance(digest, str):
                told[path] = digest
    return told


def instruction_changes(
    told: Mapping[str, str], found: Mapping[str, InstructionFile | None]
) -> tuple[InstructionChange, ...]:
    """What has to be said. A file that cannot be read just now stays as it was told."""
    changes: list[InstructionChange] = []
    for path, file in found.items():
        if file is not None and told.get(path) != file.digest:
            action: Action = "updated" if path in told else "loaded"
            changes.append(InstructionChange(path, action, file.digest, file))
    changes.extend(InstructionChange(path, "removed", None) for path in told if path not in found)
    return tuple(changes)


def instructions_message(changes: tuple[InstructionChange, ...]) -> PendingEvent:
    """The message with the current text of each changed file and a line for each that went."""
    parts = ["<system-reminder>"]
    if any(change.file is not None for change in changes):
        parts.append(_OPENING)
    for change in changes:
        if change.file is None:
            parts.append(f"The instructions of `{change.path}` were removed: they no longer apply.")
            continue
        if change.action == "updated":
            parts.append(f"The instructions of `{change.path}` changed; these replace the earlier ones.")
        # A file must not be able to end its frame and speak for someone else.
        body = _FRAME.sub(r"&lt;\1", change.file.text).rstrip("\n")
        note = f"\n[cut at {FILE_MAX_BYTES:,} bytes]" if change.file.truncated else ""
        name = escape_attribute(change.path)
        parts.append(f'<project_instructions path="{name}">\n{body}{note}\n</project_instructions>')
    parts.append("</system-reminder>")
    facts: list[dict[str, Any]] = [
        {"path": change.path, "action": change.action, "digest": change.digest} for change in changes
    ]
    source = {"kind": SOURCE_AGENT_INSTRUCTIONS, "form": "instructions", "changes": facts}
    return user_message("\n".join(parts), source)


def _folders(root: str, cwd: str) -> list[str]:
    """From the project's root down to the working folder; the working folder alone when it lies elsewhere."""
    if not is_inside(cwd, root):
        return [cwd]
    folders = [cwd]
    while folders[-1] != root:
        folders.append(os.path.dirname(folders[-1]))
    return folders[::-1]


def _read(path: str, most: int, real_root: str) -> tuple[bytes, bool] | None:
    """At most so many bytes, and whether there were more; None for what cannot be read. Never waits on a pipe.

    Raises _OutsideError when what was opened does not lie in the project.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            return None
        real = opened_path(handle, path, facts)
        if real is None:
            return None
        if not is_inside(real, real_root):
            raise _OutsideError
        data = b""
        while len(data) <= most and (chunk := os.read(handle, most + 1 - len(data))):
            data += chunk
    except OSError:
        return None
    finally:
        os.close(handle)
    return data[:most], len(data) > most
