"""Says again, a moment later, that a folder appeared.

A folder that is made and filled at once is reported without its files: the kernel's watch on it does not exist yet.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

ECHO_DELAYS = (0.025, 0.1)
"""Seconds after a folder appeared at which it is looked at again."""

_JOIN = 0.01
"""Seconds that an echo may come late, to be one with those that follow it."""


class FolderEchoes:
    """Timers on the loop; one callback for all the folders whose moment has come."""

    def __init__(self, loop: asyncio.AbstractEventLoop, echo: Callable[[frozenset[str]], None]) -> None:
        self._loop = loop
        self._echo = echo
        self._lanes = tuple(_Lane(delay) for delay in ECHO_DELAYS)

    def add(self, folders: frozenset[str]) -> None:
        now = self._loop.time()
        for lane in self._lanes:
            lane.due.append((now + lane.delay, folders))
            if lane.timer is None:
                lane.timer = self._loop.call_at(now + lane.delay, self._fire, lane)

    def close(self) -> None:
        for lane in self._lanes:
            lane.due.clear()
            if lane.timer is not None:
                lane.timer.cancel()
                lane.timer = None

    def _fire(self, lane: _Lane) -> None:
        lane.timer = None
        now = self._loop.time()
        folders: set[str] = set()
        while lane.due and lane.due[0][0] <= now:
            folders |= lane.due.popleft()[1]
        if lane.due:
            lane.timer = self._loop.call_at(lane.due[0][0] + _JOIN, self._fire, lane)
        if folders:
            self._echo(frozenset(folders))


class _Lane:
    __slots__ = ("delay", "due", "timer")

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.due: deque[tuple[float, frozenset[str]]] = deque()
        self.timer: asyncio.TimerHandle | None = None
