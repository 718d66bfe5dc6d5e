"""What the tests of sessions share: a set clock, ready-made events, and logs written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from skills_core.session import Session, SessionStore
from skills_core.session.codec import encode_event, encode_header
from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    COMPACTION,
    SOURCE_SKILL_CATALOG,
    TOOL_RESULT,
    USER_MESSAGE,
    PendingEvent,
    SessionEvent,
    SessionHeader,
    text_block,
    user_message,
)

VERSION = "0.0.test"
TIME = "2026-03-01T09:30:00.000Z"
ID = "20260301-093000-aaaaaa"
"""The id of a log that is written by hand."""


class TickingClock:
    """Each look is a second later than the one before."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def make_store(root: Path, **options: Any) -> SessionStore:
    return SessionStore(root, VERSION, clock=TickingClock(), **options)


def assistant(text: str = "", *calls: tuple[str, str, Mapping[str, Any]], model: str = "m") -> PendingEvent:
    blocks: list[Mapping[str, Any]] = [text_block(text)] if text else []
    blocks += [{"type": "tool_call", "id": id, "name": name, "arguments": dict(given)} for id, name, given in calls]
    data = {"content": blocks, "model": model, "usage": None, "stop_reason": "tool_calls" if calls else "end"}
    return PendingEvent(ASSISTANT_MESSAGE, data)


def result(id: str, text: str, *, name: str = "read", error: bool = False, details: Any = None) -> PendingEvent:
    data = {"id": id, "name": name, "content": [text_block(text)], "is_error": error, "details": details}
    return PendingEvent(TOOL_RESULT, data)


def catalog(*names: str, update: bool = False) -> PendingEvent:
    source: dict[str, Any] = {"kind": SOURCE_SKILL_CATALOG, "form": "catalog"}
    if update:
        source["update"] = True
    source["entries"] = [{"name": name, "description": f"Does {name}."} for name in names]
    return user_message("catalog of " + ", ".join(names), source)


def compaction(first: int, last: int, summary: str = "summary") -> PendingEvent:
    data = {"summary": summary, "first": first, "last": last, "content": [text_block(summary)], "tokens_before": None}
    return PendingEvent(COMPACTION, data)


def numbered(pending: Iterable[PendingEvent], first: int = 1) -> list[SessionEvent]:
    return [SessionEvent(seq, TIME, each.type, each.data) for seq, each in enumerate(pending, first)]


def words(count: int, first: int = 1) -> list[SessionEvent]:
    return numbered((user_message(f"message {number}") for number in range(first, first + count)), first)


def header(id: str, cwd: str = "/somewhere", **fields: Any) -> SessionHeader:
    return SessionHeader(id=id, cwd=cwd, created=TIME, program_version=VERSION, **fields)


def log_bytes(events: Iterable[SessionEvent], id: str = ID, **fields: Any) -> bytes:
    return encode_header(header(id, **fields)) + b"".join(encode_event(event) for event in events)


def place_log(root: Path, data: bytes, id: str = ID) -> Path:
    folder = root / "somewhere-0123"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{id}.jsonl"
    path.write_bytes(data)
    return path


async def stored(store: SessionStore, cwd: str, *pending: PendingEvent) -> str:
    """Makes a session of these events and closes it; gives its id."""
    session = await store.create(cwd)
    await session.append(*pending)
    await session.aclose()
    return session.id


def texts(session: Session) -> list[str]:
    """The text of each event that has one, in order."""
    found: list[str] = []
    for event in session.events:
        if event.type == USER_MESSAGE:
            found.append(event.data["content"][0]["text"])
        elif "text" in event.data:
            found.append(event.data["text"])
    return found
