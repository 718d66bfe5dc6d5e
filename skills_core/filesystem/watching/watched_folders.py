"""What is wanted, what the native watchers really watch, and what therefore is to be opened. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skills_core.filesystem.watching.native import FolderIdentity, NativeWatch, WatchBatch
from skills_core.filesystem.watching.watch_plan import (
    WatchChange,
    plan_watch,
    stale_watches,
    with_ancestors,
)


@dataclass(slots=True)
class OpenWatch:
    """A native watcher that is open. ``watched`` shrinks when a path comes to name another folder."""

    native: NativeWatch
    watched: dict[str, FolderIdentity]
    silent: dict[str, str]


@dataclass(slots=True)
class WatchedFolders:
    """The state of a FolderWatch.

    ``main`` and ``recent``: see watch_plan.py. ``unwatchable``: wanted folders that are missing or refuse a watch.
    """

    wanted: frozenset[str] = frozenset()
    main: OpenWatch | None = None
    recent: OpenWatch | None = None
    unwatchable: set[str] = field(default_factory=set[str])
    _on_path: frozenset[str] = frozenset()
    _checked: int = 0

    @property
    def watches(self) -> list[OpenWatch]:
        return [watch for watch in (self.main, self.recent) if watch is not None]

    def want(self, folders: frozenset[str]) -> None:
        self.wanted = folders
        self.unwatchable &= folders

    def keeps(self, path: str) -> bool:
        """Whether an event on ``path`` is about a wanted folder or a direct child of one. Any thread may ask."""
        wanted = self.wanted
        return path in wanted or (path.rpartition("/")[0] or "/") in wanted

    def plan(self) -> WatchChange | None:
        main = None if self.main is None else self.main.watched
        recent = () if self.recent is None else self.recent.watched
        return plan_watch(self.wanted, main, recent, self.unwatchable)

    def put(self, change: WatchChange, opened: OpenWatch | None) -> None:
        """Enters what was opened for ``change``."""
        if change.which == "recent":
            self.recent = opened
        else:
            self.main = opened
        watched = {path for watch in self.watches for path in watch.watched}
        self._on_path = with_ancestors(watched)
        self.unwatchable = set((self.wanted & change.folders) - watched)

    def drop(self, native: NativeWatch) -> bool:
        """Forgets a watcher that failed; False when it is not one of these."""
        if self.main is not None and self.main.native is native:
            self.main = None
        elif self.recent is not None and self.recent.native is native:
            self.recent = None
        else:
            return False
        return True

    def forget_replaced(self, batch: WatchBatch) -> bool:
        """Takes account of folders that came, went or were replaced; True when something changed.

        A watch hangs on the folder that it was opened on, not on the name.
        """
        touched = stale_watches(self.unwatchable, batch.paths)
        replaced = self._on_path & batch.replaced
        if not touched and not replaced:
            return False
        self.unwatchable.difference_update(touched)
        for watch in self.watches:
            for path in stale_watches(watch.watched, replaced):
                del watch.watched[path]
        self.unwatchable.update(stale_watches(self.wanted, replaced - batch.folders))
        return True

    def some_known(self, count: int) -> list[tuple[str, FolderIdentity | None]]:
        """The next ``count`` watched folders with their identities, and unwatchable ones with None, in turn."""
        known: list[tuple[str, FolderIdentity | None]] = []
        for watch in self.watches:
            known.extend(watch.watched.items())
        known.extend((path, None) for path in self.unwatchable)
        if self._checked >= len(known):
            self._checked = 0
        some = known[self._checked : self._checked + count]
        self._checked += len(some)
        return some

    def correct(self, identities: Mapping[str, FolderIdentity | None]) -> None:
        """Takes account of folders that were found to be others than known, or none (None)."""
        for path, identity in identities.items():
            for watch in self.watches:
                watch.watched.pop(path, None)
            if identity is None and path in self.wanted:
                self.unwatchable.add(path)
            else:
                self.unwatchable.discard(path)

    def silent(self) -> dict[str, str]:
        """Wanted folders on a file system that does not report every change → its type."""
        return {path: kind for watch in self.watches for path, kind in watch.silent.items() if path in self.wanted}
