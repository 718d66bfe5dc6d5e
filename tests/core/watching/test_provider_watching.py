"""The provider and its watcher together, over real folders: what is watched, what is announced, what survives."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import watchfiles._rust_notify as backend

from skills_core.filesystem import FilesystemProvider, FilesystemSettings, ProviderClosedError, filesystem_provider
from skills_core.filesystem.watching import cadence
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot
from tests.core.watching.support import watch_threads, watching

REAL = backend.RustNotify


@dataclass
class Backend:
    """Stands at the library's seam: notes which folders are opened; fails or waits when told to."""

    opened: list[set[str]] = field(default_factory=list[set[str]])
    closed: int = 0
    fail: Exception | None = None
    gate: threading.Event | None = None
    entered: threading.Event = field(default_factory=threading.Event)

    def __call__(self, paths: list[str], *args: Any) -> Any:
        self.entered.set()
        if self.gate is not None:
            assert self.gate.wait(10)
        if self.fail is not None:
            raise self.fail
        self.opened.append(set(paths))
        return _Closing(self, REAL(paths, *args))

    @property
    def now(self) -> set[str]:
        return self.opened[-1]


class _Closing:
    def __init__(self, owner: Backend, real: Any) -> None:
        self._owner = owner
        self._real = real

    def watch(self, *args: Any) -> Any:
        return self._real.watch(*args)

    def close(self) -> None:
        self._owner.closed += 1
        self._real.close()


@pytest.fixture
def seam(monkeypatch: pytest.MonkeyPatch) -> Backend:
    found = Backend()
    monkeypatch.setattr(backend, "RustNotify", found)
    return found


@dataclass
class World:
    registry: SkillRegistry
    provider: FilesystemProvider
    home: Path
    changes: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        self.changes += 1
        self.news.set()

    async def settled(self) -> SkillSnapshot:
        snapshot = await settled_snapshot(self.registry, Lookup(), 10.0)
        assert snapshot.complete, snapshot.reason
        return snapshot

    async def names(self) -> list[str]:
        return [skill.name for skill in (await self.settled()).skills]

    async def until(self, holds: Callable[[SkillSnapshot], bool], what: str) -> SkillSnapshot:
        """Waits for a complete snapshot, by changes alone, that fulfils ``holds``."""
        snapshot = None
        try:
            async with asyncio.timeout(10):
                while True:
                    self.news.clear()
                    snapshot = await self.registry.snapshot(Lookup())
                    if snapshot.complete and holds(snapshot):
                        return snapshot
                    await self.news.wait()
        except TimeoutError:
            raise AssertionError(f"waited 10 s for {what}; at last: {snapshot}") from None

    async def armed(self) -> None:
        watch = self.provider._watch
        assert watch is not None and await watch.armed(10)

    async def quiet(self, seconds: float = 0.4) -> None:
        """Lets whatever is under way come to its end: nothing may change for so long."""
        while True:
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), seconds)
            except TimeoutError:
                return


@contextlib.asynccontextmanager
async def world(home: Path, **settings: Any) -> AsyncIterator[World]:
    home.mkdir(exist_ok=True)
    chosen = {"dsh_home": str(home / ".dsh"), "agents_home": str(home / ".agents"), **settings}
    registry = SkillRegistry()
    made: list[FilesystemProvider] = []
    factory = filesystem_provider(FilesystemSettings(**chosen))

    def make(control: Any) -> FilesystemProvider:
        provider = factory(control)
        assert isinstance(provider, FilesystemProvider)
        made.append(provider)
        return provider

    registry.register_provider(make)
    found = World(registry, made[0], home)
    registry.subscribe(found.changed)
    try:
        yield found
    finally:
        await made[0].aclose()
        await registry.aclose()


def write_skill(folder: Path, description: str = "words", body: str = "Body.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: {description}\n---\n\n{body}\n")
    return folder / "SKILL.md"


