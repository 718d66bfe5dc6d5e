"""The core: discovery, refresh, the quiet step, and how long a write takes to be seen, beside their lower bounds."""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from skills_core.access.policy import OPEN_ACCESS
from skills_core.agent.hooks import StepContext
from skills_core.agent.tools.skill import SKILL_TOOL, SkillTool
from skills_core.catalog import CatalogPublisher
from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot
from skills_core.session import Session
from tests.bench.measure import Measure, percentile_95
from tests.bench.peers import ChokidarPeer
from tests.bench.skills import make_skills, skill_text

ROWS = [
    ("read_bound", "limit: open and read 4 KiB of each file"),
    ("stat_bound", "limit: stat of each file"),
    ("first_discovery", "first discovery"),
    ("first_discovery_ratio", "  against reading"),
    ("refresh", "refresh: watcher's word of one change -> snapshot"),
    ("refresh_ratio", "  against stat"),
    ("quiet_step", "quiet step: fresh snapshot, digest, history"),
    ("quiet_step_ratio", "  against stat"),
    ("edit_seen_median", "write of a SKILL.md -> snapshot, median"),
    ("edit_seen_p95", "  p95"),
    ("edit_notified_median", "write of a SKILL.md -> skills/change, median"),
    ("new_seen_median", "new folder and file -> snapshot, median"),
    ("new_seen_p95", "  p95"),
    ("gone_seen_median", "deletion -> snapshot, median"),
    ("gone_seen_p95", "  p95"),
    ("chokidar_edit_median", "peer: chokidar, the reference's settings, median"),
    ("chokidar_edit_p95", "  p95"),
    ("edit_against_chokidar_ratio", "  ours against it"),
    ("idle_share", "idle, share of one core"),
]

_AIMED_AT = "3000"
_TARGETS = {
    "first_discovery_ratio": ("first discovery, against reading", 12.0),
    "refresh_ratio": ("refresh after one change, against stat", 3.5),
    "quiet_step_ratio": ("quiet step, against stat", 3.5),
    "edit_against_chokidar_ratio": ("a write until it is seen, against chokidar", 0.25),
}


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: rounds of what is done in turns, writes, and seconds at rest."""

    runs: int = 7
    writes: int = 40
    idle_seconds: float = 5.0


FULL = Effort()
QUICK = Effort(runs=1, writes=2, idle_seconds=0.2)


async def measure(sizes: list[int], peers: bool, effort: Effort = FULL) -> dict[str, dict[str, float]]:
    """Seconds (and ratios and shares) by key, for each number of skills."""
    found: dict[str, dict[str, float]] = {}
    peer = await ChokidarPeer.install() if peers else None
    try:
        for size in sizes:
            print(f"measuring {size} skills", file=sys.stderr)
            with tempfile.TemporaryDirectory(prefix="skills-bench-") as folder:
                found[str(size)] = await _measure_size(Path(folder), size, peer, effort)
    finally:
        if peer is not None:
            peer.remove()
    return found


def aims(found: Mapping[str, Mapping[str, float]]) -> list[Measure]:
    """What is aimed at with 3,000 skills; empty when that size was not measured."""
    numbers = found.get(_AIMED_AT, {})
    return [
        Measure(f"{what}, 3,000 skills", numbers[key], "ratio", target=target)
        for key, (what, target) in _TARGETS.items()
        if key in numbers
    ]


async def _measure_size(base: Path, size: int, peer: ChokidarPeer | None, effort: Effort) -> dict[str, float]:
    project = base / "project"
    root = project / ".agents" / "skills"
    files = make_skills(root, size)
    (project / ".git").mkdir()
    # What was just written is not trusted for a moment: measured is what holds later.
    await asyncio.sleep(2.5)
    # A limit is measured in turns with what it is compared with: the machine may be busy with other things.
    reads: list[float] = []
    stats: list[float] = []
    discoveries: list[float] = []
    for _ in range(effort.runs):
        reads.append(_timed(lambda: _read_each(files)))
        async with _Registry(base, project) as opened:
            began = time.perf_counter()
            snapshot = await opened.registry.snapshot(opened.lookup)
            discoveries.append(time.perf_counter() - began)
            assert snapshot.complete and len(snapshot.skills) == size, snapshot.reason
    numbers = {"read_bound": statistics.median(reads), "first_discovery": statistics.median(discoveries)}
    async with _Registry(base, project) as opened:
        await opened.settled()
        numbers["quiet_step"] = await _quiet_step(
            opened, 3 * effort.runs, lambda: stats.append(_timed(lambda: _stat_each(files)))
        )
        numbers["stat_bound"] = statistics.median(stats)
        numbers |= await _seen(opened, root, size, effort.writes)
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.sleep(effort.idle_seconds)
        numbers["idle_share"] = (time.process_time() - cpu) / (time.perf_counter() - began)
    numbers["first_discovery_ratio"] = numbers["first_discovery"] / numbers["read_bound"]
    for key in ("refresh", "quiet_step"):
        numbers[f"{key}_ratio"] = numbers[key] / numbers["stat_bound"]
    if peer is not None:
        times = await peer.measure(root, [root / f"skill-{number % size:05}" / "SKILL.md" for number in range(20)])
        numbers["chokidar_edit_median"], numbers["chokidar_edit_p95"] = _median_and_p95(times)
        numbers["edit_against_chokidar_ratio"] = numbers["edit_seen_median"] / numbers["chokidar_edit_median"]
    return numbers


class _Registry:
    """A registry with one provider over the project's roots, closed at the end."""

    def __init__(self, base: Path, project: Path) -> None:
        self._settings = FilesystemSettings(dsh_home=str(base / "dsh"), agents_home=str(base / "agents"))
        self.lookup = Lookup(cwd=str(project))
        self.fresh = Lookup(cwd=str(project), fresh=True)
        self.registry = SkillRegistry()
        self.changed = asyncio.Event()
        self.changed_at = 0.0
        self.noticed_at = 0.0

    async def __aenter__(self) -> _Registry:
        self.provider = self.registry.register_provider(filesystem_provider(self._settings)).provider
        # When the watcher told the provider: set before the first look, at which the watcher is made.
        told = self.provider._hint

        def note(paths: frozenset[str]) -> None:
            if paths and self.noticed_at == 0.0:
                self.noticed_at = time.perf_counter()
            told(paths)

        self.provider._hint = note
        self.registry.subscribe(self._changed)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.provider.aclose()
        await self.registry.aclose()

    def _changed(self) -> None:
        self.changed_at = time.perf_counter()
        self.changed.set()

    async def settled(self) -> SkillSnapshot:
        snapshot = await settled_snapshot(self.registry, self.lookup, 30.0)
        assert snapshot.complete, snapshot.reason
        # The watcher is live, and the looks that follow its opening are over.
        await asyncio.sleep(1.5)
        return snapshot

    async def until(self, holds: Callable[[SkillSnapshot], bool]) -> None:
        async with asyncio.timeout(30):
            while True:
                self.changed.clear()
                snapshot = await self.registry.snapshot(self.lookup)
                if snapshot.complete and holds(snapshot):
                    return
                await self.changed.wait()


