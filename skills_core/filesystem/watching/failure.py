"""Why native watching failed, and what helps: an exception read into words for a person."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass

_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_UNDECODABLE = re.compile(r'Unable to decode path (".*") to string', re.DOTALL)
_POLLED = "meanwhile the folders are checked again and again"


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """The limits that apply now; None where the system does not tell."""

    watches: int | None = None
    instances: int | None = None
    open_files: int | None = None
    files_in_use: int | None = None


@dataclass(frozen=True, slots=True)
class WatchFailure:
    """A cause in words, and what would help; both plain text."""

    reason: str
    hint: str


class NoNativeWatcherError(Exception):
    """The system offers no change events, so that the library would poll by itself."""


def read_limits() -> WatchLimits:
    """The limits of this process and user, read now."""
    open_files = files_in_use = None
    try:
        import resource

        open_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        files_in_use = len(os.listdir("/proc/self/fd"))
    except (ImportError, OSError):
        pass
    return WatchLimits(
        watches=_read_number("/proc/sys/fs/inotify/max_user_watches"),
        instances=_read_number("/proc/sys/fs/inotify/max_user_instances"),
        open_files=open_files,
        files_in_use=files_in_use,
    )


def explain_failure(error: BaseException, needed: int, limits: WatchLimits) -> WatchFailure:
    """Says what ``error`` means. ``needed`` is how many folders were to be watched.

    The class of the exception tells little (a limit may come as FileNotFoundError), so the number in the text counts.
    """
    text = str(error)
    undecodable = _UNDECODABLE.search(text)
    if undecodable is not None:
        return WatchFailure(
            f"the file name {undecodable[1]} is not UTF-8, which stops the watcher",
            f"rename that file; {_POLLED}",
        )
    if isinstance(error, NoNativeWatcherError):
        return WatchFailure("this system reports no file changes", f"nothing is needed; {_POLLED}")
    number = _error_number(error, text)
    if number == errno.ENOSPC or "watch limit reached" in text:
        return _watches_used_up(needed, limits)
    if number in (errno.EMFILE, errno.ENFILE):
        return _instances_used_up(number, limits)
    if number in (errno.EACCES, errno.EPERM):
        return WatchFailure(f"permission to watch was refused: {printable(text)}", f"grant it; {_POLLED}")
    return WatchFailure(
        f"the watcher failed: {printable(text) or type(error).__name__}", f"it is tried again; {_POLLED}"
    )


def printable(text: str) -> str:
    """The text with every character that a terminal would not print as it is written as an escape."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode() for char in text
    )


def _watches_used_up(needed: int, limits: WatchLimits) -> WatchFailure:
    if limits.watches is None:
        return WatchFailure(
            f"the system's limit of watched folders is reached; {needed} are needed", f"raise that limit; {_POLLED}"
        )
    wanted = max(8_192, 1 << (limits.watches + 2 * needed - 1).bit_length())
    return WatchFailure(
        f"the limit of {limits.watches} watched folders is reached; {needed} are needed here",
        f"run: sudo sysctl fs.inotify.max_user_watches={wanted}",
    )


def _instances_used_up(number: int, limits: WatchLimits) -> WatchFailure:
    if number == errno.ENFILE:
        return WatchFailure(
            "the system has no open files left", f"close some programs, or raise fs.file-max; {_POLLED}"
        )
    in_use, allowed = limits.files_in_use, limits.open_files
    # Making a watcher takes three descriptors.
    if in_use is not None and allowed is not None and in_use + 4 > allowed:
        return WatchFailure(
            f"this program may open no more files: {in_use} of {allowed} are open",
            f"run it after: ulimit -n {max(1_024, 2 * allowed)}",
        )
    if limits.instances is None:
        return WatchFailure("the system's limit of watchers is reached", f"close other programs that watch; {_POLLED}")
    return WatchFailure(
        f"the limit of {limits.instances} watchers for this user is reached",
        f"run: sudo sysctl fs.inotify.max_user_instances={4 * limits.instances}",
    )


def _error_number(error: BaseException, text: str) -> int | None:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _OS_ERROR.search(text)
    return int(found[1]) if found is not None else None


def _read_number(path: str) -> int | None:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None
