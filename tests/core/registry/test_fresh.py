from __future__ import annotations

import asyncio

from skills_core.registry import Lookup, SkillRegistry, settled_snapshot

from .support import MemoryProvider, add, candidate

DEADLINE = 5.0
FRESH = Lookup(fresh=True)


class SourceProvider(MemoryProvider):
    """Holds what it last listed; ``source`` is what a look at the source would find."""

    def __init__(self, control, name="memory", *names: str) -> None:
        super().__init__(control, name, *names)
        self.source = list(self.candidates)
        self.asked = 0
        self.invalidates = False
        self.failing = False
        self.revalidate_gate: asyncio.Event | None = None

    async def revalidate(self, lookup: Lookup) -> bool:
        self.asked += 1
        if self.revalidate_gate is not None:
            await self.revalidate_gate.wait()
        if self.failing:
            raise OSError("disk error")
        if self.source == list(self.candidates):
            return False
        self.candidates = list(self.source)
        if self.invalidates:
            self.control.invalidate()
        return True


def source(registry: SkillRegistry, *names: str) -> SourceProvider:
    provider = registry.register_provider(lambda control: SourceProvider(control, "memory", *names)).provider
    assert isinstance(provider, SourceProvider)
    return provider


async def test_a_fresh_lookup_asks_and_reuses_what_is_unchanged():
    registry = SkillRegistry()
    provider = source(registry, "one")
    first = await registry.snapshot()
    again = await registry.snapshot(FRESH)
    assert again is first and provider.asked == 1 and provider.listed == 1


async def test_a_fresh_lookup_sees_a_change_that_no_event_told_of():
    registry = SkillRegistry()
    provider = source(registry, "one")
    await registry.snapshot()
    changes: list[int] = []
    registry.subscribe(lambda: changes.append(1))
    provider.source = [candidate("two")]
    assert [s.name for s in (await registry.snapshot()).skills] == ["one"]
    fresh = await registry.snapshot(FRESH)
    assert [s.name for s in fresh.skills] == ["two"] and fresh.complete and changes == [1]


async def test_its_own_revalidation_does_not_count_as_an_invalidation():
    registry = SkillRegistry()
    provider = source(registry, "one")
    provider.invalidates = True
    provider.source = [candidate("two")]
    snapshot = await registry.snapshot(FRESH)
    assert snapshot.complete and [s.name for s in snapshot.skills] == ["two"] and provider.listed == 1


async def test_a_fresh_lookup_never_joins_an_older_discovery():
    registry = SkillRegistry()
    provider = source(registry, "one")
    provider.gate = asyncio.Event()
    old = asyncio.create_task(registry.snapshot())
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    provider.entered.clear()
    fresh = asyncio.create_task(registry.snapshot(FRESH))
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    assert provider.listed == 2
    provider.gate.set()
    await asyncio.wait_for(asyncio.gather(old, fresh), DEADLINE)


async def test_a_failed_revalidation_makes_the_snapshot_incomplete():
    registry = SkillRegistry()
    provider = source(registry, "one")
    await registry.snapshot()
    provider.failing = True
    snapshot = await registry.snapshot(FRESH)
    assert not snapshot.complete and "disk error" in snapshot.reason
    assert [s.name for s in snapshot.skills] == ["one"]
    provider.failing = False
    assert (await registry.snapshot(FRESH)).complete


async def test_settling_waits_for_a_change_that_completes_the_view():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    provider.complete = False
    waiting = asyncio.create_task(settled_snapshot(registry, Lookup(), DEADLINE))
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    provider.complete = True
    provider.control.invalidate()
    assert (await asyncio.wait_for(waiting, DEADLINE)).complete


async def test_settling_looks_again_when_a_failed_provider_tells_nothing():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    provider.error = OSError("once")
    waiting = asyncio.create_task(settled_snapshot(registry, Lookup(), DEADLINE))
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    provider.error = None
    assert (await asyncio.wait_for(waiting, DEADLINE)).complete


async def test_settling_gives_up_at_its_time_and_for_other_causes():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    provider.error = OSError("always")
    assert not (await settled_snapshot(registry, Lookup(), 0.05)).complete
    listed = provider.listed
    assert not (await settled_snapshot(registry, Lookup(), DEADLINE, only_in_flight=True)).complete
    assert provider.listed == listed + 1
