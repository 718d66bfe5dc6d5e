"""The last lines of a log without reading what comes before them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skills_core.session.codec import MalformedRecordError, decode_json, event_of
from skills_core.session.event import SessionEvent

BLOCK = 64 * 1024
"""How much is read at first, in bytes."""


def event_in(line: bytes) -> SessionEvent | None:
    """The event that a line is, or None."""
    try:
        return event_of(decode_json(line.decode("utf-8", "replace")))
    except MalformedRecordError:
        return None


def tail_start(fd: int, size: int, lines: int) -> tuple[int, bytes]:
    """The end of a file of ``size`` bytes that holds at least ``lines`` whole lines, or all of it, and where it begins.

    It begins at the start of a line. Raises OSError.
    """
    block = BLOCK
    while True:
        start = max(0, size - block)
        data = _read(fd, start, size)
        if start == 0:
            return 0, data
        first = data.find(b"\n") + 1
        if first > 0 and data.count(b"\n", first) >= lines:
            return start + first, data[first:]
        block *= 4


def lines_with(fd: int, mark: bytes, stop: int) -> Iterator[bytes]:
    """The lines before byte ``stop`` that hold ``mark``, last first. Raises OSError."""
    carried = b""
    while stop > 0:
        start = max(0, stop - (1 << 20))
        data = _read(fd, start, stop) + carried
        first = 0 if start == 0 else data.find(b"\n") + 1
        if start > 0 and first == 0:
            carried, stop = data, start
            continue
        carried, stop = data[:first], start
        at = len(data)
        while (at := data.rfind(mark, first, at)) >= 0:
            line_start = max(first, data.rfind(b"\n", first, at) + 1)
            line_end = data.find(b"\n", at)
            yield data[line_start : line_end if line_end >= 0 else len(data)]
            at = line_start


def _read(fd: int, start: int, stop: int) -> bytes:
    parts: list[bytes] = []
    while start < stop:
        part = os.pread(fd, stop - start, start)
        if not part:
            break
        parts.append(part)
        start += len(part)
    return b"".join(parts)
