"""Where sessions are kept: a folder for each project, a log for each session."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from skills_core.session.clock import Clock, timestamp, utc_now
from skills_core.session.codec import encode_event, encode_header
from skills_core.session.collection import collection_paused
from skills_core.session.error import (
    SessionError,
    SessionNotFoundError,
    explain_read_failure,
    explain_write_failure,
)
from skills_core.session.event import FORMAT_VERSION, PendingEvent, SessionEvent, SessionHeader
from skills_core.session.ids import is_session_id, matching_ids, new_session_id, project_folder
from skills_core.session.info import SessionInfo, read_info
from skills_core.session.lock import is_held
from skills_core.session.log_file import LogFile, WriteCall, lock_path
from skills_core.session.mending import damage_notice, mend_tail
from skills_core.session.reading import LogReading, read_log
from skills_core.session.session import Session
from skills_core.session.tail import event_in, tail_start

_log = logging.getLogger("skills_core.session")
_SUFFIX = ".jsonl"


class SessionStore:
    """The sessions under ``root``, which is made by the first session that has something to keep.

    ``clock`` gives the times of events, and ``write`` is the system call that appends them. Where a method takes an id,
    the beginning of one, or of its last part, will do if only one session has it. All methods raise SessionError.
    """

    def __init__(
        self, root: Path, program_version: str, *, clock: Clock = utc_now, write: WriteCall = os.write
    ) -> None:
        self._root = root
        self._program_version = program_version
        self._clock = clock
        self._write = write

    @property
    def root(self) -> Path:
        return self._root

    async def create(self, cwd: str) -> Session:
        """A new session; its file appears with its first event. Raises when the place is plainly not writable."""
        return await asyncio.to_thread(self._create, cwd)

    async def open(self, id: str) -> Session:
        """Opens a session for writing, for this caller alone. Raises SessionInUseError, SessionNotFoundError.

        A damaged file is mended where it must be and opens with what can be read; a notice in the log says so.
        """
        path = await asyncio.to_thread(self._resolve, id)
        opening = asyncio.ensure_future(asyncio.to_thread(self._open, path))
        try:
            session, notices = await asyncio.shield(opening)
        except asyncio.CancelledError:
            await _close_unwanted(opening)
            raise
        try:
            await session.append(*notices)
        except SessionError as error:
            # What cannot be told in the log is still in ``damage``; the session is there all the same.
            _log.warning("no notice could be added to session %s: %s", session.id, error.message)
        except BaseException:
            await session.aclose()
            raise
        return session

    async def read(self, id: str) -> Session:
        """A session as it is now, for reading: without the lock, also while another process writes it."""
        return await asyncio.to_thread(self._read, id)

    async def recent(self, id: str, count: int = 500) -> tuple[SessionEvent, ...]:
        """The last ``count`` events of a session, without reading the whole of its file."""
        return await asyncio.to_thread(self._recent, id, count)

    async def fork(self, id: str, seq: int | None = None) -> Session:
        """A new session with the events of an old one up to ``seq``, or all; open for writing.

        The copies keep their seqs and times, and the header names the session and the seq that they came from.
        """
        forking = asyncio.ensure_future(asyncio.to_thread(self._fork, id, seq))
        try:
            session, _ = await asyncio.shield(forking)
        except asyncio.CancelledError:
            await _close_unwanted(forking)
            raise
        return session

    async def list(self, cwd: str | None = None) -> list[SessionInfo]:
        """The sessions of one folder, or all, the one that was used last first."""
        return await asyncio.to_thread(self._list, cwd)

    async def in_use(self, infos: Iterable[SessionInfo]) -> frozenset[str]:
        """The ids of those sessions that are open for writing somewhere, here or in another process."""
        paths = [info.path for info in infos]
        return await asyncio.to_thread(lambda: frozenset(path.stem for path in paths if is_held(lock_path(path))))

    async def latest(self, cwd: str) -> str | None:
        """The id of the session of this folder that was used last."""
        infos = await self.list(cwd)
        return infos[0].id if infos else None

    def _create(self, cwd: str) -> Session:
        folder = self._root / project_folder(cwd)
        _refuse_unwritable(folder)
        now = self._clock()
        header = SessionHeader(
            id=_free_id(folder, self._clock), cwd=cwd, created=timestamp(now), program_version=self._program_version
        )
        return Session(header, sink=self._log_file(folder, header), clock=self._clock)

    def _open(self, path: Path) -> tuple[Session, list[PendingEvent]]:
        log = LogFile(path, path.stem, write=self._write)
        log.open()
        try:
            with collection_paused():
                return self._load(path, log)
        except BaseException:
            log.close()
            raise

    def _load(self, path: Path, log: LogFile) -> tuple[Session, list[PendingEvent]]:
        reading = _reading(path)
        header = _header(path, reading)
        _refuse_newer(header)
        notice = mend_tail(log, reading)
        if reading.whole_size == 0:
            log.write(encode_header(header))
        events = _events(reading)
        notices = [each for each in (notice, damage_notice(reading.damage, events)) if each is not None]
        session = Session(header, events, sink=log, damage=reading.damage, clock=self._clock)
        session.surface.messages()  # Derived here, off the loop; from now on only what is new is.
        return session, notices

    def _read(self, id: str) -> Session:
        path = self._resolve(id)
        with collection_paused():
            reading = _reading(path)
            header = _header(path, reading)
            session = Session(header, _events(reading), path=path, damage=reading.damage, clock=self._clock)
            session.surface.messages()
        return session

    def _recent(self, id: str, count: int) -> tuple[SessionEvent, ...]:
        path = self._resolve(id)
        try:
            with path.open("rb") as file:
                _, data = tail_start(file.fileno(), os.fstat(file.fileno()).st_size, count)
        except OSError as error:
            raise explain_read_failure(error, path) from error
        lines = [line for line in data.split(b"\n") if line][-count:] if count > 0 else []
        return tuple(event for line in lines if (event := event_in(line)) is not None)

    def _fork(self, id: str, seq: int | None) -> tuple[Session, list[PendingEvent]]:
        path = self._resolve(id)
        reading = _reading(path)
        parent = _header(path, reading)
        _refuse_newer(parent)
        events = [event for event in _events(reading) if seq is None or event.seq <= seq]
        last = reading.events[-1].seq if reading.events else 0
        if not events or (seq is not None and seq > last):
            raise SessionError(
                f"Session {path.stem} cannot be forked at {seq}: its events go from 1 to {last}."
                if seq is not None
                else f"Session {path.stem} has no events to fork."
            )
        now = self._clock()
        header = dataclasses.replace(
            parent,
            id=_free_id(path.parent, self._clock),
            created=timestamp(now),
            program_version=self._program_version,
            parent_id=path.stem,
            parent_seq=events[-1].seq,
        )
        log = self._log_file(path.parent, header)
        try:
            log.write(_records(path, reading, events))
            log.sync()
        except BaseException:
            log.close()
            raise
        return Session(header, events, sink=log, clock=self._clock), []

    def _list(self, cwd: str | None) -> list[SessionInfo]:
        infos: list[SessionInfo] = []
        for path in self._logs(cwd):
            try:
                info = read_info(path)
            except OSError as error:
                _log.warning("session %s cannot be listed: %s", path, error)
                continue
            if info is not None:
                infos.append(info)
        infos.sort(key=lambda info: (info.updated, info.id), reverse=True)
        return infos

    def _resolve(self, id: str) -> Path:
        paths = {path.stem: path for path in self._logs(None)} if is_session_id(id) else {}
        matches = matching_ids(id, paths)
        if not matches:
            raise SessionNotFoundError(
                f"There is no session {id!r}.", "`skilldeck sessions --all` lists what there is."
            )
        if len(matches) > 1:
            shown = ", ".join(matches[:4]) + (", …" if len(matches) > 4 else "")
            raise SessionNotFoundError(f"{id!r} stands for {len(matches)} sessions: {shown}.", "Give more of the id.")
        return paths[matches[0]]

    def _logs(self, cwd: str | None) -> Iterator[Path]:
        try:
            folders = [self._root / project_folder(cwd)] if cwd is not None else sorted(self._root.iterdir())
        except FileNotFoundError:
            return
        except OSError as error:
            raise explain_read_failure(error, self._root) from error
        for folder in folders:
            try:
                names = os.listdir(folder)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                if cwd is not None:
                    raise explain_read_failure(error, folder) from error
                _log.warning("sessions in %s cannot be listed: %s", folder, error)
                continue
            for name in names:
                if name.endswith(_SUFFIX) and is_session_id(name[: -len(_SUFFIX)]):
                    yield folder / name

    def _log_file(self, folder: Path, header: SessionHeader) -> LogFile:
        path = folder / f"{header.id}{_SUFFIX}"
        return LogFile(path, header.id, first_line=encode_header(header), write=self._write)


def _reading(path: Path) -> LogReading:
    try:
        return read_log(path)
    except OSError as error:
        raise explain_read_failure(error, path) from error


def _events(reading: LogReading) -> list[SessionEvent]:
    return reading.events if reading.tail_event is None else [*reading.events, reading.tail_event]


def _records(path: Path, reading: LogReading, events: Sequence[SessionEvent]) -> bytes:
    """The lines of ``events``, byte for byte as they are in the file, except where a line is more than its event."""
    whole = set(reading.lines) - {each.line for each in reading.damage}
    try:
        with path.open("rb") as file:
            raw = {number: line for number, line in enumerate(file, 1) if number in whole}
    except OSError as error:
        raise explain_read_failure(error, path) from error
    # The event of an unfinished last line has no line number.
    numbers = [*reading.lines, 0]
    return b"".join(raw.get(line) or encode_event(event) for event, line in zip(events, numbers, strict=False))


def _header(path: Path, reading: LogReading) -> SessionHeader:
    """The header, or what can be known without it: the name of the file, and the folder of its neighbours."""
    if reading.header is not None:
        # A copy that somebody made of a file is a session of its own.
        return dataclasses.replace(reading.header, id=path.stem)
    created = reading.events[0].time if reading.events else ""
    return SessionHeader(id=path.stem, cwd=_cwd_of_neighbours(path), created=created, program_version="")


def _cwd_of_neighbours(path: Path) -> str:
    for neighbour in sorted(path.parent.glob(f"*{_SUFFIX}")):
        try:
            info = read_info(neighbour)
        except OSError:
            continue
        if info is not None and info.cwd and project_folder(info.cwd) == path.parent.name:
            return info.cwd
    return ""


def _refuse_newer(header: SessionHeader) -> None:
    if header.format_version > FORMAT_VERSION:
        raise SessionError(
            f"Session {header.id} was written by a newer Skilldeck (format {header.format_version}).",
            f"Update Skilldeck to go on with it; `skilldeck show {header.id}` shows what this version can read.",
        )


def _refuse_unwritable(folder: Path) -> None:
    """Says before the first message that it could not be kept."""
    at = folder
    while not os.path.lexists(at) and at.parent != at:
        at = at.parent
    if not at.is_dir():
        raise explain_write_failure(NotADirectoryError(20, os.strerror(20)), at)
    if not os.access(at, os.W_OK | os.X_OK):
        raise explain_write_failure(PermissionError(13, os.strerror(13)), at)


def _free_id(folder: Path, clock: Clock) -> str:
    while True:
        id = new_session_id(clock())
        if not (folder / f"{id}{_SUFFIX}").exists():
            return id


async def _close_unwanted(opening: asyncio.Future[tuple[Session, list[PendingEvent]]]) -> None:
    """Gives back the lock that a cancelled caller will never hold."""
    try:
        session, _ = await opening
    except SessionError:
        return
    await session.aclose()
