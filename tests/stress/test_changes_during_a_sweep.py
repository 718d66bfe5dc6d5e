"""The disk changes while a sweep is under way: no complete catalog holds one half of what was done and not the other.

The random runs meet such a moment too seldom to prove anything. Here the sweep itself makes the changes, at the very
place where they do the most harm, and the judge of the random runs says whether the disk ever held what was shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot
from tests.stress.history import Change, History, Observation

ROUNDS = 6


@dataclass
class Disk:
    """Two roots, ``early`` swept before ``late``, with an entry in each. Every change is written down."""

    base: Path
    changes: list[Change] = field(default_factory=list[Change])
    values: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    targets: int = 0

    def __post_init__(self) -> None:
        (self.project / ".git").mkdir(parents=True)
        self.early = self.project / ".dsh" / "skills"
        self.late = self.base / "agents" / "skills"

    @property
    def project(self) -> Path:
        return self.base / "project"

    def save(self, root: Path, name: str, description: str) -> None:
        """A new file is moved over the old one, so that each save is one change."""
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / ".new"
        new.write_text(_text(name, description))
        with self._change(name, description):
            new.replace(folder / "SKILL.md")

    def link(self, root: Path, name: str, description: str) -> None:
        """A link to a new folder is moved over the old link."""
        self.targets += 1
        target = self.base / "targets" / str(self.targets)
        target.mkdir(parents=True)
        (target / "SKILL.md").write_text(_text(name, description))
        root.mkdir(parents=True, exist_ok=True)
        new = root / ".new"
        new.symlink_to(target)
        with self._change(name, description):
            new.replace(root / name)

    def make_ready(self, name: str, description: str) -> Path:
        """A folder that a link may be pointed at later: old by then, so that its times tell nothing."""
        target = self.base / "ready" / description.replace(" ", "-") / name
        target.mkdir(parents=True)
        (target / "SKILL.md").write_text(_text(name, description))
        return target.parent

    def point_way(self, target: Path, name: str, description: str) -> None:
        """A link outside the roots, over which an entry leads, is moved over the old one: no root changes."""
        new = self.base / "way.new"
        new.symlink_to(target)
        with self._change(name, description):
            new.replace(self.base / "way")

    @contextlib.contextmanager
    def _change(self, name: str, description: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.changes.append(Change(start, time.monotonic(), {name: (self.values.get(name), description)}))
        self.values[name] = description


def _text(name: str, description: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nx\n"


@dataclass
class Interruption:
    """Does ``deed`` once, in the middle of the next sweep: before it looks at, or opens, the path ``place``."""

    function: str
    place: str
    deed: Callable[[], object] | None = None
    done: int = 0

    def put_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        really: Callable[..., Any] = getattr(os, self.function)

        def interrupted(path: Any, *arguments: Any, **options: Any) -> Any:
            if path == self.place and threading.current_thread().name.startswith("skills-sweep"):
                deed, self.deed = self.deed, None
                if deed is not None:
                    deed()
                    self.done += 1
            return really(path, *arguments, **options)

        monkeypatch.setattr(os, self.function, interrupted)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


Look = Callable[[], Awaitable[SkillSnapshot]]


@contextlib.asynccontextmanager
async def judged(disk: Disk) -> AsyncIterator[Look]:
    """Gives a function that looks as a model step does. At the end every complete catalog is judged."""
    seen: list[Observation] = []
    registry = SkillRegistry()
    # Without a watcher: it would sweep whenever it likes, and take the interruption meant for the look.
    settings = FilesystemSettings(
        watch=False,
        dsh_home=str(disk.base / "dsh"),
        agents_home=str(disk.base / "agents"),
        watch_stability_threshold_ms=50,
    )
    registry.register_provider(filesystem_provider(settings))
    lookup = Lookup(cwd=str(disk.project), fresh=True)

    async def look() -> SkillSnapshot:
        asked = time.monotonic()
        snapshot = await registry.snapshot(lookup)
        if snapshot.complete:
            catalog = {skill.name: skill.description for skill in snapshot.skills}
            seen.append(Observation(asked, time.monotonic(), True, catalog))
        return snapshot

    try:
        async with asyncio.timeout(30):
            yield look
            final = await settled_snapshot(registry, lookup, 5.0)
        history = History(disk.changes)
        assert {skill.name: skill.description for skill in final.skills} == history.final()
        assert len(seen) >= ROUNDS, "hardly any catalog was complete: nothing was judged"
        faults = [fault for observation in seen if (fault := history.fault(observation)) is not None]
        assert not faults, f"{len(faults)} of {len(seen)} complete catalogs never lay on the disk: {faults[:3]}"
    finally:
        await registry.aclose()


async def interrupt(
    look: Look, interruption: Interruption, deed: Callable[[int], object], prepare: Callable[[int], object]
) -> None:
    await look()
    for number in range(ROUNDS):
        prepare(number)
        interruption.deed = lambda number=number: deed(number)
        await look()
        assert interruption.done == number + 1, "the sweep never came by"


def nothing(number: int) -> None:
    """Needs no preparation."""


@pytest.mark.parametrize("roots", ["one root", "two roots"])
async def test_two_files_are_saved(disk: Disk, monkeypatch: pytest.MonkeyPatch, roots: str):
    """The first one was looked at already, the second one not yet: what is seen is the second change alone."""
    other = disk.late if roots == "two roots" else disk.early
    disk.save(disk.early, "one", "at the start")
    disk.save(other, "two", "at the start")
    places = [(disk.early, "one"), (other, "two")]
    if roots == "one root":
        # Entries are swept in the order in which the system lists them.
        places = [(disk.early, name) for name in os.listdir(disk.early)]
    interruption = Interruption("stat", f"{places[1][1]}/SKILL.md")
    interruption.put_in(monkeypatch)

    def deed(number: int) -> None:
        for root, name in places:
            disk.save(root, name, f"save {number}")

    async with judged(disk) as look:
        await interrupt(look, interruption, deed, nothing)


async def test_two_entries_are_made(disk: Disk, monkeypatch: pytest.MonkeyPatch):
    disk.save(disk.early, "at-first", "stays")
    disk.save(disk.late, "at-last", "stays")
    interruption = Interruption("stat", "at-first/SKILL.md")
    interruption.put_in(monkeypatch)

    def deed(number: int) -> None:
        disk.save(disk.early, f"made-{number}", "needed by the other")
        disk.save(disk.late, f"then-{number}", "needs the other")

    async with judged(disk) as look:
        await interrupt(look, interruption, deed, nothing)


async def test_two_links_are_pointed_elsewhere(disk: Disk, monkeypatch: pytest.MonkeyPatch):
    disk.link(disk.early, "early-link", "at the start")
    disk.link(disk.late, "late-link", "at the start")
    disk.save(disk.early, "stays", "stays")
    interruption = Interruption("stat", "late-link")
    interruption.put_in(monkeypatch)

    def deed(number: int) -> None:
        disk.link(disk.early, "early-link", f"target {number}")
        disk.link(disk.late, "late-link", f"target {number}")

    async with judged(disk) as look:
        await interrupt(look, interruption, deed, nothing)


async def test_a_link_comes_to_lead_to_what_is_old(disk: Disk, monkeypatch: pytest.MonkeyPatch):
    """Nothing of what the link leads to now bears a new time: that it changed is seen, when it did is not."""
    disk.save(disk.early, "early", "at the start")
    disk.save(disk.late, "stays", "stays")
    disk.point_way(disk.make_ready("late", "at the start"), "late", "at the start")
    (disk.late / "late").symlink_to(disk.base / "way" / "late")
    ready = [disk.make_ready("late", f"target {number}") for number in range(ROUNDS)]
    interruption = Interruption("stat", "late")
    interruption.put_in(monkeypatch)

    def prepare(number: int) -> None:
        # What was made or saved before is old enough to be believed.
        time.sleep(0.02)

    def deed(number: int) -> None:
        disk.save(disk.early, "early", f"save {number}")
        disk.point_way(ready[number], "late", f"target {number}")

    async with judged(disk) as look:
        await interrupt(look, interruption, deed, prepare)


async def test_two_files_are_saved_between_the_look_and_the_reading(disk: Disk, monkeypatch: pytest.MonkeyPatch):
    """The file that is about to be read is no longer the one that was looked at."""
    disk.save(disk.early, "early", "at the start")
    disk.save(disk.late, "late", "at the start")
    interruption = Interruption("open", "late/SKILL.md")
    interruption.put_in(monkeypatch)

    def prepare(number: int) -> None:
        disk.save(disk.late, "late", f"to be read {number}")
        # Old enough to be believed by the sweep.
        time.sleep(0.02)

    def deed(number: int) -> None:
        disk.save(disk.early, "early", f"save {number}")
        disk.save(disk.late, "late", f"save {number}")

    async with judged(disk) as look:
        await interrupt(look, interruption, deed, prepare)
