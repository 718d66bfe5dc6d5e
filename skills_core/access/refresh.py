"""Follows answers that another process gave: at each step, and every other second in between."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from skills_core.access.store import AccessStore

if TYPE_CHECKING:
    from skills_core.agent.hooks import Batch, StepContext


class AccessRefresh:
    """A pre-step hook that rereads the answers, so that a switch or a trust answer holds from the next step on."""

    def __init__(self, store: AccessStore, *, interval: float = 2.0) -> None:
        self._store = store
        self._interval = interval

    async def refresh(self) -> bool:
        """Rereads now; tells the subscribers and returns True when an answer changed."""
        changed = await asyncio.to_thread(self._store.reload)
        if changed:
            self._store.notify()
        return changed

    async def before_step(self, context: StepContext, batch: Batch) -> Batch:
        await self.refresh()
        return batch

    async def follow(self) -> None:
        """Refreshes every ``interval`` seconds until cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            await self.refresh()
