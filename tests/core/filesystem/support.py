"""Real folders of skills for the tests of discovery, and clocks that a test sets."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from skills_core.filesystem import FilesystemProvider, FilesystemSettings
from skills_core.filesystem.observing import Observation, Observer
from skills_core.filesystem.signature import SYSTEM_CLOCK, Clock
from skills_core.registry import Lookup, ProviderListing

DEADLINE = 10.0


def skill_text(name: str, description: str = "Does it.", body: str = "Use the skill.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


def write_skill(
    root: Path, folder: str, name: str | None = None, description: str = "Does it.", body: str = "Use the skill."
) -> Path:
    path = root / folder / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(skill_text(name or path.parent.name, description, body), encoding="utf-8")
    return path


def write_flat(root: Path, name: str, description: str = "Does it.", body: str = "Use the skill.") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    path = root / f"{name}.md"
    path.write_text(skill_text(name, description, body), encoding="utf-8")
    return path


@dataclass
class TestClock:
    """A monotonic clock that stands still until it is told to go on; the file clock is the system's, plus a shift."""

    __test__ = False
    now: float = 1000.0
    shift_ns: int = 0

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, lambda: SYSTEM_CLOCK.files_ns() + self.shift_ns)

    def go_on(self, seconds: float) -> None:
        """Lets so much time pass on both clocks."""
        self.now += seconds
        self.shift_ns += int(seconds * 1e9)


@dataclass
class World:
    """A home, a project with ``.git``, and their roots, all in one temporary folder."""

    base: Path
    home: Path = field(init=False)
    project: Path = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.base / "home"
        self.project = self.base / "project"
        self.home.mkdir()
        (self.project / ".git").mkdir(parents=True)

    @property
    def project_agents(self) -> Path:
        return self.project / ".agents" / "skills"

    @property
    def project_dsh(self) -> Path:
        return self.project / ".dsh" / "skills"

    @property
    def user_dsh(self) -> Path:
        return self.home / ".dsh" / "skills"

    @property
    def user_agents(self) -> Path:
        return self.home / ".agents" / "skills"

    def settings(self, **changes: object) -> FilesystemSettings:
        values: dict[str, object] = {
            "watch": False,
            "dsh_home": str(self.home / ".dsh"),
            "agents_home": str(self.home / ".agents"),
        }
        return FilesystemSettings(**{**values, **changes})  # type: ignore[arg-type]

    @property
    def lookup(self) -> Lookup:
        return Lookup(cwd=str(self.project))


class Watcher:
    """An observer of one project, with a clock of the test's own."""

    def __init__(self, world: World, **settings: object) -> None:
        self.time = TestClock()
        self.world = world
        self.observer = Observer(world.settings(**settings), self.time.clock)

    def look(self, cwd: Path | None = None, removed: frozenset[str] = frozenset()) -> Observation:
        return self.observer.observe(str(cwd or self.world.project), removed)

    def names(self) -> list[str]:
        """The names of a complete listing."""
        listing = self.look().listing
        assert listing.complete, listing.reasons
        return names(listing)


class Control:
    """A provider's control that counts the invalidations."""

    def __init__(self) -> None:
        self.closed = False
        self.invalidations = 0
        self._heard = asyncio.Event()
        self._callbacks: list[Callable[[], None]] = []

    def invalidate(self) -> None:
        self.invalidations += 1
        self._heard.set()

    def on_close(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def close(self) -> None:
        self.closed = True
        for callback in self._callbacks:
            callback()

    async def invalidated(self) -> None:
        """Waits for the next invalidation since the last such wait."""
        async with asyncio.timeout(DEADLINE):
            await self._heard.wait()
        self._heard.clear()


def make_provider(world: World, control: Control | None = None, **settings: object) -> FilesystemProvider:
    return FilesystemProvider(control or Control(), world.settings(**settings))


def names(listing: ProviderListing) -> list[str]:
    return sorted(candidate.name for candidate in listing.candidates)


def codes(listing: ProviderListing) -> list[tuple[str, str]]:
    """The problems as (code, last two parts of the path)."""
    return sorted((problem.code, "/".join(problem.path.split("/")[-2:])) for problem in listing.problems)


async def until(what: str, condition: Callable[[], bool]) -> None:
    """Waits for a condition of this process's own, and says what it waited for when it never comes."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.005)


def age(path: Path, seconds: float) -> None:
    """Makes a file's mtime older; its ctime cannot be set."""
    past = time.time() - seconds
    os.utime(path, (past, past))
