"""The provider of skills that lie in folders: lists, loads, follows changes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from skills_core.filesystem.background import Background
from skills_core.filesystem.disk_thread import DiskThread, Job
from skills_core.filesystem.loading import SkillReadError, load
from skills_core.filesystem.observing import Observation, Observer
from skills_core.filesystem.outcome import Locator
from skills_core.filesystem.projects import Project, Projects
from skills_core.filesystem.relevance import entries_at
from skills_core.filesystem.root_states import root_statuses
from skills_core.filesystem.roots import RootStatus
from skills_core.filesystem.settings import FilesystemSettings
from skills_core.filesystem.signature import SYSTEM_CLOCK, Clock
from skills_core.filesystem.watching.status import WatchStatus
from skills_core.registry.lookup import Lookup
from skills_core.registry.provider import IncompleteReason, ProviderControl, ProviderListing
from skills_core.skill import SkillCandidate, SkillDefinition
from skills_core.subscribers import Subscribers

if TYPE_CHECKING:
    from skills_core.filesystem.watching.folder_watch import FolderWatch

T = TypeVar("T")

_log = logging.getLogger(__name__)

_REUSED_FOR = 0.025
_WATCH_OFF = WatchStatus("off", "watching is switched off", "set watch to true")


class ProviderClosedError(RuntimeError):
    """The provider was closed while it was asked."""

    def __init__(self, name: str) -> None:
        self.message = f"skill provider {name} was closed"
        self.hint = "Ask again with a provider that is open."
        super().__init__(self.message)


class FilesystemProvider:
    """Lists the skills in a project's, the user's and other folders, and says when they change.

    All disk work runs in threads of its own. Create it on the event loop, or use it on one only. ``aclose`` ends it;
    after that ``list`` still answers, but nothing is watched.
    """

    def __init__(self, control: ProviderControl, settings: FilesystemSettings, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self.settings = settings
        self._control = control
        self._clock = clock
        self._observer = Observer(settings, clock)
        self._projects = Projects(settings.watch_max_projects)
        self._sweeps = DiskThread(f"skills-sweep-{settings.provider_name}")
        self._loads = DiskThread(f"skills-load-{settings.provider_name}")
        self._flights: dict[str | None, Job[Observation]] = {}
        self._background = Background(self._reconcile, clock)
        self._watch: FolderWatch | None = None
        self._closely = True
        self._watch_failed_at = float("-inf")
        self._status_subscribers = Subscribers[[WatchStatus]](_log, "the watch status")
        self._closed = False
        self._closing: asyncio.Task[None] | None = None
        control.on_close(self._registration_closed)

    @property
    def name(self) -> str:
        return self.settings.provider_name

    async def list(self, lookup: Lookup) -> ProviderListing:
        """What the roots of ``lookup.cwd`` hold now. Incomplete, with the reasons, while that cannot be told yet."""
        if self._closed:
            return (await asyncio.to_thread(Observer(self.settings, self._clock).observe, lookup.cwd)).listing
        observation = self._fresh_enough(lookup.cwd) or await self._observe(lookup.cwd)
        project, listing = self._look_up(lookup.cwd, observation)
        if project.known is not None and listing not in (project.known, project.told):
            # Other views were made of what was listed before.
            self._control.invalidate()
        project.known = listing
        project.told = None
        project.waiting = False
        return listing

    async def revalidate(self, lookup: Lookup) -> bool:
        """Sweeps now; True when something differs from what was listed last."""
        if self._closed:
            return False
        project, listing = self._look_up(lookup.cwd, await self._observe(lookup.cwd))
        if listing == project.known:
            project.waiting = False
            return False
        project.told = listing
        return True

    async def get(self, candidate: SkillCandidate, lookup: Lookup) -> SkillDefinition | None:
        """Reads the skill's file now, whole. None when it is gone or is no longer a skill.

        A file that is just being written or replaced is waited for, at most the stability threshold. Raises
        SkillReadError when the system refuses to read it.
        """
        locator = candidate.locator
        if not isinstance(locator, Locator):
            return None
        wait = self.settings.watch_stability_threshold_ms / 1000
        deadline = asyncio.get_running_loop().time() + wait
        while True:
            loaded = await self._on_disk(self._loads, lambda: load(candidate, locator))
            if isinstance(loaded, SkillReadError):
                raise loaded
            if loaded.definition is not None:
                return loaded.definition
            if not loaded.in_flight or asyncio.get_running_loop().time() >= deadline:
                return None
            await asyncio.sleep(min(0.02, wait / 4))

    async def report_change(self, path: str) -> bool:
        """Takes note that the program itself changed, made or removed ``path``. True when that concerns a skill.

        Then the change is observed and announced when this returns: also a removal, without any wait.
        """
        if self._closed:
            return False
        projects = self._projects.all()
        concerned = await self._on_disk(self._sweeps, lambda: self._concerned(path, projects))
        for project, entries, gone in concerned:
            observation = await self._observe(project.cwd)
            if gone:
                # Seen to be gone twice, and by our own doing: no need to wait whether it comes back.
                observation = await self._observe(project.cwd, entries)
            project.known = observation.listing
        if concerned:
            self._control.invalidate()
        return bool(concerned)

    def roots(self, cwd: str | None) -> tuple[RootStatus, ...]:
        """The roots of a folder's project, by rank, with the state of each."""
        project = self._projects.of_cwd(cwd)
        latest = None if project is None else project.latest
        return root_statuses(self.settings, cwd, latest, self.watch_status.mode if self._watch is not None else "off")

    # Watching.

    @property
    def watch_status(self) -> WatchStatus:
        """How changes are noticed now."""
        return _WATCH_OFF if self._watch is None else self._watch.status

    def watch_closely(self, closely: bool) -> None:
        """Whether changes are announced at once, as at the start, or up to a fifth of a second later, at less cost.

        For a program that knows whether somebody is looking. What ``list``, ``get`` and ``revalidate`` say is the same.
        """
        self._closely = closely
        if self._watch is not None:
            self._watch.look_closely(closely)

    def subscribe_status(self, callback: Callable[[WatchStatus], object]) -> Callable[[], None]:
        """Calls back, on the loop, when the way of watching changes; returns the unsubscribe function."""
        return self._status_subscribers.add(callback)

    async def aclose(self) -> None:
        """Stops watching and ends the threads. Closing again is fine."""
        if self._closing is None:
            self._stop()
            self._closing = asyncio.get_running_loop().create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self._stop()
        await self._background.aclose()
        if self._watch is not None:
            await self._watch.aclose()

    def _registration_closed(self) -> None:
        # Whoever closes the registration may end the loop at once, so that everything must be asked to end now.
        self._stop()
        with contextlib.suppress(RuntimeError):
            loop = asyncio.get_running_loop()
            if self._closing is None:
                self._closing = loop.create_task(self._close())

    def _stop(self) -> None:
        self._closed = True
        self._background.stop()
        self._sweeps.close()
        self._loads.close()
        if self._watch is not None:
            self._watch.stop()

    # Observations.

    async def _observe(self, cwd: str | None, removed: frozenset[str] = frozenset()) -> Observation:
        """An observation that began after this call. Calls that wait for the same one share it."""
        job = self._flights.get(cwd)
        if job is None or job.begun or removed:
            job = self._submit(self._sweeps, lambda: self._observer.observe(cwd, removed))
            if not removed:
                self._flights[cwd] = job
        observation = await self._result(job)
        if self._flights.get(cwd) is job:
            del self._flights[cwd]
        self._projects.observed(cwd, observation)
        self._follow(observation)
        return observation

    def _look_up(self, cwd: str | None, observation: Observation) -> tuple[Project, ProviderListing]:
        project, evicted = self._projects.touch(observation.project_root, cwd)
        self._projects.observed(cwd, observation)
        if evicted:
            kept = self._projects.roots()
            if not self._closed:
                self._submit(self._sweeps, lambda: self._observer.release(kept))
            self._control.invalidate()
        self._follow(observation)
        return project, self._judged(observation)

    def _judged(self, observation: Observation) -> ProviderListing:
        """The listing, incomplete when watching failed after the observation began."""
        listing = observation.listing
        if observation.began >= self._watch_failed_at:
            return listing
        reason = IncompleteReason(self.name, "watching", "watching failed and the folders are being looked at anew")
        return replace(listing, complete=False, reasons=(*listing.reasons, reason))

    def _fresh_enough(self, cwd: str | None) -> Observation | None:
        """An observation made a moment ago that nobody was given yet: the one that led to this question.

        Hints that came since are followed by a look of their own, which announces what differs.
        """
        project = self._projects.of_cwd(cwd)
        if project is None or project.latest is None or not project.waiting:
            return None
        latest = project.latest
        outdated = self._watch_failed_at > latest.began
        return None if outdated or self._clock.monotonic() - latest.ended > _REUSED_FOR else latest

    def _concerned(self, path: str, projects: list[Project]) -> list[tuple[Project, frozenset[str], bool]]:
        found: list[tuple[Project, frozenset[str], bool]] = []
        gone = not os.path.lexists(path)
        for project in projects:
            entries = entries_at(path, self._observer.trees_of(project.root), self.settings.discovery_depth)
            if entries is not None:
                found.append((project, entries, gone))
        return found

    # What follows from an observation: what to watch, and when to look again.

    def _follow(self, observation: Observation) -> None:
        if self._closed:
            return
        if self.settings.watch:
            self._watching().want(
                frozenset[str]().union(*(item.latest.folders for item in self._projects.all() if item.latest))
            )
        dues = [item.latest.due for item in self._projects.all() if item.latest and item.latest.due is not None]
        self._background.wake_at(min(dues, default=None))

    def _watching(self) -> FolderWatch:
        if self._watch is None:
            from skills_core.filesystem.watching import FolderWatch

            self._watch = FolderWatch(settings=self.settings, on_hint=self._hint, on_status=self._watch_changed)
            self._watch.look_closely(self._closely)
        return self._watch

    def _hint(self, paths: frozenset[str]) -> None:
        if self._closed:
            return
        self._background.look_at(self._projects.concerned(paths) if paths else self._projects.all())

    def _watch_changed(self, status: WatchStatus) -> None:
        if self._closed:
            return
        if status.mode == "polling":
            self._watch_failed_at = self._clock.monotonic()
            self._control.invalidate()
            self._background.look_at(self._projects.all())
        self._status_subscribers.tell(status)

    async def _reconcile(self, projects: list[Project]) -> None:
        """Looks at projects again, and announces once when any of them differs from what was handed out."""
        differs = False
        if not projects:
            now = self._clock.monotonic()
            projects = [
                item for item in self._projects.all() if item.latest and item.latest.due and item.latest.due <= now
            ]
        everything = len(projects) == len(self._projects.all())
        cost = 0.0
        for project in projects:
            observation = await self._observe(project.cwd)
            cost += observation.ended - observation.began
            listing = self._judged(observation)
            current = self._projects.of_cwd(project.cwd)
            if current is not None and listing != current.known:
                current.known = listing
                differs = True
            elif current is not None:
                current.waiting = False
        if everything and self._watch is not None:
            self._watch.sweep_cost(cost)
        if differs and not self._closed:
            self._control.invalidate()

    # Threads.

    def _submit(self, thread: DiskThread, work: Callable[[], T]) -> Job[T]:
        if self._closed:
            raise ProviderClosedError(self.name)
        return thread.submit(work)

    async def _on_disk(self, thread: DiskThread, work: Callable[[], T]) -> T:
        if self._closed:
            return await asyncio.to_thread(work)
        return await self._result(self._submit(thread, work))

    async def _result(self, job: Job[T]) -> T:
        try:
            # Shielded: others may wait for the same job, and the thread cannot be stopped in it anyway.
            return await asyncio.shield(job.future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._closed and job.future.cancelled() and (task is None or not task.cancelling()):
                raise ProviderClosedError(self.name) from None
            raise


def filesystem_provider(
    settings: FilesystemSettings | None = None,
) -> Callable[[ProviderControl], FilesystemProvider]:
    """A factory for ``SkillRegistry.register_provider``."""
    chosen = settings or FilesystemSettings()
    return lambda control: FilesystemProvider(control, chosen)
