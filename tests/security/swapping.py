"""A path that becomes something else as fast as a thread can make it so."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

RACE_SECONDS = 1.5


@contextlib.contextmanager
def swapping(*states: Callable[[], None]) -> Iterator[Callable[[], int]]:
    """A thread that brings one state after the other, as fast as it can; gives the number of rounds so far."""
    stop = threading.Event()
    rounds = 0

    def work() -> None:
        nonlocal rounds
        while not stop.is_set():
            for state in states:
                with contextlib.suppress(OSError):
                    state()
            rounds += 1

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield lambda: rounds
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive(), "the swapping thread did not end"


class Swap:
    """Puts a link, a file or a pipe in the place of a path, each in one step."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._spare = path.with_name(f".{path.name}.spare")

    def link(self, target: Path) -> None:
        self._spare.symlink_to(target)
        os.replace(self._spare, self._path)

    def file(self, text: str) -> None:
        self._spare.write_text(text)
        os.replace(self._spare, self._path)

    def pipe(self) -> None:
        os.mkfifo(self._spare)
        os.replace(self._spare, self._path)
