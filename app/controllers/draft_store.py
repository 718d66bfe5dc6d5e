"""The unsent draft between two starts: one small file for each program in a working folder, private to the user."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from threading import Lock

PLACES = 16
"""Programs in one working folder whose drafts are kept apart; those beyond keep none."""


class DraftStore:
    """Keeps a draft under ``state_dir``. A failure is silent: the draft is still on the screen.

    Programs that run in the same folder at the same time each have a place of their own, so that none shows or
    overwrites what is being written in another.
    """

    def __init__(self, state_dir: Path, cwd: str) -> None:
        self._folder = state_dir / "drafts"
        self._name = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
        self._path: Path | None = None
        self._claim: int | None = None
        self._writing = Lock()
        self._wanted = ""
        self._stored = ""

    def take(self) -> str:
        """Claims a place, and gives the draft that is kept there, which stays until another is written over it.

        A place that holds a draft is preferred to an empty one. Empty when there is none.
        """
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        paths = [
            self._folder / (f"{self._name}-{number}.txt" if number else f"{self._name}.txt") for number in range(PLACES)
        ]
        for path in sorted(paths, key=lambda path: not path.exists()):
            try:
                self._claim = _claim(path.with_suffix(".lock"))
            except BlockingIOError:
                continue
            except OSError:
                self._claim = None
            self._path = path
            break
        self._wanted = self._stored = self._kept()
        return self._stored

    def want(self, text: str) -> None:
        """Notes what is to be kept from now on; ``write`` puts it on the disk."""
        self._wanted = text if text.strip() else ""

    def write(self) -> None:
        """Writes what is wanted now, whole or not at all. Blocks; any thread may call it."""
        with self._writing:
            text = self._wanted
            if self._path is None or text == self._stored:
                return
            with contextlib.suppress(OSError):
                if text:
                    _replace(self._path, text)
                else:
                    self._path.unlink(missing_ok=True)
                self._stored = text

    def close(self) -> None:
        """Gives the place up for the next program."""
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None
        self._path = None

    def _kept(self) -> str:
        if self._path is None:
            return ""
        try:
            text = self._path.read_text("utf-8", errors="replace")
        except OSError:
            return ""
        return text if text.strip() else ""


def _claim(path: Path) -> int:
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _replace(path: Path, text: str) -> None:
    """Writes beside the file and renames, so that a full disk or a crash leaves the draft that was there."""
    descriptor, beside = tempfile.mkstemp(prefix=path.stem, dir=path.parent)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
