"""What goes wrong with a session's file, said to a person."""

from __future__ import annotations

import errno
from pathlib import Path


class SessionError(Exception):
    """A session could not be read or written. ``message`` and ``hint`` are one line each, for a person."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SessionNotFoundError(SessionError):
    """No stored session, or more than one, answers to an id."""


class SessionInUseError(SessionError):
    """Another writer has the session open. Reading it, and forking it, are possible all the same."""


class SessionReadOnlyError(SessionError):
    """The session was opened for reading, or has been closed."""


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})

_STATE_HINT = "Set SKILLDECK_STATE_DIR to a folder that you may write to, or start with --no-save."


def explain_write_failure(error: OSError, path: Path) -> SessionError:
    """What a person can do about a failed write to ``path`` (a log, or a folder that should hold one)."""
    if error.errno == errno.ENOSPC:
        return SessionError(
            f"The disk is full: nothing more could be saved in {path}.",
            "Free some space and send again; what was saved before is whole.",
        )
    if error.errno in _FULL:
        return SessionError(
            f"The system allows no more data here: nothing more could be saved in {path} ({error.strerror}).",
            "Raise the quota or the limit on file sizes and send again; what was saved before is whole.",
        )
    if error.errno in _REFUSED:
        return SessionError(f"No permission to write {path} ({error.strerror}).", _STATE_HINT)
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return SessionError(f"A file is in the way of the folder for sessions: {path}.", _STATE_HINT)
    return SessionError(f"Could not write {path}: {error.strerror or error}.", _STATE_HINT)


def explain_read_failure(error: OSError, path: Path) -> SessionError:
    """What a person can do about a log that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return SessionNotFoundError(f"The session's file is gone: {path}.", "`skilldeck sessions` lists what there is.")
    if error.errno in _REFUSED:
        return SessionError(f"No permission to read {path} ({error.strerror}).", "Session files belong to the user.")
    return SessionError(f"Could not read {path}: {error.strerror or error}.")
