"""What a list of sessions says about one, read from the two ends of its file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from skills_core.session.codec import MalformedRecordError, decode_header
from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    MODEL_CHANGE,
    REQUEST_CONTEXT,
    TITLE,
    USER_MESSAGE,
    SessionHeader,
)
from skills_core.session.plain import text
from skills_core.session.tail import event_in, lines_with, tail_start
from skills_core.session.title import derived_title, given_title

# What the lines that matter hold, as this program writes them.
_TITLE_MARK = f'"type":"{TITLE}"'.encode()
_USER_MARK = f'"type":"{USER_MESSAGE}"'.encode()
_MODEL_MARK = b'"model":'
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
        fd = file.fileno()
        header = _header(file.readline(_HEAD_LIMIT))
        start, data = tail_start(fd, os.fstat(fd).st_size, 1)
        newest_first = data.split(b"\n")[::-1]
        last = next((event for line in newest_first if (event := event_in(line)) is not None), None)
        if last is None:
            return None
        title = next(_titles(line for line in newest_first if _TITLE_MARK in line), "")
        title = title or next(_titles(lines_with(fd, _TITLE_MARK, start)), "") or _first_words(file)
    return SessionInfo(
        id=path.stem,
        title=title,
        cwd=header.cwd if header is not None else "",
        created=header.created if header is not None else last.time,
        updated=last.time,
        events=last.seq,
        model=next(_models(newest_first), None),
        parent=header.parent_id if header is not None else None,
        path=path,
    )


def _header(line: bytes) -> SessionHeader | None:
    try:
        return decode_header(line.decode("utf-8", "replace"))
    except MalformedRecordError:
        return None


def _titles(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        event = event_in(line)
        if event is not None and (title := given_title(event)):
            yield title


def _first_words(file: BinaryIO) -> str:
    """What the user said first, looked for from where the file stands."""
    while file.tell() < _HEAD_LIMIT and (line := file.readline(_HEAD_LIMIT)):
        if _USER_MARK in line:
            event = event_in(line)
            if event is not None and (words := derived_title(event)):
                return words
    return ""


def _models(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        event = event_in(line) if _MODEL_MARK in line else None
        if event is not None and event.type in _MODEL_EVENTS:
            model = text(event.data.get("model"))
            if model:
                yield model
