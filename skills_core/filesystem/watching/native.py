"""One native watcher in a thread of its own.

The native object is made, awaited and closed in that thread. (Making it holds the interpreter's lock for about 55 µs
a folder, in whichever thread: large sets are therefore not rebuilt for each new folder, see watch_plan.py.)
"""

from __future__ import annotations

import asyncio
import atexit
import errno
import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from skills_core.filesystem.watching.failure import NoNativeWatcherError
from skills_core.filesystem.watching.mounts import read_mounts, silent_folders

STEP_MS = 10
"""Milliseconds between two looks at what the kernel reported; a batch comes after one quiet step."""
REST = 0.09
"""Seconds between two such looks, beside the step, while nobody needs to know at once: a tenth of the wakes."""
DEBOUNCE_MS = 50
"""Milliseconds after which a batch is handed on although more events keep coming."""

FolderIdentity = tuple[int, int]
"""Device and inode: what a watch really hangs on, whatever the path names later."""

_CAME_OR_WENT = frozenset({1, 3})
_MAX_LOOKS = 1_000
_REBUILDS = 4
_VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP})
_OS_ERROR = re.compile(r"\(os error (\d+)\) about \[")


@dataclass(frozen=True, slots=True)
class OpenedWatch:
    """What a native watcher really watches: folder → identity when it was opened. ``silent``: see mounts.py."""

    watched: dict[str, FolderIdentity]
    silent: dict[str, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class WatchBatch:
    """Events that came together.

    ``paths``: everything that may have changed. ``replaced``: those that came or went, so that a watch on that very
    path may hang on something else now. ``folders``: those of the replaced that are folders now.
    """

    paths: frozenset[str]
    replaced: frozenset[str]
    folders: frozenset[str]


class NativeWatchEvents(Protocol):
    """Receives what a native watcher has to tell, on the loop; nothing after ``NativeWatch.stop``."""

    def native_batch(self, watch: NativeWatch, batch: WatchBatch) -> None: ...

    def native_failed(self, watch: NativeWatch, error: BaseException) -> None: ...


class NativeWatch:
    """Watches ``folders``, each for its direct children, until ``stop``. Make it on the loop.

    ``opened`` is a future: an OpenedWatch, or the exception that made it impossible. A folder that is missing, is no
    folder, may not be read or whose name is not UTF-8 is left out, and so is absent from ``OpenedWatch.watched``.
    ``closely``: see ``FolderWatch.look_closely``.
    """

    def __init__(
        self, folders: Iterable[str], keep: Callable[[str], bool], events: NativeWatchEvents, *, closely: bool = True
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._folders = sorted(folders)
        self._keep = keep
        self._events = events
        self._stop = threading.Event()
        self._accepted = threading.Event()
        self._looks = _Looks(self._stop)
        self.look_closely(closely)
        self.opened: asyncio.Future[OpenedWatch] = self._loop.create_future()
        self._ended = asyncio.Event()
        self._ended_callback: Callable[[NativeWatch], None] | None = None
        self._thread = threading.Thread(target=self._run, name="skills-watch", daemon=True)
        _live.add(self)
        self._thread.start()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def accept(self) -> None:
        """Lets events be told. The owner calls it once it knows this watcher; until then they are kept."""
        self._accepted.set()

    def look_closely(self, closely: bool) -> None:
        """Whether the thread rests between its looks from now on; a rest that is under way ends at once."""
        if not self.stopped:
            (self._looks.hurry.set if closely else self._looks.hurry.clear)()

    def stop(self) -> None:
        """Asks the thread to end, which takes it one step; nothing is told any more."""
        self._stop.set()
        self._looks.hurry.set()
        self._accepted.set()

    def on_ended(self, callback: Callable[[NativeWatch], None]) -> None:
        """Calls ``callback`` on the loop once the thread has closed the native object."""
        self._ended_callback = callback

    async def ended(self) -> None:
        """Waits until the thread has closed the native object and is gone."""
        await self._ended.wait()
        # All that the thread still has to do is to return.
        self._thread.join(0.1)

    def stop_and_join(self, timeout: float) -> None:
        """The same from outside the loop, for the end of the process; waits ``timeout`` seconds at most."""
        self.stop()
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            self._watch()
        except BaseException as error:
            self._tell(self._on_failed, error)
        finally:
            _live.discard(self)
            self._tell(self._on_ended)

    def _watch(self) -> None:
        from watchfiles._rust_notify import RustNotify

        started = time.perf_counter()
        notify, watched = _open(RustNotify, self._folders, self._stop)
        if notify is None:
            return
        try:
            silent = silent_folders(watched, read_mounts())
            self._tell(self._on_opened, OpenedWatch(watched, silent, time.perf_counter() - started))
            self._accepted.wait()
            while True:
                # No timeout: an event that lands between the library's last look and its timeout would be dropped.
                raw = notify.watch(DEBOUNCE_MS, STEP_MS, 0, self._looks)
                if raw == "stop":
                    return
                if not isinstance(raw, str):
                    batch = read_batch(raw, self._keep)
                    if batch is not None:
                        self._tell(self._on_batch, batch)
        finally:
            notify.close()

    def _tell(self, callback: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            # The loop has closed: nobody is left to be told.
            self.stop()

    def _on_opened(self, opened: OpenedWatch) -> None:
        if not self.opened.done():
            self.opened.set_result(opened)

    def _on_batch(self, batch: WatchBatch) -> None:
        if not self._stop.is_set():
            self._events.native_batch(self, batch)

    def _on_failed(self, error: BaseException) -> None:
        if not self.opened.done():
            self.opened.set_exception(error)
        elif not self._stop.is_set():
            self._events.native_failed(self, error)

    def _on_ended(self) -> None:
        self._ended.set()
        if self._ended_callback is not None:
            self._ended_callback(self)


class _Looks:
    """What the library asks in each step whether to stop; the thread rests here, with the interpreter's lock released.

    Ending a call of the library, to begin one with another step, would drop the events that it holds.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self.hurry = threading.Event()

    def is_set(self) -> bool:
        if not self.hurry.is_set():
            self.hurry.wait(REST)
        return self._stop.is_set()


class _RustNotify(Protocol):
    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: _Looks
    ) -> set[tuple[int, str]] | str: ...

    def close(self) -> None: ...


class _MakeRustNotify(Protocol):
    def __call__(
        self,
        watch_paths: list[str],
        debug: bool,
        force_polling: bool,
        poll_delay_ms: int,
        recursive: bool,
        ignore_permission_denied: bool,
    ) -> _RustNotify: ...


def _open(
    make: _MakeRustNotify, folders: list[str], stop: threading.Event
) -> tuple[_RustNotify | None, dict[str, FolderIdentity]]:
    """Opens the native object over those of ``folders`` that can be watched. None when stopped meanwhile."""
    for attempt in range(_REBUILDS):
        watchable = {folder: identity for folder in folders if (identity := watchable_identity(folder)) is not None}
        if stop.is_set():
            return None, {}
        try:
            notify = make(list(watchable), False, False, 300, False, False)
        except OSError as error:
            # One folder that went away in between fails the whole call: look again.
            found = _OS_ERROR.search(str(error))
            if attempt + 1 < _REBUILDS and found is not None and int(found[1]) in _VANISHED:
                continue
            raise
        if "PollWatcher" in repr(notify):
            notify.close()
            raise NoNativeWatcherError
        return notify, watchable
    raise AssertionError("unreachable")


def folder_identity(path: str) -> FolderIdentity | None:
    """Device and inode of the folder at ``path``; None when there is none."""
    try:
        # os.DirEntry and pathlib are no help here: one stat tells the kind and the identity.
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return (facts.st_dev, facts.st_ino) if (facts.st_mode & 0o170000) == 0o040000 else None


def watchable_identity(path: str) -> FolderIdentity | None:
    """Identity of a folder that can be watched natively; None when it cannot."""
    identity = folder_identity(path)
    if identity is None or not os.access(path, os.R_OK):
        return None
    try:
        path.encode()
    except UnicodeEncodeError:
        return None
    return identity


def read_batch(raw: set[tuple[int, str]], keep: Callable[[str], bool]) -> WatchBatch | None:
    """Events as the library gives them → a batch; None when nothing in it is to be kept.

    The kinds are unordered and merged: ``added`` and ``deleted`` of one path may both be there, a save by rename is an
    ``added``. They only say that something came or went.
    """
    paths: set[str] = set()
    replaced: set[str] = set()
    for kind, path in raw:
        if keep(path):
            paths.add(path)
            if kind in _CAME_OR_WENT:
                replaced.add(path)
    if not paths:
        return None
    # In a burst the surplus is taken for folders unseen: looking again at a path that is none costs little.
    folders = {path for index, path in enumerate(replaced) if index >= _MAX_LOOKS or os.path.isdir(path)}
    return WatchBatch(frozenset(paths), frozenset(replaced), frozenset(folders))


_live: weakref.WeakSet[NativeWatch] = weakref.WeakSet()


def _stop_live() -> None:
    # A thread that is inside native code when the interpreter ends aborts the process.
    live = list(_live)
    for watch in live:
        watch.stop()
    for watch in live:
        watch.stop_and_join(0.5)


atexit.register(_stop_live)
