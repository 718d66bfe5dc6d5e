from __future__ import annotations

import asyncio

from skills_core.registry import SkillRegistry
from skills_core.skill import RuntimeSkill

from .support import add

DEADLINE = 5.0


async def test_each_mutation_notifies_once():
    registry = SkillRegistry()
    changes: list[int] = []
    unsubscribe = registry.subscribe(lambda: changes.append(registry.revision))
    provider = add(registry, "memory", "one")
    assert len(changes) == 1
    provider.control.invalidate()
    assert len(changes) == 2
    handle = registry.register(RuntimeSkill(name="runtime-skill", description="Text.", content=""))
    assert len(changes) == 3
    handle.close()
    assert len(changes) == 4
    provider.registration.close()
    assert len(changes) == 5
    provider.control.invalidate()
    assert len(changes) == 5 and changes == sorted(set(changes))
    unsubscribe()
    unsubscribe()
    add(registry, "other")
    assert len(changes) == 5


async def test_a_failing_subscriber_harms_no_other(caplog):
    registry = SkillRegistry()
    heard = asyncio.Event()

    def raising() -> None:
        raise RuntimeError("subscriber raised")

    async def failing() -> None:
        raise RuntimeError("subscriber failed")

    async def hearing() -> None:
        heard.set()

    for subscriber in (raising, failing, hearing):
        registry.subscribe(subscriber)
    add(registry, "memory")
    await asyncio.wait_for(heard.wait(), DEADLINE)
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "skills/change subscriber raised: subscriber raised",
        "skills/change subscriber failed: subscriber failed",
    ]


async def test_a_change_is_in_place_before_the_first_subscriber_hears_of_it():
    registry = SkillRegistry()
    provider = add(registry, "memory", "one")
    await registry.snapshot()
    seen: list[list[str]] = []
    done = asyncio.Event()

    async def refetch() -> None:
        seen.append([skill.name for skill in (await registry.snapshot()).skills])
        done.set()

    registry.subscribe(refetch)
    provider.candidates = []
    provider.control.invalidate()
    await asyncio.wait_for(done.wait(), DEADLINE)
    assert seen == [[]]


async def test_closing_ends_a_subscriber_that_still_runs():
    registry = SkillRegistry()
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    registry.subscribe(slow)
    add(registry, "memory")
    await asyncio.wait_for(started.wait(), DEADLINE)
    await registry.aclose()
    assert ended.is_set()
