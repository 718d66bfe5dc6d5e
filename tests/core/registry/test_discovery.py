from __future__ import annotations

import asyncio

import pytest

from skills_core.registry import Lookup, RegistryClosedError, SkillRegistry
from skills_core.skill import OpaqueBase, RuntimeSkill

from .support import MemoryProvider, add, candidate, definition, names, renamed

DEADLINE = 5.0


async def test_complete_results_are_cached_until_something_changes():
    registry = SkillRegistry(cache_size=1)
    provider = add(registry, "memory", "first-skill")
    assert await names(registry) == ["first-skill"]
    provider.candidates = [candidate("second-skill")]
    assert await names(registry) == ["first-skill"] and provider.listed == 1
    runtime = RuntimeSkill(
        name="runtime-skill",
        description="Runtime.",
        content="runtime body",
        resource_base=OpaqueBase("memory"),
        path="memory://runtime-skill",
        metadata={"owner": "tests"},
    )
    handle = registry.register(runtime)
    assert await names(registry) == ["runtime-skill", "second-skill"]
    loaded = await registry.get("runtime-skill")
    assert loaded is not None
    assert (loaded.content, loaded.path, loaded.metadata) == (
        "runtime body",
        "memory://runtime-skill",
        {"owner": "tests"},
    )
    handle.close()
    assert await names(registry) == ["second-skill"]


async def test_the_least_recently_used_view_is_dropped():
    registry = SkillRegistry(cache_size=2)
    provider = add(registry, "memory", "one")
    a, b, c = Lookup(cwd="/a"), Lookup(cwd="/b"), Lookup(cwd="/c")
    await registry.snapshot(a)
    await registry.snapshot(b)
    await registry.snapshot(a)
    await registry.snapshot(c)
    assert provider.listed == 3
    await registry.snapshot(a)
    assert provider.listed == 3
    await registry.snapshot(b)
    assert provider.listed == 4


async def test_a_failing_provider_is_skipped_and_never_cached(caplog):
    registry = SkillRegistry()
    add(registry, "memory", "second-skill")
    flaky = add(registry, "flaky", "flaky-skill")
    flaky.error = RuntimeError("no answer")
    snapshot = await registry.snapshot()
    assert [s.name for s in snapshot.skills] == ["second-skill"] and not snapshot.complete
    assert snapshot.reasons[0].kind == "failed" and "no answer" in snapshot.reason
    assert 'skill provider "flaky" skipped: no answer' in caplog.text
    await registry.snapshot()
    assert flaky.listed == 2
    flaky.error = None
    assert await names(registry) == ["flaky-skill", "second-skill"]
    await registry.snapshot()
    assert flaky.listed == 3


async def test_an_error_that_cannot_be_rendered_is_contained(caplog):
    class Hostile(Exception):
        def __str__(self) -> str:
            raise ValueError("never")

    registry = SkillRegistry()
    add(registry, "hostile").error = Hostile()
    snapshot = await registry.snapshot()
    assert snapshot.skills == () and not snapshot.complete
    assert 'skill provider "hostile" skipped: [unrenderable error]' in caplog.text


async def test_incomplete_candidates_stay_loadable_and_are_not_cached():
    registry = SkillRegistry()
    provider = add(registry, "memory", "available-skill")
    provider.complete = False
    snapshot = await registry.snapshot()
    assert [s.name for s in snapshot.skills] == ["available-skill"] and not snapshot.complete
    assert (await registry.get("available-skill")) is not None
    await registry.snapshot()
    assert provider.listed == 3


async def test_invalidation_drops_the_cache_and_only_for_the_live_registration():
    registry = SkillRegistry()
    old = add(registry, "memory", "old")
    control = old.control
    assert control is not None
    assert await names(registry) == ["old"]
    old.candidates = [candidate("new")]
    assert await names(registry) == ["old"]
    control.invalidate()
    assert await names(registry) == ["new"]
    old.registration.close()
    replacement = add(registry, "memory", "replacement-skill")
    assert await names(registry) == ["replacement-skill"]
    control.invalidate()
    assert await names(registry) == ["replacement-skill"] and replacement.listed == 1


async def test_invalidating_during_the_registration_does_nothing():
    registry = SkillRegistry()
    changes: list[int] = []
    registry.subscribe(lambda: changes.append(1))

    def early(control):
        control.invalidate()
        return MemoryProvider(control)

    registry.register_provider(early)
    assert changes == [1]


async def test_an_invalidation_in_between_repeats_the_discovery_once():
    registry = SkillRegistry()
    provider = add(registry, "memory", "stale-skill")
    provider.gate = asyncio.Event()
    pending = asyncio.create_task(registry.snapshot())
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    provider.candidates = [candidate("fresh-skill")]
    provider.control.invalidate()
    provider.gate.set()
    snapshot = await asyncio.wait_for(pending, DEADLINE)
    assert [s.name for s in snapshot.skills] == ["fresh-skill"] and snapshot.complete
    assert provider.listed == 2


