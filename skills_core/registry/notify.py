"""``skills/change``: tells subscribers that something changed, and nothing more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import cast

from skills_core.registry.errors import render_error
from skills_core.subscribers import Subscribers

log = logging.getLogger("skills_core.registry")


class ChangeNotifier:
    """Subscribers of ``skills/change``. One that raises, or whose coroutine fails, harms no other."""

    def __init__(self) -> None:
        self._subscribers = Subscribers[[]](log, "skills/change")
        self._running: set[asyncio.Future[object]] = set()

    def subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Adds a function or coroutine function; returns the unsubscribe function, which may be called twice."""
        return self._subscribers.add(callback)

    def notify(self) -> None:
        """Calls each subscriber once, in the order of subscription. Must run on the event loop's thread."""
        for callback in self._subscribers:
            try:
                result = callback()
            except Exception as error:
                log.warning("skills/change subscriber raised: %s", render_error(error))
                continue
            if isinstance(result, Awaitable):
                self._start(cast("Awaitable[object]", result))

    def _start(self, awaitable: Awaitable[object]) -> None:
        future = asyncio.ensure_future(awaitable)
        self._running.add(future)
        future.add_done_callback(self._finished)

    def _finished(self, future: asyncio.Future[object]) -> None:
        self._running.discard(future)
        if not future.cancelled() and (error := future.exception()) is not None:
            log.warning("skills/change subscriber failed: %s", render_error(error))

    async def aclose(self) -> None:
        """Drops the subscribers and ends those of their coroutines that still run."""
        self._subscribers.clear()
        running = tuple(self._running)
        for future in running:
            future.cancel()
        if running:
            await asyncio.wait(running, timeout=0.5)
