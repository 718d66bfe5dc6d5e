"""Pure rules: which native watchers the wanted folders need, and what follows a missing root."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Set
from dataclasses import dataclass
from typing import Literal

SMALL_SET = 256
"""Up to so many folders one watcher is simply opened anew: about 14 ms."""


@dataclass(frozen=True, slots=True)
class WatchChange:
    """A watcher to open: the ``main`` one over everything wanted, or the ``recent`` one over what the main lacks."""

    which: Literal["main", "recent"]
    folders: frozenset[str]


def plan_watch(
    wanted: Set[str], main: Collection[str] | None, recent: Collection[str], unwatchable: Set[str]
) -> WatchChange | None:
    """The next watcher to open so that exactly the ``wanted`` folders are watched; None when they are.

    ``main`` and ``recent`` are what the two watchers watch now (``main`` None: not open). ``unwatchable`` are wanted
    folders that were tried and left out. Opening costs the whole process about 55 µs a folder, so in a large set
    only a second, small watcher is opened anew, until it has grown to half the main one. Folders no longer wanted stay
    in a large main watcher, unheard, until they are half of it.
    """
    if main is None:
        return WatchChange("main", frozenset(wanted)) if wanted else None
    main_set, recent_set = frozenset(main), frozenset(recent)
    lacking = wanted - main_set - recent_set - unwatchable
    surplus = len(main_set - wanted)
    outside = wanted - main_set
    if len(wanted) <= SMALL_SET:
        if lacking or surplus or recent_set:
            return WatchChange("main", frozenset(wanted))
        return None
    half = max(SMALL_SET, len(main_set) // 2)
    if surplus > half or len(outside - unwatchable) > half:
        return WatchChange("main", frozenset(wanted))
    if lacking or recent_set - wanted:
        return WatchChange("recent", frozenset(outside))
    return None


def nearest_existing_ancestor(path: str, is_folder: Callable[[str], bool]) -> str:
    """The nearest folder above ``path`` (absolute, normalised) that is there; ``/`` at last.

    A missing root is followed by watching this folder: its next segment comes into being there.
    """
    parent = path
    while True:
        parent = parent.rpartition("/")[0] or "/"
        if parent == "/" or is_folder(parent):
            return parent


def lies_at_or_below(path: str, folders: Collection[str]) -> bool:
    """Whether ``path`` is one of the absolute ``folders`` or lies in one, at any depth."""
    while path not in folders:
        parent = path.rpartition("/")[0]
        if not parent:
            return "/" in folders
        path = parent
    return True


def stale_watches(watched: Iterable[str], replaced: Collection[str]) -> list[str]:
    """Which of the ``watched`` paths may name another folder now that the ``replaced`` paths came or went.

    A folder moved away takes the watches below it along: every path below is stale too.
    """
    return [path for path in watched if lies_at_or_below(path, replaced)]


def with_ancestors(folders: Iterable[str]) -> frozenset[str]:
    """The absolute ``folders`` and everything above them."""
    found: set[str] = set()
    for folder in folders:
        path = folder
        while path and path not in found:
            found.add(path)
            path = path.rpartition("/")[0]
    found.add("/")
    return frozenset(found)