async def test_repeated_invalidation_is_bounded_and_the_result_incomplete():
    registry = SkillRegistry()
    provider = add(registry, "memory")

    def moving() -> None:
        provider.candidates = [candidate("bounded-skill", description=f"Attempt {provider.listed}")]
        provider.control.invalidate()

    provider.while_listing = moving
    provider.candidates = [candidate("bounded-skill", description="Attempt 0")]
    first = await registry.snapshot()
    assert not first.complete and first.reasons[0].kind == "changing" and provider.listed == 2
    second = await registry.snapshot()
    assert not second.complete and provider.listed == 4
    assert second.skills[0].description == "Attempt 3"


async def test_a_registration_closed_during_a_discovery_is_left_out():
    registry = SkillRegistry()
    provider = add(registry, "memory", "stale-skill")
    provider.gate = asyncio.Event()
    pending = asyncio.create_task(registry.snapshot())
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    provider.registration.close()
    provider.gate.set()
    snapshot = await asyncio.wait_for(pending, DEADLINE)
    assert snapshot.skills == () and snapshot.complete


async def test_a_definition_with_another_name_is_refused_and_invalidates():
    registry = SkillRegistry()
    provider = add(registry, "memory", "old-name")
    provider.load = lambda of: definition(renamed(of, "new-name"))
    changes: list[int] = []
    await registry.snapshot()
    registry.subscribe(lambda: changes.append(1))
    assert await registry.get("old-name") is None
    assert changes == [1]
    provider.candidates = [candidate("new-name")]
    assert await names(registry) == ["new-name"] and provider.listed == 2


async def test_a_candidate_that_has_gone_loads_nothing():
    registry = SkillRegistry()
    add(registry, "memory", "gone").load = lambda of: None
    assert await registry.get("gone") is None


async def test_a_load_failure_reaches_the_caller():
    registry = SkillRegistry()

    def failing(of):
        raise OSError("load failed")

    add(registry, "memory", "broken").load = failing
    with pytest.raises(OSError, match="load failed"):
        await registry.get("broken")


async def test_concurrent_lookups_share_one_discovery():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    provider.gate = asyncio.Event()
    pending = [asyncio.create_task(registry.snapshot()) for _ in range(5)]
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    provider.gate.set()
    snapshots = await asyncio.wait_for(asyncio.gather(*pending), DEADLINE)
    assert provider.listed == 1 and all(snapshot is snapshots[0] for snapshot in snapshots)


async def test_cancelling_one_caller_leaves_the_shared_discovery_alone():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    provider.gate = asyncio.Event()
    first = asyncio.create_task(registry.snapshot())
    second = asyncio.create_task(registry.snapshot())
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(first, DEADLINE)
    provider.gate.set()
    assert (await asyncio.wait_for(second, DEADLINE)).complete
    assert provider.listed == 1


async def test_a_provider_that_ignores_cancellation_cannot_hold_a_caller():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    release = asyncio.Event()
    entered = asyncio.Event()

    async def stubborn(*_) -> list:
        entered.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return []

    listing, provider.list = provider.list, stubborn
    waiting = asyncio.create_task(registry.snapshot())
    await asyncio.wait_for(entered.wait(), DEADLINE)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, DEADLINE)
    provider.list = listing
    assert await asyncio.wait_for(names(registry), DEADLINE) == ["one"]

    entered.clear()
    provider.load = stubborn
    loading = asyncio.create_task(registry.get("one"))
    await asyncio.wait_for(entered.wait(), DEADLINE)
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(loading, DEADLINE)
    release.set()
    await registry.aclose()


async def test_cancelling_before_the_load_begins_never_reaches_the_provider():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    await registry.snapshot()
    loading = asyncio.create_task(registry.get("one"))
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert provider.got == []


async def test_a_provider_that_hangs_counts_as_failed_after_its_time():
    registry = SkillRegistry(provider_timeout=0.05)
    add(registry, "healthy", "fine")
    add(registry, "hanging").gate = asyncio.Event()
    snapshot = await asyncio.wait_for(registry.snapshot(), DEADLINE)
    assert [s.name for s in snapshot.skills] == ["fine"] and not snapshot.complete
    assert "did not answer within 0.05 s" in snapshot.reason


async def test_closing_ends_waiting_lookups_and_providers():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    runtime = registry.register(RuntimeSkill(name="runtime-skill", description="Text.", content=""))
    provider.gate = asyncio.Event()
    waiting = asyncio.create_task(registry.snapshot())
    await asyncio.wait_for(provider.entered.wait(), DEADLINE)
    await registry.aclose()
    await registry.aclose()
    provider.registration.close()
    runtime.close()
    with pytest.raises(RegistryClosedError):
        await asyncio.wait_for(waiting, DEADLINE)
    with pytest.raises(RegistryClosedError):
        await registry.snapshot()
    assert provider.control is not None and provider.control.closed
