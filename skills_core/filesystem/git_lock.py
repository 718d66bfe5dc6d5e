"""Whether git is at work in a project: its index lock, while that is young."""

from __future__ import annotations

import os
import stat

from skills_core.filesystem.signature import Clock

LOCK_COUNTS_FOR = 10.0
"""Seconds for which an index lock counts. One that a crashed git left behind does not count for ever."""


class GitLocks:
    """Remembers when each index lock was first seen, so that a wrong clock cannot make an old one young."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._first_seen: dict[str, tuple[tuple[int, int], float]] = {}

    def held(self, project_root: str | None) -> bool:
        """Whether the project's git holds a young index lock."""
        if project_root is None:
            return False
        path = os.path.join(_git_folder(project_root), "index.lock")
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            self._first_seen.pop(path, None)
            return False
        identity = (status.st_ino, status.st_mtime_ns)
        now = self._clock.monotonic()
        known = self._first_seen.get(path)
        if known is None or known[0] != identity:
            known = self._first_seen[path] = (identity, now)
        young = self._clock.files_ns() - status.st_mtime_ns < LOCK_COUNTS_FOR * 1e9
        return young and now - known[1] < LOCK_COUNTS_FOR


def _git_folder(project_root: str) -> str:
    """The folder that holds the index: ``.git`` itself, or where a ``.git`` file of a linked worktree points."""
    git = os.path.join(project_root, ".git")
    try:
        # Not waited for when it is a pipe.
        descriptor = os.open(git, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return git
    try:
        text = os.read(descriptor, 4096) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return git
    finally:
        os.close(descriptor)
    if not text.startswith(b"gitdir:"):
        return git
    return os.path.join(project_root, os.fsdecode(text[len(b"gitdir:") :].strip()))
