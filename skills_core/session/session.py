"""One conversation: its events in memory, its file behind them, and the one way to add to both."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from skills_core.session.clock import Clock, timestamp, utc_now
from skills_core.session.codec import decode_json, encode_pending, event_of
from skills_core.session.error import SessionError, SessionReadOnlyError
from skills_core.session.event import USER_MESSAGE, PendingEvent, SessionEvent, SessionHeader, source_kind
from skills_core.session.ids import new_session_id
from skills_core.session.reading import Damage
from skills_core.session.surface import Surface
from skills_core.subscribers import Subscribers

_log = logging.getLogger("skills_core.session")
_Result = TypeVar("_Result")


class RecordSink(Protocol):
    """Where a session's records go. Used from one thread at a time; every method may raise SessionError."""

    @property
    def path(self) -> Path: ...

    def write(self, records: bytes) -> None: ...

    def sync(self) -> None: ...

    def close(self) -> None: ...


class _Append:
    """One call of ``append`` on its way to the file."""

    __slots__ = ("done", "pending", "started")

    def __init__(self, pending: tuple[PendingEvent, ...]) -> None:
        self.pending = pending
        self.done: asyncio.Future[tuple[SessionEvent, ...]] = asyncio.get_running_loop().create_future()
        self.started = False


class Session:
    """The events of one session in order, indexed, with the surface that the model sees.

    Reading is synchronous and belongs to the event loop's thread; disk work happens in a thread of the session's own.
    Without a sink the session is in memory only; with ``path`` and no sink it is a stored one opened for reading.
    """

    def __init__(
        self,
        header: SessionHeader,
        events: Iterable[SessionEvent] = (),
        *,
        sink: RecordSink | None = None,
        path: Path | None = None,
        damage: tuple[Damage, ...] = (),
        clock: Clock = utc_now,
    ) -> None:
        self._header = header
        self._events: list[SessionEvent] = []
        self._sources: dict[str, list[SessionEvent]] = {}
        self._surface = Surface()
        self._subscribers = Subscribers[[SessionEvent]](_log, f"session {self.id}")
        self._sink = sink
        self._path = sink.path if sink is not None else path
        self._refusal = "was opened for reading only" if sink is None and path is not None else ""
        self._damage = damage
        self._clock = clock
        self._waiting: list[_Append] = []
        self._writer: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._syncing: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None
        for event in events:
            self._take(event)

    @classmethod
    def in_memory(cls, cwd: str, program_version: str, *, clock: Clock = utc_now) -> Session:
        """A session that is stored nowhere."""
        now = clock()
        header = SessionHeader(id=new_session_id(now), cwd=cwd, created=timestamp(now), program_version=program_version)
        return cls(header, clock=clock)

    @property
    def id(self) -> str:
        return self._header.id

    @property
    def header(self) -> SessionHeader:
        return self._header

    @property
    def events(self) -> Sequence[SessionEvent]:
        """Every event so far, oldest first; grows in place."""
        return self._events

    @property
    def surface(self) -> Surface:
        return self._surface

    @property
    def path(self) -> Path | None:
        """The session's file, which its first event makes; None for a session in memory."""
        return self._path

    @property
    def read_only(self) -> bool:
        return bool(self._refusal)

    @property
    def damage(self) -> tuple[Damage, ...]:
        """What could not be read when the file was opened, by line."""
        return self._damage

    def of_source(self, kind: str) -> Sequence[SessionEvent]:
        """The ``user/message`` events of one source kind, oldest first, without a scan; grows in place."""
        return self._sources.setdefault(kind, [])

    def subscribe(self, callback: Callable[[SessionEvent], object]) -> Callable[[], None]:
        """Calls ``callback`` on the loop for each event that is appended from now on; returns what ends it."""
        return self._subscribers.add(callback)

    async def append(self, *pending: PendingEvent) -> tuple[SessionEvent, ...]:
        """Adds events, all of them or none, and returns them as stored.

        When it returns, they survive the death of this process. Calls made at the same time keep their order and may
        share one write. Raises SessionError, and then nothing was added. When the caller is cancelled, either nothing
        was added or all was, and ``events`` says which by the time that the cancellation arrives.
        """
        if self._refusal:
            raise SessionReadOnlyError(f"Session {self.id} {self._refusal}.", "Open it for writing, or fork it.")
        if not pending:
            return ()
        item = _Append(pending)
        self._waiting.append(item)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_waiting(), name=f"session {self.id} writer")
        try:
            return await asyncio.shield(item.done)
        except asyncio.CancelledError:
            if item.started:
                await asyncio.wait([item.done])
            elif item in self._waiting:
                self._waiting.remove(item)
            raise

    async def sync(self) -> None:
        """Brings what was appended so far to the disk itself: it survives a power cut. Raises SessionError."""
        if self._sink is None or self._refusal:
            return
        task = asyncio.create_task(self._sync(self._sink), name=f"session {self.id} sync")
        self._syncing.add(task)
        task.add_done_callback(self._syncing.discard)
        await asyncio.shield(task)

    async def aclose(self) -> None:
        """Finishes what is being written, closes the file and frees it for another writer. Idempotent."""
        if self._closing is None:
            self._refusal = self._refusal or "has been closed"
            self._closing = asyncio.create_task(self._close(), name=f"session {self.id} close")
        await asyncio.shield(self._closing)

    async def _write_waiting(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting, []
                for item in group:
                    item.started = True
                await self._write_group(group)
        finally:
            self._writer = None

    async def _write_group(self, group: list[_Append]) -> None:
        """One write for all; if that fails, one for each, so that a call that cannot be stored harms no other."""
        try:
            events = await self._store([each for item in group for each in item.pending])
        except SessionError as error:
            if len(group) == 1:
                _settle(group[0], error)
                return
            for item in group:
                await self._write_group([item])
            return
        except BaseException as error:
            # The loop is being shut down, or memory has run out: whether the write happened is not known any more.
            self._refusal = self._refusal or "was interrupted while it was written"
            for item in group:
                _settle(item, SessionError(f"Session {self.id} {self._refusal}."))
            if isinstance(error, Exception):
                _log.exception("session %s could not be written", self.id)
                return
            raise
        at = 0
        for item in group:
            own = tuple(events[at : at + len(item.pending)])
            at += len(own)
            for event in own:
                self._take(event)
                self._tell(event)
            _settle(item, own)

    async def _store(self, pending: list[PendingEvent]) -> list[SessionEvent]:
        first_seq = self._events[-1].seq + 1 if self._events else 1
        time = timestamp(self._clock())
        if self._sink is None:
            return _encode(pending, first_seq, time)[1]
        return await self._in_thread(partial(_encode_and_write, self._sink, pending, first_seq, time))

    async def _sync(self, sink: RecordSink) -> None:
        if self._writer is not None:
            await asyncio.wait([self._writer])
        await self._in_thread(sink.sync)

    async def _close(self) -> None:
        # Later than what is on its way: nothing new can join it.
        for task in (self._writer, *self._syncing):
            if task is not None:
                await asyncio.wait([task])
        if self._sink is not None:
            await self._in_thread(self._sink.close)
        if self._thread is not None:
            self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        """Runs disk work in order, one piece at a time, whatever else fills the loop's common threads."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="session-file")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _take(self, event: SessionEvent) -> None:
        self._events.append(event)
        self._surface.take(event)
        if event.type == USER_MESSAGE:
            kind = source_kind(event.data)
            if kind is not None:
                self._sources.setdefault(kind, []).append(event)

    def _tell(self, event: SessionEvent) -> None:
        for subscriber in self._subscribers:
            try:
                subscriber(event)
            except Exception:
                _log.exception("a subscriber of session %s failed on event %s", self.id, event.seq)


def _settle(item: _Append, outcome: tuple[SessionEvent, ...] | SessionError) -> None:
    if item.done.done():
        return
    if isinstance(outcome, SessionError):
        item.done.set_exception(outcome)
        item.done.exception()  # Marks it as seen: the caller may be gone.
    else:
        item.done.set_result(outcome)


def _encode_and_write(sink: RecordSink, pending: list[PendingEvent], first_seq: int, time: str) -> list[SessionEvent]:
    records, events = _encode(pending, first_seq, time)
    sink.write(records)
    return events


def _encode(pending: list[PendingEvent], first_seq: int, time: str) -> tuple[bytes, list[SessionEvent]]:
    """The lines, and the events as reading those lines gives them: a live session equals a resumed one."""
    lines: list[bytes] = []
    events: list[SessionEvent] = []
    for seq, each in enumerate(pending, first_seq):
        try:
            line = encode_pending(each, seq, time)
        except (TypeError, ValueError, RecursionError) as error:
            raise SessionError(f"An event of type {each.type} cannot be stored: {error}.") from error
        lines.append(line)
        events.append(event_of(decode_json(line.decode())))
    return b"".join(lines), events
