"""Hints that something in the wanted folders may have changed, whatever the system can and cannot report."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol

from skills_core.filesystem.watching import cadence
from skills_core.filesystem.watching.echoes import FolderEchoes
from skills_core.filesystem.watching.failure import explain_failure, printable, read_limits
from skills_core.filesystem.watching.native import (
    FolderIdentity,
    NativeWatch,
    OpenedWatch,
    WatchBatch,
    folder_identity,
    watchable_identity,
)
from skills_core.filesystem.watching.status import WatchStatus
from skills_core.filesystem.watching.watch_plan import WatchChange
from skills_core.filesystem.watching.watched_folders import OpenWatch, WatchedFolders

_log = logging.getLogger(__name__)

_EVERYTHING: frozenset[str] = frozenset()
_CLOSE_WITHIN = 0.4
_CHECKED_AT_ONCE = 256


class WatchSettings(Protocol):
    """The settings that watching follows."""

    @property
    def watch(self) -> bool: ...

    @property
    def watch_use_polling(self) -> bool: ...

    @property
    def watch_poll_interval_ms(self) -> int: ...


class FolderWatch:
    """Watches the folders it is told to, without what lies below their direct children.

    ``on_hint`` gets the paths that may have changed; the empty set means: look at everything. It comes for each batch
    of events, again 25 and 100 ms after a folder appeared, after each change of the watchers, and from a slow timer
    that covers whatever the system failed to report. ``on_status`` is called when the way of watching changes. Both
    are called on the loop on which ``want`` is called. Nothing is told after ``aclose``.

    One native watcher is enough for up to a few hundred folders; larger sets use a second, small one for what came
    lately. Where native watching is impossible, the timer runs fast instead, and native watching is tried again.
    """

    def __init__(
        self,
        *,
        settings: WatchSettings,
        on_hint: Callable[[frozenset[str]], None],
        on_status: Callable[[WatchStatus], None],
    ) -> None:
        self._settings = settings
        self._on_hint = on_hint
        self._on_status = on_status
        self._native_wanted = settings.watch and not settings.watch_use_polling
        self._status = _first_status(settings)
        self._folders = WatchedFolders()
        self._natives: set[NativeWatch] = set()
        self._closely = True
        self._failures = 0
        self._opened_at = 0.0
        self._not_before = 0.0
        self._failed: WatchStatus | None = None
        self._sweep_costs: deque[float] = deque(maxlen=8)
        self._check_due = False
        self._next_check = 0.0
        self._work = asyncio.Event()
        self._live = asyncio.Event()
        self._live.set()
        self._tending: asyncio.Task[None] | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self._echoes: FolderEchoes | None = None
        self._closing: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def status(self) -> WatchStatus:
        return self._status

    def watches(self, folder: str) -> bool:
        """Whether changes in the real folder ``folder`` are reported by the system now."""
        return any(folder in watch.watched and folder not in watch.silent for watch in self._folders.watches)

    def look_closely(self, closely: bool) -> None:
        """Whether what the kernel reports is looked at every 10 ms or every 100 ms; the first holds at the start.

        Looking closely costs some 0.4 % of a core. Nothing is missed or told in another order the other way.
        """
        self._closely = closely
        for native in self._natives:
            native.look_closely(closely)

    def want(self, folders: frozenset[str]) -> None:
        """Sets which folders to watch: real, absolute paths. Call it on the loop, as often as you like."""
        if self._closed or not self._settings.watch or folders == self._folders.wanted:
            return
        self._folders.want(folders)
        if self._ticking is None:
            self._tick_later()
        if not self._native_wanted:
            self._live.set()
            return
        if self._tending is None:
            loop = asyncio.get_running_loop()
            self._echoes = FolderEchoes(loop, self._hint)
            self._tending = loop.create_task(self._tend(), name="skills-watch")
        elif self._folders.main is not None:
            # What led here is being published now, and the echoes look into a new folder meanwhile.
            soon = asyncio.get_running_loop().time() + cadence.EXTENSION_DELAY
            self._not_before = max(self._not_before, soon)
        self._review()

    async def armed(self, timeout: float) -> bool:
        """Waits until the wanted folders are watched, natively or by the fallback; False after ``timeout`` seconds."""
        if not self._settings.watch:
            return True
        try:
            async with asyncio.timeout(timeout):
                await self._live.wait()
        except TimeoutError:
            return False
        return True

    def sweep_cost(self, seconds: float) -> None:
        """Tells what one look at everything cost, so that the timer's share of a core stays small.

        The least of the latest costs counts: a look that had to read, or to wait for a disk in motion, says little.
        """
        self._sweep_costs.append(seconds)

    async def aclose(self) -> None:
        """Stops every thread, timer and task, within half a second. Closing again is fine."""
        if self._closing is None:
            self._closed = True
            self._closing = asyncio.get_running_loop().create_task(self._close(), name="skills-watch-close")
        await asyncio.shield(self._closing)

    def stop(self) -> None:
        """Begins to close without waiting: every thread, timer and task is asked to end. Call it on the loop."""
        self._closed = True
        self._live.set()
        if self._ticking is not None:
            self._ticking.cancel()
        if self._echoes is not None:
            self._echoes.close()
        for native in self._natives:
            native.stop()
        if self._tending is not None:
            self._tending.cancel()

    async def _close(self) -> None:
        self.stop()
        if self._tending is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._tending
        self._folders = WatchedFolders()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_WITHIN):
                for native in tuple(self._natives):
                    await native.ended()
        self._natives.clear()

    # What the native watchers tell.

    def native_batch(self, watch: NativeWatch, batch: WatchBatch) -> None:
        if self._closed:
            return
        if self._folders.forget_replaced(batch):
            self._review()
        if self._echoes is not None and batch.folders:
            self._echoes.add(batch.folders)
        self._hint(batch.paths)

    def native_failed(self, watch: NativeWatch, error: BaseException) -> None:
        if not self._closed and self._folders.drop(watch):
            self._fall_back(error)

    # Opening and replacing native watchers: one task.

    def _review(self) -> None:
        if self._folders.plan() is None:
            self._live.set()
        else:
            if self._failed is None:
                self._live.clear()
            self._work.set()

    async def _tend(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._work.wait()
            self._work.clear()
            try:
                if self._check_due:
                    self._check_due = False
                    await self._check_identities()
                while self._folders.plan() is not None:
                    await asyncio.sleep(self._not_before - loop.time())
                    change = self._folders.plan()
                    if change is not None:
                        await self._apply(change)
                self._live.set()
            except Exception as error:
                _log.exception("watching failed")
                self._fall_back(error)

    async def _apply(self, change: WatchChange) -> None:
        loop = asyncio.get_running_loop()
        # Watcher instances are scarce, so there are never three: the small one closes first, the main one after its
        # successor is open. What happens in between is found by the look at everything that follows.
        folders = self._folders
        if folders.recent is not None:
            closing, folders.recent = folders.recent.native, None
            closing.stop()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_WITHIN):
                    await closing.ended()
        opened: OpenWatch | None = None
        if change.folders:
            try:
                opened = await self._open(change.folders)
            except Exception as error:
                self._fall_back(error)
                return
        if change.which == "main" and folders.main is not None:
            folders.main.native.stop()
        folders.put(change, opened)
        if opened is not None:
            opened.native.accept()
        self._opened_at = loop.time()
        if self._folders.plan() is None:
            self._failed = None
            self._live.set()
        self._set_status(self._failed or self._healthy_status())
        self._hint(_EVERYTHING)

    async def _open(self, folders: frozenset[str]) -> OpenWatch:
        loop = asyncio.get_running_loop()
        native = NativeWatch(folders, self._folders.keeps, self, closely=self._closely)
        self._natives.add(native)
        native.on_ended(self._natives.discard)
        try:
            opened: OpenedWatch = await native.opened
        except BaseException:
            native.stop()
            raise
        self._not_before = loop.time() + cadence.rebuild_pause(opened.seconds)
        return OpenWatch(native, opened.watched, opened.silent)

    async def _check_identities(self) -> None:
        """Compares some of the watched folders with the disk: the event that one was replaced may be lost."""
        some = self._folders.some_known(_CHECKED_AT_ONCE)
        self._folders.correct(await asyncio.to_thread(_changed_identities, some))

    # Failure, status and the timer.

    def _fall_back(self, error: BaseException) -> None:
        loop = asyncio.get_running_loop()
        steady = self._opened_at and loop.time() - self._opened_at > cadence.STEADY_AFTER
        self._failures = 1 if steady else self._failures + 1
        self._not_before = loop.time() + cadence.retry_delay(self._failures)
        failure = explain_failure(error, len(self._folders.wanted), read_limits())
        _log.warning("native watching failed: %s", failure.reason)
        self._failed = WatchStatus("polling", failure.reason, failure.hint)
        self._set_status(self._failed)
        self._live.set()
        self._work.set()
        self._hint(_EVERYTHING)

    def _healthy_status(self) -> WatchStatus:
        silent = self._folders.silent()
        if not silent:
            return WatchStatus("native")
        path, kind = min(silent.items())
        return WatchStatus(
            "polling",
            f"{printable(path)} lies on a file system ({kind}) that does not report every change",
            f"nothing is needed: it is checked every {self._interval('polling'):.1f} s",
        )

    def _set_status(self, status: WatchStatus) -> None:
        if status == self._status or self._closed:
            return
        self._status = status
        self._tick_later()
        try:
            self._on_status(status)
        except Exception:
            _log.exception("a listener for the watch status failed")

    def _interval(self, mode: str) -> float:
        cost = min(self._sweep_costs, default=0.0)
        if mode == "polling":
            return cadence.polling_interval(cost, self._settings.watch_poll_interval_ms)
        return cadence.safety_interval(cost)

    def _tick_later(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        loop = asyncio.get_running_loop()
        self._ticking = loop.call_later(self._interval(self._status.mode), self._tick)

    def _tick(self) -> None:
        self._tick_later()
        now = asyncio.get_running_loop().time()
        if self._folders.main is not None and now >= self._next_check:
            self._next_check = now + cadence.SAFETY_INTERVAL
            self._check_due = True
            self._work.set()
        self._hint(_EVERYTHING)

    def _hint(self, paths: frozenset[str]) -> None:
        if self._closed:
            return
        try:
            self._on_hint(paths)
        except Exception:
            _log.exception("a listener for changes failed")


def _first_status(settings: WatchSettings) -> WatchStatus:
    if not settings.watch:
        return WatchStatus("off", "watching is switched off", "set watch to true")
    if settings.watch_use_polling:
        return WatchStatus("polling", "watch_use_polling is set", None)
    return WatchStatus("native")


def _changed_identities(known: list[tuple[str, FolderIdentity | None]]) -> dict[str, FolderIdentity | None]:
    """Of watched (with identity) and unwatchable folders (None): those that changed → what is watchable there now."""
    changed: dict[str, FolderIdentity | None] = {}
    for path, identity in known:
        now = folder_identity(path) if identity is not None else watchable_identity(path)
        if now != identity:
            changed[path] = now
    return changed
