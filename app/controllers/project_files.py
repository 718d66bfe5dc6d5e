"""The files of a project that a person may want to name, and the text of those that a message names."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from skills_core.filesystem.opening import opened_path
from skills_core.session.event import SOURCE_FILE_MENTION, PendingEvent, user_message

FILES_LIMIT = 20_000
MENTION_LIMIT = 65_536
"""Bytes of a mentioned file that go with the message."""

_GIT_SECONDS = 5.0
_GIT_SAFELY = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit")
"""A repository's own configuration can name commands, and looking at its files must run none of them."""

_CLOSING_TAG = re.compile(r"<(\s*/\s*file\s*>)", re.IGNORECASE)


def project_files(folder: str, limit: int = FILES_LIMIT) -> tuple[str, ...]:
    """Paths relative to ``folder``, sorted, without what git ignores; at most ``limit``."""
    listed = _git_files(folder)
    paths = listed if listed is not None else _walked_files(folder, limit)
    return tuple(sorted(paths)[:limit])


def _git_files(folder: str) -> list[str] | None:
    words = ["git", *_GIT_SAFELY, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]


def _walked_files(folder: str, limit: int) -> list[str]:
    from pathspec import GitIgnoreSpec

    ignore_file = Path(folder, ".gitignore")
    patterns: list[str] = []
    # Not a pipe, which would be waited for.
    if ignore_file.is_file():
        with contextlib.suppress(OSError), ignore_file.open(encoding="utf-8", errors="replace") as file:
            patterns = file.read(1 << 20).splitlines()
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
        # A file must not be able to end its frame and speak for someone else.
        text = _CLOSING_TAG.sub(r"&lt;\1", self.text)
        framed = f"The user's message names this file:\n<file path={quoteattr(self.path)}>\n{text}{cut}\n</file>"
        facts: dict[str, Any] = {"kind": SOURCE_FILE_MENTION, "path": self.path, "bytes": self.size}
        facts["truncated"] = self.truncated
        return user_message(framed, facts)


def read_mention(folder: str, project_root: str, path: str) -> FileMention | None:
    """The text file of the project that ``path`` names, seen from ``folder``; None for anything else."""
    where = os.path.join(folder, os.path.expanduser(path))
    try:
        descriptor = os.open(where, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        # Judged by what was opened: a link may lead elsewhere by now, and a pipe must not be waited for.
        facts = os.fstat(descriptor)
        real = opened_path(descriptor, where, facts) if stat.S_ISREG(facts.st_mode) else None
        if real is None or not real.startswith(os.path.realpath(project_root).rstrip("/") + "/"):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MENTION_LIMIT + 1)
            size = max(facts.st_size, len(data))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    if b"\0" in data:
        return None
    try:
        text = data[:MENTION_LIMIT].decode("utf-8", errors="strict" if size <= MENTION_LIMIT else "ignore")
    except UnicodeDecodeError:
        return None
    return FileMention(path, text.rstrip("\n"), size)
