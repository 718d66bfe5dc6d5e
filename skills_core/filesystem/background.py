"""The task that looks again: after hints, and when the wait for something unsettled is over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable

from skills_core.filesystem.projects import Project
from skills_core.filesystem.signature import Clock

_log = logging.getLogger(__name__)

_AFTER_FAILURE = 1.0
_SOONEST = 0.001


class Background:
    """Runs ``reconcile`` for projects that were hinted at, and with no project in particular at a set time.

    Hints that come while it runs are gathered into one further run. Everything happens on one loop.
    """

    def __init__(self, reconcile: Callable[[list[Project]], Awaitable[None]], clock: Clock) -> None:
        self._reconcile = reconcile
        self._clock = clock
        self._pending: dict[int, Project] = {}
        self._due = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def look_at(self, projects: Iterable[Project]) -> None:
        """Asks for another look at these projects, soon."""
        for project in projects:
            self._pending[id(project)] = project
        if self._pending:
            self._start()

    def wake_at(self, at: float | None) -> None:
        """Sets the monotonic time of the next look at whatever is due; None for no such look."""
        if at == self._timer_at or self._closed:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._timer_at = at
        if at is not None:
            delay = max(at - self._clock.monotonic(), 0.0) + _SOONEST
            self._timer = asyncio.get_running_loop().call_later(delay, self._fire)

    def stop(self) -> None:
        """Asks timer and task to end."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    async def aclose(self) -> None:
        """Stops timer and task, and waits for it."""
        self.stop()
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def _fire(self) -> None:
        self._timer = None
        self._timer_at = None
        self._due = True
        self._start()

    def _start(self) -> None:
        if not self._closed and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._run(), name="skills-look-again")

    async def _run(self) -> None:
        while self._pending or self._due:
            projects = list(self._pending.values())
            self._pending.clear()
            due, self._due = self._due, False
            try:
                if projects:
                    await self._reconcile(projects)
                if due:
                    await self._reconcile([])
            except Exception:
                if self._closed:
                    return
                _log.exception("looking at the skill folders again failed")
                self.wake_at(self._clock.monotonic() + _AFTER_FAILURE)
