"""Session events for the tests of the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skills_core.catalog import CatalogEntry, catalog_message
from skills_core.session.event import PendingEvent, SessionEvent

TIME = "2026-01-01T00:00:00Z"


def event(seq: int, type: str, **data: Any) -> SessionEvent:
    return SessionEvent(seq, TIME, type, data)


def stored(seq: int, pending: PendingEvent) -> SessionEvent:
    return SessionEvent(seq, TIME, pending.type, pending.data)


def text(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": each} for each in texts]


def context(seq: int, source: object, content: Sequence[Mapping[str, Any]] | None = None) -> SessionEvent:
    return event(seq, "user/message", content=text("model text") if content is None else list(content), source=source)


def user(seq: int, words: str) -> SessionEvent:
    return context(seq, {"kind": "user"}, text(words))


def reply(seq: int, words: str, **data: Any) -> SessionEvent:
    values = {"model": "offline", "usage": None, "stop_reason": "end", **data}
    return event(seq, "assistant/message", content=text(words), **values)


def catalog(seq: int, *entries: tuple[str, str], update: bool = False) -> SessionEvent:
    return stored(seq, catalog_message([CatalogEntry(*entry) for entry in entries], update))
