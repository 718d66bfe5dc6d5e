"""Reads a whole log: every record that is there, and an account of every byte that is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from skills_core.session.codec import MalformedRecordError, decode_header, decode_json, decode_prefix, event_of
from skills_core.session.event import SessionEvent, SessionHeader

_RECORD_START = '{"seq":'
_SALVAGE_STARTS = 32
"""How many places in one damaged line are tried as the start of a record. It bounds the work on a hostile line."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that is not, or not only, a record. The line stays where it is in the file; ``reason`` is a clause."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReading:
    """What a log holds.

    ``lines[i]`` is the line number of ``events[i]``. ``whole_size`` is where the last whole line ends, in bytes, and
    ``tail`` what comes after it, which a writer had not finished; ``tail_event`` is the event in it if only the line
    end is missing.
    """

    header: SessionHeader | None
    events: list[SessionEvent]
    lines: list[int]
    damage: tuple[Damage, ...]
    whole_size: int
    tail: bytes
    tail_event: SessionEvent | None


def read_log(path: Path) -> LogReading:
    """Reads the file at ``path``. Raises OSError; never for what the file holds."""
    with path.open("rb", buffering=1 << 20) as file:
        return read_lines(file)


def read_lines(file: Iterable[bytes]) -> LogReading:
    """Reads a log from its lines, line ends included."""
    reader = _Reader()
    for line in file:
        reader.take(line)
    return LogReading(
        header=reader.header,
        events=reader.events,
        lines=reader.lines,
        damage=tuple(reader.damage),
        whole_size=reader.whole_size,
        tail=reader.tail,
        tail_event=reader.tail_event,
    )


class _Reader:
    def __init__(self) -> None:
        self.header: SessionHeader | None = None
        self.events: list[SessionEvent] = []
        self.lines: list[int] = []
        self.damage: list[Damage] = []
        self.whole_size = 0
        self.tail = b""
        self.tail_event: SessionEvent | None = None
        self._line = 0
        self._last_seq = 0
        self._unread_since_last = False

    def take(self, line: bytes) -> None:
        self._line += 1
        if not line.endswith(b"\n"):
            self._take_tail(line)
            return
        self.whole_size += len(line)
        if self._line == 1:
            self._take_header(line)
            return
        try:
            event = event_of(decode_json(line.decode()))
        except (MalformedRecordError, UnicodeDecodeError) as error:
            self._take_damaged(line, error)
            return
        self._keep(event)

    def _keep(self, event: SessionEvent) -> None:
        if event.seq <= self._last_seq:
            self._report(f"its seq {event.seq} was used before")
            return
        if event.seq != self._last_seq + 1 and not self._unread_since_last:
            self._report(f"seq {_range(self._last_seq + 1, event.seq - 1)} missing before it")
        self._last_seq = event.seq
        self._unread_since_last = False
        self.events.append(event)
        self.lines.append(self._line)

    def _take_header(self, line: bytes) -> None:
        try:
            self.header = decode_header(line.decode())
        except (MalformedRecordError, UnicodeDecodeError) as error:
            # A log whose header line is gone may begin with an event.
            self._take_damaged(line, error, "the header cannot be read")

    def _take_damaged(self, line: bytes, error: Exception, reason: str | None = None) -> None:
        not_utf8 = isinstance(error, UnicodeDecodeError)
        text = line.decode("utf-8", "replace")
        salvaged = _salvage(text)
        clause = reason or ("not UTF-8" if not_utf8 else str(error))
        fresh = [event for event in salvaged if event.seq > self._last_seq]
        if fresh:
            clause += f"; seq {_range(fresh[0].seq, fresh[-1].seq)} could be read from it"
        self._report(clause)
        self._unread_since_last = True
        for event in fresh:
            if event.seq > self._last_seq:
                self._keep(event)

    def _take_tail(self, line: bytes) -> None:
        self.tail = line
        if self._line == 1:
            return
        try:
            event = event_of(decode_json(line.decode()))
        except (MalformedRecordError, UnicodeDecodeError):
            return
        if event.seq > self._last_seq:
            self.tail_event = event

    def _report(self, reason: str) -> None:
        self.damage.append(Damage(self._line, reason))


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _salvage(text: str) -> list[SessionEvent]:
    """The records that a damaged line ends with, back to back.

    A record may stand behind the torn first half of a write that was then repeated, behind NUL bytes left by a power
    cut, or directly behind another whole record whose line end is gone. A start that does not lead to the end of the
    line is not trusted: it may be an object inside a record that is torn itself.
    """
    end = len(text.rstrip())
    starts: list[int] = []
    at = end
    while len(starts) < _SALVAGE_STARTS and (at := text.rfind(_RECORD_START, 0, at)) >= 0:
        starts.append(at)
    events: list[SessionEvent] = []
    for start in starts:
        try:
            record, stop = decode_prefix(text, start)
            event = event_of(record)
        except MalformedRecordError:
            continue
        if stop == end:
            events.insert(0, event)
            end = start
    return events
