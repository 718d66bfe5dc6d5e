"""The screen's own view of the skills: the last complete snapshot, and how far it can be trusted now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from skills_core.access.policy import SkillAccess
from skills_core.problem import SkillProblem
from skills_core.registry.lookup import Lookup
from skills_core.registry.snapshot import SkillSnapshot

STALE_AFTER = 1.0
"""Seconds without a complete answer before the status bar says ``stale``."""

NO_ANSWER = "the skills are still being looked for"

CHANGES_KEPT = 20

CatalogState: TypeAlias = Literal["starting", "live", "polling", "off", "stale"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watching:
    """How changes are noticed: told by the system, by looking again and again, or not at all."""

    state: Literal["live", "polling", "off"] = "live"
    reason: str = ""


WATCHING = Watching()


def local_now() -> datetime:
    """The time on the person's clock."""
    return datetime.now().astimezone()


def _with_change(
    changes: tuple[SkillChange, ...], before: SkillSnapshot, after: SkillSnapshot, time: datetime
) -> tuple[SkillChange, ...]:
    """The changes with one more ahead, unless no skill differs."""
    old, new = before.by_name, after.by_name
    added = tuple(name for name in new if name not in old)
    removed = tuple(name for name in old if name not in new)
    changed = tuple(name for name in new if name in old and new[name] != old[name])
    if not (added or removed or changed):
        return changes
    return (SkillChange(f"{time:%H:%M:%S}", added, removed, changed), *changes)[:CHANGES_KEPT]


class SnapshotSource(Protocol):
    """The part of the registry that the screen reads."""

    async def snapshot(self, lookup: Lookup = ...) -> SkillSnapshot: ...

    def subscribe(self, callback: Callable[[], object]) -> Callable[[], None]: ...


@dataclass(frozen=True, slots=True)
class SkillChange:
    """What a complete snapshot brought; ``time`` is local, to the second. Names in order."""

    time: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkillView:
    """What the screen shows of the skills.

    ``snapshot`` is the last complete one, None before the first. ``number`` grows with each complete snapshot that
    differs from the one before. ``access_number`` grows with each answer of the person that may change what is
    offered. ``reason`` says why the view is stale, or why there is no native watching. ``changes`` are the latest
    ones, newest first.
    """

    snapshot: SkillSnapshot | None = None
    number: int = 0
    access_number: int = 0
    state: CatalogState = "starting"
    reason: str = ""
    changes: tuple[SkillChange, ...] = ()

    @property
    def problems(self) -> tuple[SkillProblem, ...]:
        return self.snapshot.problems if self.snapshot is not None else ()

    @property
    def skill_count(self) -> int:
        return len(self.snapshot.skills) if self.snapshot is not None else 0


class SkillFeed:
    """Keeps the view up to date, off the path of any key press.

    Each change notification leads to a new request; only the result of the newest request counts, and only a complete
    one replaces what is shown. A result that comes after ``aclose`` does nothing.
    """

    def __init__(
        self,
        registry: SnapshotSource,
        access: SkillAccess,
        lookup: Lookup,
        on_view: Callable[[SkillView], None],
        *,
        watching: Callable[[], Watching] = lambda: WATCHING,
        stale_after: float = STALE_AFTER,
        clock: Callable[[], datetime] = local_now,
    ) -> None:
        self.view = SkillView()
        self._registry = registry
        self._access = access
        self._lookup = lookup
        self._on_view = on_view
        self._stale_after = stale_after
        self._clock = clock
        self._newest = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._unsubscribe: list[Callable[[], None]] = []
        self._stale_timer: asyncio.TimerHandle | None = None
        self._incomplete: str | None = None
        self._watching = watching
        self._closed = False

    @property
    def lookup(self) -> Lookup:
        return self._lookup

    def start(self) -> None:
        """Subscribes and asks for the first snapshot. Call it on the loop."""
        self._unsubscribe.append(self._registry.subscribe(self.refetch))
        self._unsubscribe.append(self._access.subscribe(self._access_changed))
        self.refetch()

    def watching_changed(self) -> None:
        """Takes in that the file system is watched in another way now."""
        if self._incomplete is None and self.view.snapshot is not None:
            watching = self._watching()
            self._show(state=watching.state, reason=watching.reason)

    def refetch(self) -> None:
        """Asks for a new snapshot; the result of any request before this one is dropped."""
        self._request(fresh=False)

    async def look_now(self) -> SkillView:
        """Compares with the sources now, and returns the view after that."""
        await self._request(fresh=True)
        return self.view

    async def aclose(self) -> None:
        """Stops listening and ends every request."""
        self._closed = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._unsubscribe.clear()
        self._stop_stale_timer()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _request(self, *, fresh: bool) -> asyncio.Task[None]:
        self._newest += 1
        if self.view.snapshot is not None:
            # A source that hangs gives no answer at all, not even an incomplete one.
            self._start_stale_timer()
        task = asyncio.create_task(self._fetch(self._newest, fresh), name="skill-view-refetch")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _fetch(self, request: int, fresh: bool) -> None:
        lookup = Lookup(cwd=self._lookup.cwd, scope=self._lookup.scope, fresh=fresh)
        try:
            snapshot = await self._registry.snapshot(lookup)
        except Exception as error:
            _log.exception("the skills could not be looked up")
            if request == self._newest and not self._closed:
                self._set_incomplete(str(error) or type(error).__name__)
            return
        if request != self._newest or self._closed:
            return
        if snapshot.complete:
            self._set_complete(snapshot)
        else:
            self._set_incomplete(snapshot.reason)

    def _set_complete(self, snapshot: SkillSnapshot) -> None:
        self._incomplete = None
        self._stop_stale_timer()
        before = self.view.snapshot
        differs = before is None or (snapshot.skills, snapshot.problems, snapshot.shadowed) != (
            before.skills,
            before.problems,
            before.shadowed,
        )
        number = self.view.number + 1 if differs else self.view.number
        watching = self._watching()
        changes = self.view.changes
        if before is not None and differs:
            changes = _with_change(changes, before, snapshot, self._clock())
        self._show(snapshot=snapshot, number=number, state=watching.state, reason=watching.reason, changes=changes)

    def _set_incomplete(self, reason: str) -> None:
        self._incomplete = reason
        if self.view.state == "stale":
            self._show(reason=reason)
        else:
            self._start_stale_timer()

    def _start_stale_timer(self) -> None:
        if self._stale_timer is None and self.view.state != "stale" and not self._closed:
            self._stale_timer = asyncio.get_running_loop().call_later(self._stale_after, self._become_stale)

    def _become_stale(self) -> None:
        self._stale_timer = None
        if not self._closed:
            self._incomplete = self._incomplete or NO_ANSWER
            self._show(state="stale", reason=self._incomplete)

    def _access_changed(self) -> None:
        self._show(access_number=self.view.access_number + 1)

    def _stop_stale_timer(self) -> None:
        if self._stale_timer is not None:
            self._stale_timer.cancel()
            self._stale_timer = None

    def _show(
        self,
        *,
        snapshot: SkillSnapshot | None = None,
        number: int | None = None,
        access_number: int | None = None,
        state: CatalogState | None = None,
        reason: str | None = None,
        changes: tuple[SkillChange, ...] | None = None,
    ) -> None:
        now = self.view
        view = SkillView(
            snapshot=now.snapshot if snapshot is None else snapshot,
            number=now.number if number is None else number,
            access_number=now.access_number if access_number is None else access_number,
            state=now.state if state is None else state,
            reason=now.reason if reason is None else reason,
            changes=now.changes if changes is None else changes,
        )
        if view != now:
            self.view = view
            self._on_view(view)
