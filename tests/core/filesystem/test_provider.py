"""The provider: listing, comparing with the disk, looking again, its projects and roots, closing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from skills_core.filesystem import ProviderClosedError
from skills_core.filesystem import provider as provider_module
from skills_core.filesystem.observing import Observer
from skills_core.registry import Lookup
from skills_core.registry.provider import RevalidatingProvider
from skills_core.skill import DirectoryBase
from tests.core.filesystem.support import (
    DEADLINE,
    Control,
    World,
    make_provider,
    names,
    skill_text,
    until,
    write_skill,
)

NO_PROJECT = Lookup()


async def test_it_lists_and_loads(world: World):
    path = write_skill(world.project_agents, "tidy", body="Tidy up.\r\n\r\nThen rest.")
    provider = make_provider(world)
    assert isinstance(provider, RevalidatingProvider) and provider.name == "filesystem"
    listing = await provider.list(world.lookup)
    (candidate,) = listing.candidates
    assert listing.complete and (candidate.name, candidate.provider) == ("tidy", "filesystem")
    definition = await provider.get(candidate, world.lookup)
    assert definition is not None
    assert (definition.name, definition.path, definition.real_path) == ("tidy", str(path), str(path))
    assert definition.content == path.read_bytes().split(b"---\n\n")[1].decode().strip()
    assert definition.resource_base == DirectoryBase(str(path.parent))
    assert (definition.source, definition.rank, definition.project_root) == (
        "project-agents",
        200,
        str(world.project),
    )
    await provider.aclose()


async def test_revalidate_tells_differences_from_what_was_listed(world: World):
    path = write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control)
    assert await provider.revalidate(world.lookup), "nothing was listed yet"
    await provider.list(world.lookup)
    assert not await provider.revalidate(world.lookup)
    path.write_text(skill_text("tidy", body="Only the body changed."))
    assert not await provider.revalidate(world.lookup)
    path.write_text(skill_text("tidy", "Changed."))
    assert await provider.revalidate(world.lookup)
    assert await provider.revalidate(world.lookup), "it was told, but not listed yet"
    (candidate,) = (await provider.list(world.lookup)).candidates
    assert candidate.description == "Changed."
    assert not await provider.revalidate(world.lookup)
    assert control.invalidations == 0
    await provider.aclose()


async def test_a_listing_that_differs_from_an_earlier_one_invalidates_other_views(world: World):
    write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control)
    await provider.list(world.lookup)
    await provider.list(world.lookup)
    assert control.invalidations == 0
    write_skill(world.project_agents, "new")
    assert names(await provider.list(world.lookup)) == ["new", "tidy"]
    assert control.invalidations == 1
    await provider.list(world.lookup)
    assert control.invalidations == 1
    await provider.aclose()


async def test_lookups_at_the_same_time_share_a_sweep_but_never_one_that_began_earlier(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    write_skill(world.project_agents, "tidy")
    provider = make_provider(world)
    await provider.list(world.lookup)
    observe = Observer.observe
    count = 0
    entered, release = threading.Event(), threading.Event()

    def slowly(self: Observer, cwd: str | None, removed: frozenset[str] = frozenset()) -> object:
        nonlocal count
        count += 1
        seen = observe(self, cwd, removed)
        if count == 1:
            entered.set()
            release.wait(DEADLINE)
        return seen

    monkeypatch.setattr(Observer, "observe", slowly)
    first = asyncio.create_task(provider.revalidate(world.lookup))
    assert await asyncio.to_thread(entered.wait, DEADLINE)
    write_skill(world.project_agents, "later")
    others = [asyncio.create_task(provider.revalidate(world.lookup)) for _ in range(5)]
    await asyncio.sleep(0)
    release.set()
    assert await first is False
    assert await asyncio.gather(*others) == [True] * 5
    assert count == 2
    await provider.aclose()


async def test_what_is_in_flight_is_looked_at_again_and_announced(world: World):
    path = write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control, watch_stability_threshold_ms=50)
    await provider.list(world.lookup)
    path.unlink()
    path.parent.rmdir()
    listing = await provider.list(world.lookup)
    assert not listing.complete
    assert control.invalidations == 1, "another view may hold the complete one"
    await control.invalidated()
    await control.invalidated()
    listing = await provider.list(world.lookup)
    assert listing.complete and names(listing) == []
    assert control.invalidations == 2
    await provider.aclose()


async def test_a_wait_that_ends_as_it_began_is_not_announced(world: World):
    path = write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control, watch_stability_threshold_ms=50)
    text = path.read_text()
    await provider.list(world.lookup)
    path.write_text("")
    assert await provider.revalidate(world.lookup)
    path.write_text(text)
    project = provider._projects.of_cwd(str(world.project))
    assert project is not None
    await until("the end of the wait", lambda: project.latest is not None and project.latest.due is None)
    await asyncio.sleep(0)
    assert control.invalidations == 0
    assert not await provider.revalidate(world.lookup)
    await provider.aclose()


async def test_the_loop_is_not_blocked_while_three_thousand_skills_are_read(world: World):
    for number in range(3000):
        write_skill(world.project_agents, f"skill-{number}")
    provider = make_provider(world)
    longest, last, done = 0.0, time.perf_counter(), False

    async def watch_the_loop() -> None:
        nonlocal longest, last
        while not done:
            await asyncio.sleep(0)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    watching = asyncio.create_task(watch_the_loop())
    listing = await provider.list(world.lookup)
    done = True
    await watching
    assert listing.complete and len(listing.candidates) == 3000
    assert longest < 0.5, f"the loop stood still for {longest:.3f} s"
    await provider.aclose()


async def test_the_loops_thread_never_reads_the_disk(world: World, monkeypatch: pytest.MonkeyPatch):
    write_skill(world.project_agents, "first")
    threads: set[int] = set()
    seen: set[str] = set()

    def noted(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            seen.add(name)
            threads.add(threading.get_ident())
            return work(*arguments, **named)

        return call

    monkeypatch.setattr(Observer, "observe", noted("observe", Observer.observe))
    monkeypatch.setattr(provider_module, "load", noted("load", provider_module.load))
    provider = make_provider(world)
    listing = await provider.list(world.lookup)
    assert await provider.get(listing.candidates[0], world.lookup) is not None
    await provider.revalidate(world.lookup)
    await provider.report_change(listing.candidates[0].path or "")
    await provider.aclose()
    assert seen == {"observe", "load"}
    assert threading.get_ident() not in threads


# Projects.


async def test_projects_beyond_the_limit_are_released_and_that_invalidates(world: World):
    other = world.base / "other"
    (other / ".git").mkdir(parents=True)
    write_skill(world.project_agents, "first")
    write_skill(other / ".agents" / "skills", "second")
    control = Control()
    provider = make_provider(world, control, watch_max_projects=1)
    assert names(await provider.list(world.lookup)) == ["first"]
    assert control.invalidations == 0
    assert names(await provider.list(Lookup(cwd=str(other)))) == ["second"]
    assert control.invalidations == 1
    assert provider._projects.roots() == [str(other)]
    known = provider._observer.trees_of
    await until("the release", lambda: not any(tree.confined for tree in known(str(world.project))))
    write_skill(world.project_agents, "first", description="Rewritten.")
    (candidate,) = (await provider.list(world.lookup)).candidates
    assert candidate.description == "Rewritten."
    await provider.list(NO_PROJECT)
    assert provider._projects.roots() == [str(world.project), None], "no project is none too many"
    await provider.aclose()


async def test_folders_of_one_project_share_what_is_known(world: World):
    write_skill(world.project_agents, "tidy")
    (world.project / "src").mkdir()
    provider = make_provider(world)
    one = await provider.list(world.lookup)
    two = await provider.list(Lookup(cwd=str(world.project / "src")))
    assert two.candidates[0] is one.candidates[0]
    assert len(provider._projects.roots()) == 1
    await provider.aclose()


async def test_a_git_folder_that_appears_above_moves_the_project(world: World):
    above = world.base / "plain"
    (above / "sub").mkdir(parents=True)
    write_skill(above / ".agents" / "skills", "above")
    provider = make_provider(world)
    lookup = Lookup(cwd=str(above / "sub"))
    assert names(await provider.list(lookup)) == []
    (above / ".git").mkdir()
    assert await provider.revalidate(lookup)
    (candidate,) = (await provider.list(lookup)).candidates
    assert (candidate.name, candidate.project_root) == ("above", str(above))
    await provider.aclose()


async def test_the_roots_and_their_states(world: World):
    write_skill(world.project_agents, "tidy")
    world.user_dsh.parent.mkdir()
    world.user_dsh.write_text("a file")
    provider = make_provider(world)
    for _ in range(2):
        found = provider.roots(str(world.project))
        assert [(root.source, root.rank, root.state) for root in found] == [
            ("project-dsh", 100, "missing"),
            ("project-agents", 200, "present"),
            ("user-dsh", 400, "not-a-folder"),
            ("user-agents", 500, "missing"),
        ]
        await provider.list(world.lookup)
    assert [root.source for root in provider.roots(None)] == ["user-dsh", "user-agents"]
    assert provider.watch_status.mode == "off"
    await provider.aclose()


# Closing.


@pytest.mark.parametrize("watch", [False, True])
async def test_closing_stops_every_thread_soon_and_twice_is_fine(watch: bool, world: World):
    before = set(threading.enumerate())
    path = write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control, watch=watch)
    (candidate,) = (await provider.list(world.lookup)).candidates
    await provider.get(candidate, world.lookup)
    began = time.monotonic()
    await provider.aclose()
    await provider.aclose()
    assert time.monotonic() - began < 0.5 + 0.5
    ours = [t for t in set(threading.enumerate()) - before if t.name.startswith("skills-")]
    await until("the threads to end", lambda: not any(thread.is_alive() for thread in ours))
    invalidations = control.invalidations
    path.write_text(skill_text("tidy", "Later."))
    assert not await provider.report_change(str(path))
    assert not await provider.revalidate(world.lookup)
    assert (await provider.list(world.lookup)).candidates[0].description == "Later."
    definition = await provider.get(candidate, world.lookup)
    assert definition is not None and definition.description == "Later."
    assert control.invalidations == invalidations


async def test_closing_the_registration_closes_the_provider(world: World):
    control = Control()
    provider = make_provider(world, control, watch=True)
    await provider.list(world.lookup)
    control.close()
    await provider.aclose()
    assert provider._closed


async def test_a_question_that_waits_while_it_closes_is_answered_with_that(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    provider = make_provider(world)
    entered, release = threading.Event(), threading.Event()
    observe = Observer.observe

    def hang(self: Observer, cwd: str | None, removed: frozenset[str] = frozenset()) -> object:
        entered.set()
        release.wait(DEADLINE)
        return observe(self, cwd, removed)

    monkeypatch.setattr(Observer, "observe", hang)
    first = asyncio.create_task(provider.list(world.lookup))
    assert await asyncio.to_thread(entered.wait, DEADLINE)
    second = asyncio.create_task(provider.list(NO_PROJECT))
    await asyncio.sleep(0)
    await provider.aclose()
    for question in (first, second):
        with pytest.raises(ProviderClosedError):
            await asyncio.wait_for(question, DEADLINE)
    release.set()


def test_a_registration_closed_at_the_end_of_a_loop_leaves_no_thread(world: World):
    write_skill(world.project_agents, "tidy")
    before = set(threading.enumerate())

    async def use() -> None:
        control = Control()
        provider = make_provider(world, control, watch=True)
        await provider.list(world.lookup)
        while not any(thread.name == "skills-watch" for thread in threading.enumerate()):
            await asyncio.sleep(0.005)
        control.close()

    asyncio.run(asyncio.wait_for(use(), DEADLINE))
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("skills-"):
            thread.join(2)
            assert not thread.is_alive(), thread.name