async def test_a_root_behind_a_linked_parent_is_watched_by_its_real_path(tmp_path: Path, seam: Backend):
    real = tmp_path / "real"
    write_skill(real / ".dsh" / "skills" / "one")
    (tmp_path / "home").symlink_to(real)
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"]
        await here.armed()
        assert str(real / ".dsh" / "skills") in seam.now and str(real / ".dsh" / "skills" / "one") in seam.now
        assert not any(folder.startswith(str(tmp_path / "home")) for folder in seam.now)
        write_skill(real / ".dsh" / "skills" / "one", "changed")
        await here.until(lambda snapshot: snapshot.by_name["one"].description == "changed", "the change")


async def test_a_linked_roots_target_is_not_watched_when_links_are_not_followed(tmp_path: Path, seam: Backend):
    target, other = tmp_path / "target", tmp_path / "other"
    write_skill(target / "one")
    write_skill(other / "two")
    link = tmp_path / "links" / "root"
    link.parent.mkdir()
    link.symlink_to(target)
    async with world(
        tmp_path / "home", include_default_roots=False, custom_skill_dirs=(str(link),), watch_follow_symlinks=False
    ) as here:
        assert await here.names() == ["one"]
        await here.armed()
        assert seam.now == {str(link.parent)}
        link.unlink()
        link.symlink_to(other)
        await here.until(lambda snapshot: list(snapshot.by_name) == ["two"], "what the link leads to now")


async def test_missing_roots_are_empty_and_announce_nothing_until_they_come(tmp_path: Path, seam: Backend):
    async with world(tmp_path / "home") as here:
        snapshot = await here.settled()
        assert snapshot.skills == ()
        await here.armed()
        assert seam.now == {str(tmp_path / "home")}
        await here.quiet()
        before = here.changes
        (tmp_path / "home" / "notes.txt").write_text("x")
        (tmp_path / "home" / "elsewhere").mkdir()
        # Longer than the slow timer's second, so that its look at everything is among what must announce nothing.
        await asyncio.sleep(1.5)
        assert here.changes == before and len(seam.opened) == 1
        write_skill(tmp_path / "home" / ".agents" / "skills" / "one")
        await here.until(lambda snapshot: "one" in snapshot.by_name, "the root that came")


async def test_what_was_read_stays_loadable_while_watching_keeps_failing(
    tmp_path: Path, seam: Backend, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cadence, "retry_delay", lambda failures: 0.1)
    seam.fail = OSError('OS file watch limit reached. about ["/x"]')
    write_skill(tmp_path / "home" / ".dsh" / "skills" / "one")
    async with world(tmp_path / "home", watch_poll_interval_ms=20) as here:
        seen: list[SkillSnapshot] = []
        for _ in range(20):
            snapshot = await here.registry.snapshot(Lookup())
            seen.append(snapshot)
            assert "one" in snapshot.by_name
            definition = await here.registry.get("one", Lookup())
            assert definition is not None and definition.content == "Body."
            await asyncio.sleep(0.02)
        assert here.provider.watch_status.mode == "polling"
        assert (await here.settled()).reasons == (), "after a full look the fallback is complete"
        write_skill(tmp_path / "home" / ".dsh" / "skills" / "two")
        await here.until(lambda snapshot: "two" in snapshot.by_name, "a change found by polling")
        seam.fail = None
        async with asyncio.timeout(10):
            while here.provider.watch_status.mode != "native":
                await asyncio.sleep(0.02)
        write_skill(tmp_path / "home" / ".dsh" / "skills" / "three")
        await here.until(lambda snapshot: "three" in snapshot.by_name, "a change after the recovery")


async def test_irrelevant_changes_announce_nothing_and_a_batch_announces_once(tmp_path: Path):
    root = tmp_path / "home" / ".dsh" / "skills"
    skill = write_skill(root / "one")
    write_skill(root / ".system" / "hidden")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"]
        await here.armed()
        await here.quiet()
        before = here.changes
        (root / "notes.txt").write_text("x")
        (tmp_path / "home" / "outside.md").write_text("x")
        (root / "one" / "references.md").write_text("x")
        (root / "one" / "references").mkdir()
        (root / "one" / "references" / "deep.md").write_text("x")
        (root / ".system" / "SKILL.md").write_text("x")
        write_skill(root / ".system" / "another")
        os.utime(skill)
        skill.chmod(0o600)
        skill.write_text(skill.read_text() + "More of the body.\n")
        await here.quiet()
        assert here.changes == before
        write_skill(root / "one", "first")
        write_skill(root / "one", "second")
        await here.until(lambda snapshot: snapshot.by_name["one"].description == "second", "the change")
        await here.quiet()
        assert here.changes == before + 1


