"""What watching many projects holds open: watchers, watches, files, threads."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, settled_snapshot
from tests.bench.measure import Measure
from tests.bench.process_state import Handles, handles
from tests.bench.skills import make_skills, skill_text

_ROOTS = (".dsh", ".agents")
_SETTLED = 3.0
"""Seconds after which a watcher that made place for another is closed."""

_DEADLINE = 30.0


def main(quick: bool = False) -> list[Measure]:
    projects, skills, settled = (2, 2, 0.2) if quick else (128, 20, _SETTLED)
    with tempfile.TemporaryDirectory(prefix="skills-bench-") as folder:
        return asyncio.run(_measure(Path(folder), projects, skills, settled))


async def _measure(base: Path, projects: int, skills: int, settled: float) -> list[Measure]:
    folders = [base / f"project-{number}" for number in range(projects)]
    bundles: list[str] = []
    for project in folders:
        (project / ".git").mkdir(parents=True)
        for number, root in enumerate(_ROOTS):
            files = make_skills(project / root / "skills", skills, first=number * skills)
            bundles += [os.path.dirname(path) for path in files]
    gc.collect()
    before = handles(os.getpid())
    registry = SkillRegistry()
    settings = FilesystemSettings(dsh_home=str(base / "dsh"), agents_home=str(base / "agents"))
    provider = registry.register_provider(filesystem_provider(settings)).provider
    lookups = [Lookup(cwd=str(project)) for project in folders]
    try:
        for lookup in lookups:
            snapshot = await settled_snapshot(registry, lookup, _DEADLINE)
            assert len(snapshot.skills) == len(_ROOTS) * skills, snapshot.reason
        inodes = [os.stat(path).st_ino for path in bundles]
        await _until(lambda: _all_watched(inodes), "a watch on each bundle's folder")
        await asyncio.sleep(settled)
        at_rest = handles(os.getpid())
        added = folders[0] / _ROOTS[0] / "skills" / "skill-99999"
        added.mkdir()
        (added / "SKILL.md").write_text(skill_text(99_999), encoding="utf-8")
        changed = os.stat(added).st_ino
        await _until(lambda: _all_watched([changed]), "a watch on the new bundle's folder")
        await asyncio.sleep(settled)
        after_change = handles(os.getpid())
    finally:
        await provider.aclose()
        await registry.aclose()
    words = f"{projects:,} projects of 2 roots, {skills:,} skills each"
    return [
        *_rows(f"{words}, at rest", before, at_rest, inodes),
        *_rows(f"{words}, a new skill later", before, after_change, [*inodes, changed]),
    ]


def _rows(words: str, before: Handles, now: Handles, inodes: Sequence[int]) -> list[Measure]:
    most = max(now.watched.get(inode, 0) for inode in inodes)
    return [
        Measure(f"{words}: inotify instances", now.inotify - before.inotify, "count", target=2),
        Measure(f"{words}: watches", now.watches - before.watches, "count", beside=len(inodes), beside_what="bundles"),
        Measure(f"{words}: watches on one bundle's folder, the most", most, "count", target=1),
        Measure(f"{words}: open files", now.files - before.files, "count", beside=len(inodes), beside_what="skills"),
        Measure(f"{words}: threads", now.threads - before.threads, "count"),
    ]


def _all_watched(inodes: Sequence[int]) -> bool:
    watched = handles(os.getpid()).watched
    return all(inode in watched for inode in inodes)


async def _until(holds: Callable[[], bool], what: str) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DEADLINE):
            while not holds():
                await asyncio.sleep(0.05)
            return
    raise RuntimeError(f"waited {_DEADLINE:g} s for {what}")
