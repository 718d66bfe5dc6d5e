"""What the tests of watching share: a recorder of hints whose waits have deadlines, and counts of what is open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from skills_core.filesystem.watching import FolderWatch, WatchStatus

DEADLINE = 10.0


@dataclass(frozen=True)
class Settings:
    watch: bool = True
    watch_use_polling: bool = False
    watch_poll_interval_ms: int = 100


class Recorder:
    """Keeps hints and statuses in order."""

    def __init__(self) -> None:
        self.hints: list[frozenset[str]] = []
        self.statuses: list[WatchStatus] = []
        self._news = asyncio.Event()

    def hint(self, paths: frozenset[str]) -> None:
        self.hints.append(paths)
        self._news.set()

    def status(self, status: WatchStatus) -> None:
        self.statuses.append(status)
        self._news.set()

    @property
    def paths(self) -> set[str]:
        return {path for hint in self.hints for path in hint}

    @property
    def sweeps(self) -> int:
        return sum(not hint for hint in self.hints)

    def forget(self) -> None:
        self.hints.clear()

    async def until(self, holds: Callable[[], bool], what: str, within: float = DEADLINE) -> None:
        try:
            async with asyncio.timeout(within):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(
                f"waited {within} s for {what}; hints: {[sorted(h) for h in self.hints][-20:]}, {self.statuses}"
            ) from None


@contextlib.asynccontextmanager
async def watching(
    *folders: str | os.PathLike[str], settings: Settings | None = None
) -> AsyncIterator[tuple[FolderWatch, Recorder]]:
    """A FolderWatch over ``folders``, armed; closed at the end."""
    recorder = Recorder()
    watch = FolderWatch(settings=settings or Settings(), on_hint=recorder.hint, on_status=recorder.status)
    try:
        if folders:
            watch.want(frozenset(os.fspath(folder) for folder in folders))
            assert await watch.armed(DEADLINE), "the watcher was not armed"
            # A hint to look at everything follows the opening: it is not what a test waits for.
            if watch.status.mode == "native":
                await recorder.until(lambda: recorder.sweeps > 0, "the hint that follows the opening")
        recorder.forget()
        yield watch, recorder
    finally:
        await watch.aclose()


def inotify_instances() -> int:
    count = 0
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            count += "inotify" in os.readlink(f"/proc/self/fd/{fd}")
    return count


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


async def eventually(holds: Callable[[], bool], what: str, within: float = 2.0) -> None:
    """The library closes its files in a thread of its own, a moment after it was told to."""
    try:
        async with asyncio.timeout(within):
            while not holds():
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"waited {within} s for {what}") from None


def watch_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "skills-watch"]
