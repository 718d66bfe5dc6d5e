"""The file of one session, open for its one writer."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from skills_core.session.error import SessionError, explain_write_failure
from skills_core.session.lock import SessionLock

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_UNFINISHED_SUFFIX = ".new"
_ABANDONED_AFTER = 24 * 3600.0
"""In seconds: no creation takes this long."""

WriteCall = Callable[[int, bytes | memoryview], int]

_sync_data = getattr(os, "fdatasync", os.fsync)


class LogFile:
    """Appends whole records to a log. Every method does disk work and belongs in a thread; one at a time.

    The file is made by the first write, together with its first line, so that a session in which nothing happened
    leaves nothing behind.
    """

    def __init__(
        self, path: Path, session_id: str, *, first_line: bytes | None = None, write: WriteCall = os.write
    ) -> None:
        self.path = path
        self._lock = SessionLock(lock_path(path), session_id)
        self._first_line = first_line
        self._write_call = write
        self._fd: int | None = None
        self._folder_synced = False
        self._size = 0
        self._torn = False
        self._line_open = False

    def open(self) -> None:
        """Takes the lock and opens the existing file. Raises SessionError, SessionInUseError."""
        self._lock.acquire()
        try:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            self._size = os.fstat(self._fd).st_size
        except OSError as error:
            self._lock.release()
            raise explain_write_failure(error, self.path) from error
        self._first_line = None

    def write(self, records: bytes) -> None:
        """Appends ``records`` in one write: all of them are in the kernel when it returns, or none is in the file.

        Raises SessionError.
        """
        if self._fd is None:
            self._create(records)
            return
        fd = self._fd
        try:
            self._mend(fd)
            self._refuse_foreign_change(fd)
            self._append(fd, b"\n" + records if self._line_open else records)
            self._line_open = False
        except OSError as error:
            raise explain_write_failure(error, self.path) from error

    def sync(self) -> None:
        """Brings what was written to the disk itself. Raises SessionError."""
        if self._fd is None:
            return
        try:
            _sync_data(self._fd)
            if not self._folder_synced:
                # The name of the file, and that of a folder made for it, are data of the folders above.
                sync_folder(self.path.parent)
                sync_folder(self.path.parent.parent)
                self._folder_synced = True
        except OSError as error:
            raise explain_write_failure(error, self.path) from error

    def cut(self, size: int, aside: bytes) -> None:
        """Cuts the file back to ``size`` bytes, after ``aside`` has been added to the file for damaged bytes.

        Raises SessionError, and then the log is as it was.
        """
        assert self._fd is not None
        kept = damaged_path(self.path)
        try:
            fd = os.open(kept, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
            try:
                write_all(fd, aside + b"\n", self._write_call)
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise explain_write_failure(error, kept) from error
        try:
            os.ftruncate(self._fd, size)
            self._size = size
        except OSError as error:
            raise explain_write_failure(error, self.path) from error

    def end_line_first(self) -> None:
        """Lets the next write begin with a line end: what is at the end of the file has none."""
        self._line_open = True

    def close(self) -> None:
        """Closes the file and gives the lock back. Idempotent."""
        fd, self._fd = self._fd, None
        try:
            if fd is not None:
                os.close(fd)
        except OSError as error:
            raise explain_write_failure(error, self.path) from error
        finally:
            self._lock.release()

    def _create(self, records: bytes) -> None:
        assert self._first_line is not None
        try:
            make_private_folder(self.path.parent)
            remove_abandoned(self.path.parent)
        except OSError as error:
            raise explain_write_failure(error, self.path.parent) from error
        self._lock.acquire()
        try:
            whole = self._first_line + records
            self._fd = create_whole(self.path, whole, self._write_call)
        except OSError as error:
            self._lock.release()
            raise explain_write_failure(error, self.path) from error
        self._size = len(whole)
        self._first_line = None

    def _refuse_foreign_change(self, fd: int) -> None:
        """The lock keeps other Skilldecks out, but not an editor or a person with ``rm``."""
        status = os.fstat(fd)
        if status.st_nlink == 0:
            raise SessionError(
                f"The session's file has been deleted or replaced: {self.path}.",
                "What is shown here is only in memory now. Copy what you need and start a new session.",
            )
        if status.st_size != self._size:
            raise SessionError(
                f"Another program has changed the session's file: {self.path}.",
                "Nothing more is written to it from here. Close this session and resume it to go on from the file.",
            )

    def _append(self, fd: int, records: bytes) -> None:
        try:
            write_all(fd, records, self._write_call)
            self._size += len(records)
        except OSError:
            self._torn = True
            # If this fails too it is tried again before the next write; whoever opens the file cuts the tail as well.
            with contextlib.suppress(OSError):
                self._mend(fd)
            raise

    def _mend(self, fd: int) -> None:
        """Takes back what a failed write left at the end of the file."""
        if self._torn:
            os.ftruncate(fd, self._size)
            self._torn = False


def write_all(fd: int, data: bytes, write: WriteCall = os.write) -> None:
    """Writes ``data``: one call, unless the system takes only a part. Raises OSError, and a part may be written.

    A disk that fills up takes a part first; only the next call says why.
    """
    written = write(fd, data)
    rest = memoryview(data)
    while written < len(rest):
        rest = rest[written:]
        written = write(fd, rest)
        if written <= 0:
            raise OSError(0, "the system took only a part of it")


def create_whole(path: Path, data: bytes, write: WriteCall = os.write) -> int:
    """Makes a private file that holds ``data`` from the moment that it has its name; returns it open for appending.

    Raises OSError, FileExistsError when the name is taken.
    """
    if path.exists():
        raise FileExistsError(17, "File exists", str(path))
    unfinished = path.with_name(f".{path.name}{_UNFINISHED_SUFFIX}")
    unfinished.unlink(missing_ok=True)
    fd = os.open(unfinished, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        write_all(fd, data, write)
        unfinished.rename(path)
    except BaseException:
        os.close(fd)
        unfinished.unlink(missing_ok=True)
        raise
    return fd


def remove_abandoned(folder: Path) -> None:
    """Removes what creations that were killed have left; nothing in it was ever acknowledged."""
    for unfinished in folder.glob(f".*{_UNFINISHED_SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - unfinished.stat().st_mtime > _ABANDONED_AFTER:
                unfinished.unlink()


def make_private_folder(folder: Path) -> None:
    """Makes ``folder`` and what is missing above it, each for the user alone. Raises OSError."""
    missing: list[Path] = []
    at = folder
    while not at.is_dir():
        missing.append(at)
        if at.parent == at:
            break
        at = at.parent
    for each in reversed(missing):
        each.mkdir(FOLDER_MODE, exist_ok=True)


def sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def lock_path(log: Path) -> Path:
    return log.with_name(f".{log.stem}.lock")


def damaged_path(log: Path) -> Path:
    """Where bytes cut from a log's end are kept."""
    return log.with_name(f"{log.name}.damaged")
