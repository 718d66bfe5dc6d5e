"""The last words of a stored session, to know it again."""

from __future__ import annotations

from collections.abc import Sequence

from app.controllers.row_body import joined_text
from skills_core.session import event as kinds
from skills_core.session.event import SessionEvent, source_kind

MESSAGES = 4
MESSAGE_LENGTH = 300


def session_preview(events: Sequence[SessionEvent]) -> str:
    """The newest messages of the person and the model, oldest first, each cut."""
    found: list[str] = []
    for event in reversed(events):
        mark = _mark(event)
        text = joined_text(event.data.get("content")).strip()
        if mark and text:
            cut = text if len(text) <= MESSAGE_LENGTH else text[:MESSAGE_LENGTH] + "…"
            found.append(f"{mark} {cut}")
        if len(found) == MESSAGES:
            break
    return "\n".join(reversed(found)) or "No messages yet."


def _mark(event: SessionEvent) -> str:
    if event.type == kinds.USER_MESSAGE and source_kind(event.data) == kinds.SOURCE_USER:
        return "›"
    return " " if event.type == kinds.ASSISTANT_MESSAGE else ""
