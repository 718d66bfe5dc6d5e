"""What a list of sessions says about one, read from the two ends of its file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skills_core.session.codec import MalformedRecordError, decode_header
from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    MODEL_CHANGE,
    REQUEST_CONTEXT,
    TITLE,
    SessionEvent,
    SessionHeader,
)
from skills_core.session.tail import event_in, lines_with, tail_start
from skills_core.session.title import derived_title, given_title

_TITLE_MARK = f'"type":"{TITLE}"'.encode()
_HEAD_LIMIT = 1 << 20
"""How far into a file the user's first words are looked for, in bytes."""
_MODEL_EVENTS = frozenset({ASSISTANT_MESSAGE, MODEL_CHANGE, REQUEST_CONTEXT})


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """One stored session. ``events`` counts them, ``model`` is the newest used, ``parent`` is what it was forked from.

    ``created`` and ``updated`` are RFC 3339 in UTC. ``cwd`` is empty when the header line is damaged.
    """

    id: str
    title: str
    cwd: str
    created: str
    updated: str
    events: int
    model: str | None
    parent: str | None
    path: Path


def read_info(path: Path) -> SessionInfo | None:
    """Reads the ends of one log; None when it holds no event. Raises OSError."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header = _header(file.readline(_HEAD_LIMIT))
        start, data = tail_start(file.fileno(), size, 1)
        last = [event for line in data.split(b"\n") if line and (event := event_in(line)) is not None]
        if not last:
            return None
        title = next((found for event in reversed(last) if (found := given_title(event))), "")
        if not title:
            title = _title_before(file.fileno(), start)
        first: SessionEvent | None = None
        derived = ""
        while file.tell() < _HEAD_LIMIT and (line := file.readline(_HEAD_LIMIT)):
            event = event_in(line) if first is None or b"user/message" in line else None
            if event is not None:
                first = first or event
                if derived := derived_title(event):
                    break
    return SessionInfo(
        id=path.stem,
        title=title or derived,
        cwd=header.cwd if header is not None else "",
        created=header.created if header is not None else (first or last[0]).time,
        updated=last[-1].time,
        events=last[-1].seq,
        model=_model(last),
        parent=header.parent_id if header is not None else None,
        path=path,
    )


def _header(line: bytes) -> SessionHeader | None:
    try:
        return decode_header(line.decode("utf-8", "replace"))
    except MalformedRecordError:
        return None


def _title_before(fd: int, stop: int) -> str:
    for line in lines_with(fd, _TITLE_MARK, stop):
        event = event_in(line)
        if event is not None and (title := given_title(event)):
            return title
    return ""


def _model(events: Sequence[SessionEvent]) -> str | None:
    for event in reversed(events):
        if event.type in _MODEL_EVENTS:
            model = event.data.get("model")
            if isinstance(model, str) and model:
                return model
    return None
