"""Links and what they lead to change in bursts while steps look: after each burst nothing is missing or stale."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, settled_snapshot

SECONDS = float(os.environ.get("SKILLDECK_LINKS_SECONDS", "4"))
FOLDERS, FLATS = ("alpha", "beta", "gamma"), ("delta", "epsilon")


class Links:
    """One entry for each name, each a link with two targets of its own; some lead there over a second link."""

    def __init__(self, base: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.root, self.outside = base / "agents" / "skills", base / "outside"
        self.root.mkdir(parents=True)
        self.serial = self.steps = 0
        for name in (*FOLDERS, *FLATS):
            for way in ("one", "two"):
                self._fill(name, way)
            self._point(self.outside / name / "way", self.outside / name / "one")
            self._point(self.entry(name), self.outside / name / "way" / self._item(name))

    def entry(self, name: str) -> Path:
        return self.root / (f"{name}.md" if name in FLATS else name)

    def _item(self, name: str) -> str:
        return "text.md" if name in FLATS else "pack"

    def _fill(self, name: str, way: str) -> None:
        self.serial += 1
        place = self.outside / name / way / self._item(name)
        file = place if name in FLATS else place / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nname: {name}\ndescription: number {self.serial}\n---\nx\n")

    def _point(self, link: Path, target: Path) -> None:
        if self.random.random() < 0.5:
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        else:
            new = link.with_name(f".{link.name}.new")
            new.symlink_to(target)
            new.replace(link)

    # What can happen to an entry.

    def point_entry(self, name: str) -> None:
        way = self.random.choice(["one", "two", "way", "way", "nowhere"])
        self._point(self.entry(name), self.outside / name / way / self._item(name))

    def point_way(self, name: str) -> None:
        self._point(self.outside / name / "way", self.outside / name / self.random.choice(["one", "two"]))

    def move_away_and_back(self, name: str) -> None:
        place = self.outside / name
        if self.random.random() < 0.5:
            place = place / self.random.choice(["one", "two"])
        aside = self.outside / f"aside-{name}"
        with contextlib.suppress(FileNotFoundError):
            place.rename(aside)
            self._pause()
            aside.rename(place)

    def swap_targets(self, name: str) -> None:
        one, two, aside = (self.outside / name / part for part in ("one", "two", "aside"))
        one.rename(aside)
        two.rename(one)
        aside.rename(two)

    def remove_and_make_again(self, name: str) -> None:
        way = self.random.choice(["one", "two"])
        place = self.outside / name / way / self._item(name)
        if name in FLATS:
            place.unlink()
        elif self.random.random() < 0.5:
            (place / "SKILL.md").unlink()
        else:
            shutil.rmtree(place)
        self._pause()
        self._fill(name, way)

    def make_it_a_real_one(self, name: str) -> None:
        entry = self.entry(name)
        entry.unlink()
        file = entry if name in FLATS else entry / "SKILL.md"
        file.parent.mkdir(exist_ok=True)
        self.serial += 1
        file.write_text(f"---\nname: {name}\ndescription: number {self.serial}\n---\nx\n")
        self._pause()
        if name in FLATS:
            file.unlink()
        else:
            shutil.rmtree(entry)
        self._point(entry, self.outside / name / "way" / self._item(name))

    def _pause(self) -> None:
        time.sleep(self.random.choice([0.0, 0.0, 0.0001, 0.001, 0.01]))

    def burst(self) -> None:
        acts: list[Callable[[str], None]] = [
            *(self.point_entry, self.point_way, self.move_away_and_back),
            *(self.swap_targets, self.remove_and_make_again, self.make_it_a_real_one),
        ]
        for _ in range(self.random.randrange(1, 25)):
            self.random.choice(acts)(self.random.choice([*FOLDERS, *FLATS]))
            self.steps += 1
            self._pause()

    def offered(self) -> dict[str, str]:
        """Name → description, as a plain reading of the quiet disk finds them."""
        found: dict[str, str] = {}
        for name in (*FOLDERS, *FLATS):
            file = self.entry(name) if name in FLATS else self.entry(name) / "SKILL.md"
            if file.exists():
                found[name] = file.read_text().split("description: ")[1].split("\n")[0]
        return found


async def test_after_a_burst_the_catalog_is_what_the_links_lead_to(tmp_path: Path):
    seed = random.randrange(1 << 30)
    links = Links(tmp_path, seed)
    registry = SkillRegistry()
    settings = FilesystemSettings(
        dsh_home=str(tmp_path / "dsh"), agents_home=str(tmp_path / "agents"), watch_stability_threshold_ms=20
    )
    registry.register_provider(filesystem_provider(settings))
    lookup = Lookup(fresh=True)
    until = time.monotonic() + SECONDS
    try:
        while time.monotonic() < until:
            burst = asyncio.create_task(asyncio.to_thread(links.burst))
            while not burst.done():
                await registry.snapshot(lookup)
            await burst
            async with asyncio.timeout(20):
                snapshot = await settled_snapshot(registry, lookup, 15.0)
            assert snapshot.complete, snapshot.reason
            shown = {skill.name: skill.description for skill in snapshot.skills}
            assert shown == links.offered(), f"seed {seed}, after {links.steps} steps"
    finally:
        await registry.aclose()
    assert links.steps > 50, "hardly anything happened: nothing was proved"
