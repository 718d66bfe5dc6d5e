"""The files of a project that a person may want to name, and the text of those that a message names."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from skills_core.filesystem.opening import opened_path
from skills_core.session.event import SOURCE_FILE_MENTION, PendingEvent, user_message

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

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
    found: list[str] = []
    for path in _walk(folder):
        found.append(path)
        if len(found) >= limit:
            break
    return found


def _walk(folder: str) -> Iterator[str]:
    """The files that no ``.gitignore`` on their way excludes, as git reads them: the nearest one has the last word."""
    specs: dict[str, GitIgnoreSpec | None] = {}
    for where, folders, files in os.walk(folder):
        specs[where] = _ignore_spec(where)

        def ignored(name: str, slash: str = "", where: str = where) -> bool:
            path = os.path.join(where, name)
            at = where
            while True:
                spec = specs.get(at)
                said = spec.check_file(os.path.relpath(path, at) + slash).include if spec is not None else None
                if said is not None or at == folder:
                    return said is True
                at = os.path.dirname(at)

        hidden = {name for name in folders if name.startswith(".") or name == "node_modules" or ignored(name, "/")}
        folders[:] = sorted(name for name in folders if name not in hidden)
        for name in sorted(files):
            if not ignored(name):
                yield os.path.relpath(os.path.join(where, name), folder)


def _ignore_spec(folder: str) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    path = Path(folder, ".gitignore")
    try:
        # Not a pipe, which would be waited for.
        if not path.is_file():
            return None
        with path.open(encoding="utf-8", errors="replace") as file:
            return GitIgnoreSpec.from_lines(file.read(1 << 20).splitlines())
    except (OSError, ValueError):
        return None


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
