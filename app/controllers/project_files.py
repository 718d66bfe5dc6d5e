"""The files of a project that a person may want to name, and the text of those that a message names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from skills_core.session.event import SOURCE_FILE_MENTION, PendingEvent, user_message

FILES_LIMIT = 20_000
MENTION_LIMIT = 65_536
"""Bytes of a mentioned file that go with the message."""

_GIT_SECONDS = 5.0


def project_files(folder: str, limit: int = FILES_LIMIT) -> tuple[str, ...]:
    """Paths relative to ``folder``, sorted, without what git ignores; at most ``limit``."""
    listed = _git_files(folder)
    paths = listed if listed is not None else _walked_files(folder, limit)
    return tuple(sorted(paths)[:limit])


def _git_files(folder: str) -> list[str] | None:
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]


def _walked_files(folder: str, limit: int) -> list[str]:
    from pathspec import GitIgnoreSpec

    try:
        patterns = Path(folder, ".gitignore").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        patterns = []
    ignored = GitIgnoreSpec.from_lines(patterns)
    return [path for path in _walk(folder, limit) if not ignored.match_file(path)]


def _walk(folder: str, limit: int) -> Iterator[str]:
    count = 0
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(files):
            yield os.path.relpath(os.path.join(where, name), folder)
            count += 1
            if count >= limit:
                return


@dataclass(frozen=True, slots=True)
class FileMention:
    """A mentioned file's text, as far as it goes with the message; ``size`` is that of the whole file in bytes."""

    path: str
    text: str
    size: int

    @property
    def truncated(self) -> bool:
        return self.size > MENTION_LIMIT

    def message(self) -> PendingEvent:
        """The file as context in the user's role, with its facts."""
        cut = f"\n… truncated: the first {MENTION_LIMIT:,} of {self.size:,} bytes" if self.truncated else ""
        framed = f"The user's message names this file:\n<file path={quoteattr(self.path)}>\n{self.text}{cut}\n</file>"
        facts: dict[str, Any] = {"kind": SOURCE_FILE_MENTION, "path": self.path, "bytes": self.size}
        facts["truncated"] = self.truncated
        return user_message(framed, facts)


def read_mention(folder: str, project_root: str, path: str) -> FileMention | None:
    """The text file of the project that ``path`` names, seen from ``folder``; None for anything else."""
    real = os.path.realpath(os.path.join(folder, os.path.expanduser(path)))
    root = os.path.realpath(project_root)
    if not real.startswith(root.rstrip("/") + "/") or not os.path.isfile(real):
        return None
    try:
        with open(real, "rb") as file:
            data = file.read(MENTION_LIMIT + 1)
            size = max(os.fstat(file.fileno()).st_size, len(data))
    except OSError:
        return None
    if b"\0" in data:
        return None
    try:
        text = data[:MENTION_LIMIT].decode("utf-8", errors="strict" if size <= MENTION_LIMIT else "ignore")
    except UnicodeDecodeError:
        return None
    return FileMention(path, text.rstrip("\n"), size)
