"""Searches a folder in a process of its own, since a regular expression can run for ever and hold up its program.

Reads one JSON object from its input (``root``, ``top``, ``within``, ``pattern``, ``names``, ``literal``,
``ignore_case``, ``glob``, ``limit``) and writes one JSON object a line: matches, then a summary. Uses the standard
library, and pathspec for `.gitignore`.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_FILES = 100_000
MAX_FILE_BYTES = 4 * 1024 * 1024
MAX_LINE = 400
_PROBE = 4096
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv", ".hg", ".svn"})


class Ignored:
    """The `.gitignore` files from the project's root down to a folder."""

    def __init__(self, root: str, top: str) -> None:
        self._specs: dict[str, Any] = {}
        self._top = top
        self.enter(top)
        folder = top
        for part in Path(os.path.relpath(root, top)).parts:
            folder = os.path.join(folder, part)
            self.enter(folder)

    def enter(self, folder: str) -> None:
        path = os.path.join(folder, ".gitignore")
        if folder in self._specs or not os.path.isfile(path):
            return
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read(1 << 20).splitlines()
            import pathspec

            self._specs[folder] = pathspec.GitIgnoreSpec.from_lines(lines)
        except Exception:
            # An ignore file that cannot be read or is malformed hides nothing.
            return

    def hides(self, path: str, is_folder: bool) -> bool:
        """The nearest ignore file that says anything about the path decides, as in git."""
        folder = os.path.dirname(path)
        while True:
            spec = self._specs.get(folder)
            if spec is not None:
                relative = os.path.relpath(path, folder).replace(os.sep, "/") + ("/" if is_folder else "")
                said = spec.check_file(relative).include
                if said is not None:
                    return bool(said)
            parent = os.path.dirname(folder)
            if folder == self._top or parent == folder:
                return False
            folder = parent


class Walk:
    """The files below a folder in sorted order, without links to folders and what is ignored."""

    def __init__(self, root: str, top: str) -> None:
        self._root = root
        self._ignored = Ignored(root, top)
        self.seen = 0
        self.cut = False

    def files(self) -> Iterator[str]:
        pending = [self._root]
        while pending:
            folder = pending.pop()
            self._ignored.enter(folder)
            try:
                with os.scandir(folder) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            below: list[str] = []
            for entry in found:
                try:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    is_file = not is_folder and entry.is_file()
                except OSError:
                    continue
                if is_folder and entry.name in _SKIPPED_FOLDERS:
                    continue
                if not (is_folder or is_file) or self._ignored.hides(entry.path, is_folder):
                    continue
                if is_folder:
                    below.append(entry.path)
                    continue
                self.seen += 1
                if self.seen > MAX_FILES:
                    self.cut = True
                    return
                yield entry.path
            pending.extend(reversed(below))


def main() -> int:
    request = json.loads(sys.stdin.read())
    root, top = request["root"], request["top"]
    flags = re.IGNORECASE if request["ignore_case"] else 0
    pattern = re.escape(request["pattern"]) if request["literal"] else request["pattern"]
    try:
        expression = re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        _write({"error": f"the pattern is no regular expression: {error}"})
        return 0
    if os.path.isfile(root):
        walk, paths, base = None, iter([root]), os.path.dirname(root)
    else:
        walk = Walk(root, top)
        paths, base = walk.files(), root
    reader = Reader(request["within"])
    limit, count = request["limit"], 0
    for path in paths:
        relative = os.path.relpath(path, base).replace(os.sep, "/")
        if request["glob"] and not _fits(relative, request["glob"]):
            continue
        for match in _name_matches(relative, expression) if request["names"] else _matches(path, reader, expression):
            if count == limit:
                _write({"more": True})
                return 0
            count += 1
            _write({"path": path, **match})
    _write({"files": walk.seen if walk else 1, "cut": walk.cut if walk else False, "outside": reader.outside})
    return 0


def _name_matches(relative: str, expression: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    if expression.search(relative):
        yield {}


def _matches(path: str, reader: Reader, expression: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(reader.lines(path), 1):
        if expression.search(line):
            yield {"line": number, "text": line if len(line) <= MAX_LINE else line[:MAX_LINE] + "..."}


class Reader:
    """Reads files that lie in the real folders ``within``; ``outside`` counts those that a link led elsewhere."""

    def __init__(self, within: list[str]) -> None:
        self._within = within
        self.outside = 0

    def lines(self, path: str) -> list[str]:
        """The lines of a text file; none for what is outside, binary, too large, or no regular file."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return []
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_FILE_BYTES:
                return []
            if not self._holds(handle, path, facts):
                self.outside += 1
                return []
            try:
                data = file.read(MAX_FILE_BYTES)
            except OSError:
                return []
        return [] if b"\0" in data[:_PROBE] else data.decode("utf-8", "replace").splitlines()

    def _holds(self, handle: int, path: str, facts: os.stat_result) -> bool:
        try:
            real = os.readlink(f"/proc/self/fd/{handle}")
        except OSError:
            real = os.path.realpath(path)
        try:
            same = os.stat(real)
        except OSError:
            return False
        if (same.st_dev, same.st_ino) != (facts.st_dev, facts.st_ino):
            return False
        return any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in self._within)


def _fits(relative: str, glob: str) -> bool:
    name = relative.rpartition("/")[2]
    return fnmatch.fnmatchcase(relative, glob) or ("/" not in glob and fnmatch.fnmatchcase(name, glob))


def _write(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
