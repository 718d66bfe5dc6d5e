"""Loading one skill: the file as it is now, waited for while it is being replaced."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest

from tests.core.filesystem.support import (
    DEADLINE,
    World,
    make_provider,
    skill_text,
    write_skill,
)


async def test_a_load_reads_the_file_as_it_is_now(world: World):
    path = write_skill(world.project_agents, "tidy")
    provider = make_provider(world)
    (candidate,) = (await provider.list(world.lookup)).candidates
    path.write_text(skill_text("renamed", "New.", "New body."))
    definition = await provider.get(candidate, world.lookup)
    assert definition is not None and (definition.name, definition.content) == ("renamed", "New body.")
    path.write_text("---\nname: tidy\n---\nno description any more")
    assert await provider.get(candidate, world.lookup) is None
    path.unlink()
    assert await provider.get(candidate, world.lookup) is None
    assert await provider.get(replace(candidate, locator="another provider's"), world.lookup) is None
    await provider.aclose()


async def test_a_load_waits_for_a_file_that_is_just_being_replaced(world: World):
    path = write_skill(world.project_agents, "tidy")
    provider = make_provider(world, watch_stability_threshold_ms=5000)
    (candidate,) = (await provider.list(world.lookup)).candidates
    for interlude in (lambda: path.unlink(), lambda: path.write_text("---\nname: ti")):
        interlude()
        loading = asyncio.create_task(provider.get(candidate, world.lookup))
        await asyncio.sleep(0)
        assert not loading.done()
        path.write_text(skill_text("tidy", body="Whole again."))
        definition = await asyncio.wait_for(loading, DEADLINE)
        assert definition is not None and definition.content == "Whole again."
    await provider.aclose()


async def test_a_load_refuses_a_link_out_of_a_projects_skill(world: World):
    path = write_skill(world.project_agents, "tidy")
    secret = world.base / "secret"
    secret.write_text(skill_text("tidy", body="Secret."))
    provider = make_provider(world, watch_stability_threshold_ms=1)
    (candidate,) = (await provider.list(world.lookup)).candidates
    path.unlink()
    path.symlink_to(secret)
    assert await provider.get(candidate, world.lookup) is None
    await provider.aclose()


async def test_cancelling_a_load_returns_at_once(world: World, monkeypatch: pytest.MonkeyPatch):
    write_skill(world.project_agents, "tidy")
    provider = make_provider(world)
    (candidate,) = (await provider.list(world.lookup)).candidates
    entered, release = threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        entered.set()
        release.wait(DEADLINE)

    monkeypatch.setattr("skills_core.filesystem.provider.load", hang)
    loading = asyncio.create_task(provider.get(candidate, world.lookup))
    assert await asyncio.to_thread(entered.wait, DEADLINE)
    loading.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert time.monotonic() - began < 1
    release.set()
    await provider.aclose()
