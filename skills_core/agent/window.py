"""How full the model's context window is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from skills_core.agent.model import Model
from skills_core.session.compaction import event_tokens
from skills_core.session.event import ASSISTANT_MESSAGE, COMPACTION, SessionEvent
from skills_core.session.session import Session


def context_tokens(session: Session) -> int:
    """Tokens of the visible conversation: what the server counted last, and an estimate of what came after it.

    Counts from before a compaction are of a conversation that is no more.
    """
    visible = session.surface.visible
    compacted = visible[0].seq if visible and visible[0].type == COMPACTION else 0
    later = 0
    for event in reversed(visible):
        if event.type == ASSISTANT_MESSAGE and event.seq > compacted:
            counted = _counted(event)
            if counted is not None:
                return counted + later
        later += event_tokens(event)
    return later


def near_limit(session: Session, model: Model, share: float) -> bool:
    """Whether the conversation takes more than this share of the window; False when the window is not known."""
    window = model.context_window
    return window is not None and context_tokens(session) > window * share


def _counted(event: SessionEvent) -> int | None:
    usage = event.data.get("usage")
    if not isinstance(usage, Mapping):
        return None
    counts = cast("Mapping[str, Any]", usage)
    given, written = counts.get("input_tokens"), counts.get("output_tokens")
    if not isinstance(given, int) or given <= 0:
        return None
    return given + (written if isinstance(written, int) else 0)