async def _quiet_step(opened: _Registry, runs: int, in_between: Callable[[], None]) -> float:
    """Everything that happens before a model step when nothing has changed."""
    publisher = CatalogPublisher(opened.registry, OPEN_ACCESS)
    cwd = opened.lookup.cwd
    assert cwd is not None
    session = Session.in_memory(cwd, "bench")
    tools = {SKILL_TOOL: SkillTool(opened.registry, OPEN_ACCESS)}
    context = StepContext(session=session, cwd=cwd, scope=None, tools=tools, claimed=(), step=1)
    batch = await publisher.before_step(context, ())
    assert isinstance(batch, tuple) and batch, "the first step publishes the catalog"
    await session.append(*batch)
    times: list[float] = []
    for _ in range(runs):
        in_between()
        gc.collect()
        began = time.perf_counter()
        batch = await publisher.before_step(context, ())
        times.append(time.perf_counter() - began)
        assert batch == (), "a quiet step adds nothing"
    await session.aclose()
    return statistics.median(times)


async def _seen(opened: _Registry, root: Path, size: int, writes: int) -> dict[str, float]:
    """From the end of a write to the snapshot that shows it, by the watcher alone."""
    edits: list[float] = []
    notified: list[float] = []
    refreshed: list[float] = []
    for run in range(writes):
        number = (run * 53) % size
        await _pause(run)
        opened.noticed_at = 0.0
        _write(root, number, 5_000 + run)
        began = time.perf_counter()
        ending = f" {5_000 + run}"
        await opened.until(lambda snapshot, at=number, end=ending: _description(snapshot, at).endswith(end))
        edits.append(time.perf_counter() - began)
        if opened.noticed_at:
            refreshed.append(time.perf_counter() - opened.noticed_at)
        notified.append(opened.changed_at - began)
    created: list[float] = []
    deleted: list[float] = []
    for run in range(writes // 2):
        await _pause(run)
        number = 50_000 + run
        (root / f"skill-{number:05}").mkdir()
        _write(root, number, 0)
        began = time.perf_counter()
        await opened.until(lambda snapshot, at=number: _description(snapshot, at) != "")
        created.append(time.perf_counter() - began)
        await _pause(run)
        os.unlink(root / f"skill-{number:05}" / "SKILL.md")
        os.rmdir(root / f"skill-{number:05}")
        began = time.perf_counter()
        await opened.until(lambda snapshot, at=number: _description(snapshot, at) == "")
        deleted.append(time.perf_counter() - began)
    numbers = {"edit_notified_median": statistics.median(notified), "refresh": statistics.median(refreshed)}
    for key, times in (("edit_seen", edits), ("new_seen", created), ("gone_seen", deleted)):
        numbers[f"{key}_median"], numbers[f"{key}_p95"] = _median_and_p95(times)
    return numbers


async def _pause(run: int) -> None:
    # Not in step with the watcher, which looks every 20 ms.
    await asyncio.sleep(0.35 + 0.0073 * (run % 11))


def _write(root: Path, number: int, change: int) -> None:
    (root / f"skill-{number:05}" / "SKILL.md").write_text(skill_text(number, change), encoding="utf-8")


def _description(snapshot: SkillSnapshot, number: int) -> str:
    skill = snapshot.by_name.get(f"skill-{number:05}")
    return "" if skill is None else skill.description


def _read_each(files: list[str]) -> None:
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        os.read(descriptor, 4096)
        os.close(descriptor)


def _stat_each(files: list[str]) -> None:
    for path in files:
        os.stat(path)


def _timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _median_and_p95(times: list[float]) -> tuple[float, float]:
    return statistics.median(times), percentile_95(times)
