"""Waiting for a complete snapshot."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from skills_core.registry.lookup import Lookup
from skills_core.registry.snapshot import SkillSnapshot

if TYPE_CHECKING:
    from skills_core.registry.registry import SkillRegistry

STEP_SETTLE_SECONDS = 0.3
"""How long a step waits for what is in flight: the default ``watch_stability_threshold_ms`` and a margin."""

RETRY_SECONDS = 0.05
"""How long to wait for a change before an incomplete lookup is repeated: a provider that failed does not notify."""


async def settled_snapshot(
    registry: SkillRegistry, lookup: Lookup, timeout: float, only_in_flight: bool = False
) -> SkillSnapshot:
    """Looks until the snapshot is complete, at most ``timeout`` seconds, and returns the newest.

    ``only_in_flight`` waits only while everything that is missing is in flight, and returns at once when a reason
    is of another kind.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    changed = asyncio.Event()
    unsubscribe = registry.subscribe(changed.set)
    try:
        snapshot = await registry.snapshot(lookup)
        while not snapshot.complete:
            left = deadline - loop.time()
            in_flight = all(reason.kind == "in-flight" for reason in snapshot.reasons)
            if left <= 0 or (only_in_flight and not in_flight):
                break
            try:
                async with asyncio.timeout(min(left, timeout if in_flight else RETRY_SECONDS)):
                    await changed.wait()
            except TimeoutError:
                pass
            changed.clear()
            snapshot = await registry.snapshot(replace(lookup, fresh=True))
        return snapshot
    finally:
        unsubscribe()
