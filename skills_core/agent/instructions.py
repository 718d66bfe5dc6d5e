"""What the model is told of a project's instructions, as a pre-step hook."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from skills_core.access.policy import SkillAccess
from skills_core.agent.hooks import Batch, Reject, StepContext
from skills_core.agent.instruction_files import (
    FILE_MAX_BYTES,
    InstructionFile,
    InstructionFiles,
    read_instructions,
)
from skills_core.escaping import escape_attribute
from skills_core.session.event import NOTICE, SOURCE_AGENT_INSTRUCTIONS, PendingEvent, SessionEvent, user_message

if TYPE_CHECKING:
    from skills_core.session.session import Session

Action: TypeAlias = Literal["loaded", "updated", "removed"]

_HIDDEN = r"[\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufeff]*"
"""Characters that no one sees."""


def _spelled(word: str) -> str:
    return _HIDDEN.join(word)


_FRAME = re.compile(
    rf"[<\uff1c\ufe64](?=[\W_]{{0,40}}(?:{_spelled('project')}[\W_]{{0,4}}{_spelled('instructions')}"
    rf"|{_spelled('system')}[\W_]{{0,4}}{_spelled('reminder')}))",
    re.IGNORECASE,
)
"""The beginning of a tag of the frame, also of what only looks like one: with white space or hidden characters."""

_OPENING = (
    "These are the instructions of the project for whoever works on it. Follow them where they apply; "
    "where two of them differ, that of the deeper folder holds."
)


@dataclass(frozen=True, slots=True)
class InstructionChange:
    """``file`` is None for a removal."""

    path: str
    action: Action
    digest: str | None
    file: InstructionFile | None = None


class ProjectInstructions:
    """Publishes the instructions at the first step, and what changed of them later; nothing when nothing did.

    They were written by whoever wrote the project, so that none of them is published unless the person trusts it, as
    ``access`` tells; once that is no longer so, the model is told that they no longer apply. What was published is
    read from the session, so that a resumed session says nothing new, and a compaction that hid a message has it
    published again. A file that is there and is not read is told to the person in a notice, once a session. Without
    ``project_root`` the project is found from the working folder.
    """

    def __init__(self, access: SkillAccess, project_root: str | None = None) -> None:
        self._access = access
        self._project_root = project_root

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        found = await asyncio.to_thread(read_instructions, context.cwd, self._project_root)
        # By the real path that the files were read below: a link of the project's path may lead elsewhere by now.
        if self._access.trust_of(found.real_root) is not True:
            refused = {path: unread for path, unread in found.unread.items() if unread.refused}
            found = replace(found, files={}, unread=refused)
        session = context.session
        visible = [e for e in session.of_source(SOURCE_AGENT_INSTRUCTIONS) if session.surface.is_visible(e.seq)]
        changes = instruction_changes(published_digests(visible), found)
        added = (instructions_message(changes),) if changes else ()
        return (*batch, *added, *_notices(session, found))


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


def instruction_changes(told: Mapping[str, str], found: InstructionFiles) -> tuple[InstructionChange, ...]:
    """What has to be said. A file that cannot be read just now stays as it was told."""
    changes: list[InstructionChange] = []
    for path, file in found.files.items():
        if told.get(path) != file.digest:
            action: Action = "updated" if path in told else "loaded"
            changes.append(InstructionChange(path, action, file.digest, file))
    for path in told:
        unread = found.unread.get(path)
        if path not in found.files and (unread is None or unread.refused):
            changes.append(InstructionChange(path, "removed", None))
    return tuple(changes)


def instructions_message(changes: tuple[InstructionChange, ...]) -> PendingEvent:
    """The message with the current text of each changed file and a line for each that went."""
    parts = ["<system-reminder>"]
    if any(change.file is not None for change in changes):
        parts.append(_OPENING)
    for change in changes:
        # Whoever wrote the project also named its folders.
        name = escape_attribute(" ".join(change.path.split()))
        if change.file is None:
            parts.append(f"The instructions of `{name}` no longer apply.")
            continue
        if change.action == "updated":
            parts.append(f"The instructions of `{name}` changed; these replace the earlier ones.")
        # A file must not be able to end its frame and speak for someone else.
        body = _FRAME.sub("&lt;", change.file.text).rstrip("\n")
        note = f"\n[cut at {FILE_MAX_BYTES:,} bytes]" if change.file.truncated else ""
        parts.append(f'<project_instructions path="{name}">\n{body}{note}\n</project_instructions>')
    parts.append("</system-reminder>")
    facts: list[dict[str, Any]] = [
        {"path": change.path, "action": change.action, "digest": change.digest} for change in changes
    ]
    source = {"kind": SOURCE_AGENT_INSTRUCTIONS, "form": "instructions", "changes": facts}
    return user_message("\n".join(parts), source)


def _notices(session: Session, found: InstructionFiles) -> tuple[PendingEvent, ...]:
    """What the person has not been told in this session of files that are not read."""
    new = {unread.message for unread in found.unread.values()}
    if new:
        new -= {str(event.data.get("text")) for event in session.events if event.type == NOTICE}
    return tuple(PendingEvent(NOTICE, {"text": text, "level": "warning"}) for text in sorted(new))
