"""The views of the registry: those that are kept, and those that are on their way and that several lookups await."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from skills_core.registry.discovery import Discovery, Own, View
from skills_core.registry.errors import RegistryClosedError
from skills_core.registry.lookup import Lookup, Scope

ViewKey: TypeAlias = tuple[str | None, tuple[Scope, ...]]
"""What a view is the same for: the working folder, and the scopes from the nearest on."""

ANY_TIME = -1
"""For a lookup that takes a discovery whenever it began."""


@dataclass(slots=True, eq=False)
class _Flight:
    """A discovery that several callers may await. ``began`` orders it among the lookups."""

    task: asyncio.Task[View]
    began: int
    waiters: int = 0


class Views:
    """Keeps at most ``size`` complete views of the present revision, and starts one discovery for all who want it."""

    def __init__(self, discovery: Discovery, own: Own, revision: Callable[[], int], size: int) -> None:
        self._discovery = discovery
        self._own = own
        self._revision = revision
        self._size = size
        self._counter = 0
        self._kept: OrderedDict[ViewKey, View] = OrderedDict()
        self._flights: dict[ViewKey, _Flight] = {}
        self._closed = False

    def moment(self) -> int:
        """A number that is larger than those of all discoveries that began before."""
        self._counter += 1
        return self._counter

    async def get(self, key: ViewKey, lookup: Lookup, since: int = ANY_TIME) -> View:
        """The kept view, or that of a discovery that began after the moment ``since``.

        Raises RegistryClosedError. Cancelling the caller ends a discovery only when nobody else awaits it.
        """
        view = self._kept.get(key)
        if view is not None:
            self._kept.move_to_end(key)
            return view
        flight = self._flights.get(key)
        if flight is None or flight.began < since:
            flight = self._start(key, lookup)
        return await self._join(key, flight)

    def outdated(self) -> None:
        """Forgets the views that are kept: something changed."""
        self._kept.clear()

    def close(self) -> None:
        """Lookups that wait raise RegistryClosedError once their discoveries have been ended."""
        self._closed = True
        self._kept.clear()
        self._flights.clear()

    def _start(self, key: ViewKey, lookup: Lookup) -> _Flight:
        flight = _Flight(self._own(self._discovery.run(key[1], lookup)), self.moment())
        self._flights[key] = flight
        flight.task.add_done_callback(lambda task: self._landed(key, flight))
        return flight

    def _landed(self, key: ViewKey, flight: _Flight) -> None:
        self._forget(key, flight)
        task = flight.task
        if task.cancelled() or task.exception() is not None or self._closed:
            return
        view = task.result()
        if view.snapshot.complete and view.snapshot.revision == self._revision():
            self._kept[key] = view
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    async def _join(self, key: ViewKey, flight: _Flight) -> View:
        flight.waiters += 1
        try:
            await asyncio.wait({flight.task})
        finally:
            flight.waiters -= 1
            if flight.waiters == 0 and not flight.task.done():
                self._forget(key, flight)
                flight.task.cancel()
        if flight.task.cancelled() or self._closed:
            raise RegistryClosedError
        return flight.task.result()

    def _forget(self, key: ViewKey, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