async def test_a_failure_while_watching_is_recovered_from_and_late_events_do_nothing(tmp_path: Path):
    root = tmp_path / "home" / ".dsh" / "skills"
    write_skill(root / "one")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"]
        await here.armed()
        statuses: list[str] = []
        here.provider.subscribe_status(lambda status: statuses.append(status.mode))
        before = here.changes
        with open(os.path.join(os.fsencode(root), b"odd-\xff"), "wb"):
            pass
        async with asyncio.timeout(10):
            while statuses != ["polling", "native"]:
                await asyncio.sleep(0.02)
        assert here.changes > before
        assert await here.names() == ["one"]
        write_skill(root / "two")
        await here.until(lambda snapshot: "two" in snapshot.by_name, "a change after the recovery")
        await here.provider.aclose()
        await here.quiet()
        before = here.changes
        write_skill(root / "three")
        async with watching(root) as (_, mark):
            write_skill(root / "four")
            await mark.until(lambda: str(root / "four") in mark.paths, "the hint of an open watcher")
        assert here.changes == before and watch_threads() == []


async def test_a_removed_root_is_followed_from_its_nearest_existing_ancestor(tmp_path: Path, seam: Backend):
    root = tmp_path / "home" / ".dsh" / "skills"
    write_skill(root / "one")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"]
        await here.armed()
        assert str(root) in seam.now
        shutil.rmtree(root)
        await here.until(lambda snapshot: snapshot.skills == (), "the empty catalog")
        await here.armed()
        assert str(root.parent) in seam.now and str(root) not in seam.now
        shutil.rmtree(root.parent)
        await here.quiet()
        await here.armed()
        write_skill(root / "two")
        await here.until(lambda snapshot: "two" in snapshot.by_name, "the root that came again with all above it")


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.1, 0.6])
async def test_a_root_removed_and_made_again_is_observed(tmp_path: Path, pause: float):
    root = tmp_path / "home" / ".dsh" / "skills"
    write_skill(root / "old")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["old"]
        await here.armed()
        shutil.rmtree(root)
        await asyncio.sleep(pause)
        write_skill(root / "recreated")
        await here.until(lambda snapshot: list(snapshot.by_name) == ["recreated"], "the new root's skill")
        write_skill(root / "later")
        await here.until(lambda snapshot: "later" in snapshot.by_name, "a later skill in the new root")


async def test_a_root_exchanged_for_another_is_observed(tmp_path: Path):
    root = tmp_path / "home" / ".dsh" / "skills"
    write_skill(root / "same", "old")
    write_skill(tmp_path / "new" / "same", "new")
    async with world(tmp_path / "home") as here:
        assert (await here.settled()).by_name["same"].description == "old"
        await here.armed()
        root.rename(tmp_path / "away")
        (tmp_path / "new").rename(root)
        await here.until(lambda snapshot: snapshot.by_name["same"].description == "new", "the new root's skill")
        write_skill(root / "same", "edited")
        await here.until(lambda snapshot: snapshot.by_name["same"].description == "edited", "an edit in the new root")


async def test_a_linked_bundles_target_is_followed_and_a_new_target_too(tmp_path: Path):
    root = tmp_path / "home" / ".dsh" / "skills"
    root.mkdir(parents=True)
    for name in ("first", "second"):
        write_skill(tmp_path / name / "linked", name)
    (root / "linked").symlink_to(tmp_path / "first" / "linked")
    async with world(tmp_path / "home") as here:
        assert (await here.settled()).by_name["linked"].description == "first"
        await here.armed()
        write_skill(tmp_path / "first" / "linked", "edited")
        await here.until(lambda snapshot: snapshot.by_name["linked"].description == "edited", "an edit of the target")
        (tmp_path / "swap").symlink_to(tmp_path / "second" / "linked")
        (tmp_path / "swap").replace(root / "linked")
        await here.until(lambda snapshot: snapshot.by_name["linked"].description == "second", "the new target")
        await here.armed()
        write_skill(tmp_path / "second" / "linked", "edited again")
        await here.until(
            lambda snapshot: snapshot.by_name["linked"].description == "edited again", "an edit of the new target"
        )


