"""One writer a session: a lock file beside the log, freed by the system when its holder dies."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from skills_core.session.error import SessionInUseError, explain_write_failure

if TYPE_CHECKING:
    from filelock import BaseFileLock


class SessionLock:
    """The right to write one session. The lock file stays behind, empty of meaning, when the lock is given back."""

    def __init__(self, path: Path, session_id: str) -> None:
        self._path = path
        self._session_id = session_id
        self._lock: BaseFileLock | None = None

    def acquire(self) -> None:
        """Takes the lock at once or raises SessionInUseError; SessionError when the lock file cannot be made."""
        from filelock import FileLock, Timeout

        # Taken in one thread and given back in another.
        lock = FileLock(self._path, timeout=0, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise SessionInUseError(
                f"Session {self._session_id} is in use by another window{self._holder()}.",
                f"Close it there, or go on in a copy: skilldeck --fork {self._session_id}",
            ) from error
        except OSError as error:
            raise explain_write_failure(error, self._path) from error
        self._lock = lock
        self._name_holder()

    def release(self) -> None:
        """Gives the lock back; does nothing when it is not held."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release(force=True)

    def _name_holder(self) -> None:
        # Only a help for the message: a full disk must not keep a session from being opened.
        with contextlib.suppress(OSError):
            self._path.write_text(f"{os.getpid()}\n")

    def _holder(self) -> str:
        try:
            pid = self._path.read_text().strip()
        except (OSError, ValueError):
            return ""
        return f" (process {pid})" if pid.isdecimal() and len(pid) < 12 else ""


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock whose file this is. Where the system cannot tell, nobody does.

    It can only be told by trying, and whoever opens the session in that instant would be refused: so it is tried only
    when the process that is named in the file is alive.
    """
    try:
        import fcntl
    except ImportError:
        return False
    try:
        pid = int(path.read_text())
        if pid != os.getpid():
            os.kill(pid, 0)
    except PermissionError:
        pass  # alive, and another user's
    except (OSError, ValueError, OverflowError):
        return False
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