async def test_closing_while_a_watcher_is_being_opened_settles_everything(tmp_path: Path, seam: Backend):
    seam.gate = threading.Event()
    write_skill(tmp_path / "home" / ".dsh" / "skills" / "one")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"], "a list never waits for the watcher"
        assert await asyncio.to_thread(seam.entered.wait, 5)
        started = time.perf_counter()
        await here.provider.aclose()
        assert time.perf_counter() - started < 0.6
        seam.gate.set()
        async with asyncio.timeout(5):
            while watch_threads():
                await asyncio.sleep(0.01)
        assert seam.closed == len(seam.opened) == 1


async def test_closing_while_a_list_is_pending_lets_it_end(tmp_path: Path, seam: Backend):
    write_skill(tmp_path / "home" / ".dsh" / "skills" / "one")
    async with world(tmp_path / "home") as here:
        pending = asyncio.create_task(here.provider.list(Lookup()))
        await asyncio.sleep(0)
        await here.provider.aclose()
        with contextlib.suppress(ProviderClosedError):
            listing = await asyncio.wait_for(pending, 5)
            assert [candidate.name for candidate in listing.candidates] == ["one"]
        late = await here.provider.list(Lookup())
        assert late.complete and [candidate.name for candidate in late.candidates] == ["one"]
        assert watch_threads() == [] and seam.closed == len(seam.opened)


async def test_a_watcher_that_fails_to_open_during_the_close_is_contained(tmp_path: Path, seam: Backend):
    seam.gate = threading.Event()
    seam.fail = OSError("opening failed during disposal")
    write_skill(tmp_path / "home" / ".dsh" / "skills" / "one")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"]
        assert await asyncio.to_thread(seam.entered.wait, 5)
        closing = asyncio.create_task(here.provider.aclose())
        await asyncio.sleep(0)
        seam.gate.set()
        await asyncio.wait_for(closing, 1)
        assert here.provider.watch_status.mode == "native", "nothing is told after the close"
        assert watch_threads() == []


async def test_what_cannot_matter_leads_to_no_look(tmp_path: Path):
    """A busy folder above a missing root, and a bundle's own files, are not worth a look at everything."""
    root = tmp_path / "home" / ".dsh" / "skills"
    write_skill(root / "one")
    async with world(tmp_path / "home") as here:
        assert await here.names() == ["one"]
        await here.armed()
        await here.quiet()
        looks: list[str] = []
        observe = here.provider._observer.observe
        here.provider._observer.observe = lambda *args: (looks.append("look"), observe(*args))[1]
        begun = time.monotonic()
        for number in range(60):
            (tmp_path / "home" / "busy.log").write_text(str(number))
            (root / "one" / "output.txt").write_text(str(number))
            await asyncio.sleep(0.02)
        assert len(looks) <= 2 + (time.monotonic() - begun), "looks came from the timer alone"
        (root / "one" / "SKILL.md").touch()
        count = len(looks)
        async with asyncio.timeout(0.9):
            while len(looks) == count:
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("dangling", [False, True])
async def test_a_missing_root_behind_a_link_is_found_when_it_comes(tmp_path: Path, dangling: bool):
    (tmp_path / "real").mkdir()
    (tmp_path / "home").mkdir()
    link = tmp_path / "home" / ".agents"
    link.symlink_to(tmp_path / ("nowhere" if dangling else "real"))
    async with world(tmp_path / "home") as here:
        assert await here.names() == []
        await here.armed()
        if dangling:
            link.unlink()
            link.symlink_to(tmp_path / "real")
        write_skill(tmp_path / "real" / "skills" / "one")
        await here.until(lambda snapshot: "one" in snapshot.by_name, "the root behind the link")
