"""A random run: several processes change the skill roots while a registry watches; what it saw, and what was there."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import SkillRegistry, SkillSnapshot, settled_snapshot
from skills_core.registry.lookup import Lookup
from tests.stress.history import Change, History, Observation, read_changes
from tests.stress.mutations import Manner, Plan

TREE = Path(__file__).resolve().parents[2]
STABILITY_MS = 200


@dataclass(frozen=True)
class RunResult:
    history: History
    observations: list[Observation]
    asked: int
    final: SkillSnapshot
    converged_after: float


@dataclass
class _Observer:
    """Looks at the registry as its consumers do: after each change, and afresh as a model step does."""

    registry: SkillRegistry
    lookup: Lookup
    seen: list[Observation]
    asked: int = 0

    async def look(self, fresh: bool) -> SkillSnapshot:
        asked = time.monotonic()
        lookup = Lookup(cwd=self.lookup.cwd, scope=self.lookup.scope, fresh=fresh)
        snapshot = await self.registry.snapshot(lookup)
        self.asked += 1
        if snapshot.complete:
            catalog = {skill.name: skill.description for skill in snapshot.skills}
            self.seen.append(Observation(asked, time.monotonic(), fresh, catalog))
        return snapshot

    async def follow_changes(self) -> None:
        changed = asyncio.Event()
        unsubscribe = self.registry.subscribe(changed.set)
        try:
            while True:
                await changed.wait()
                changed.clear()
                await self.look(fresh=False)
        finally:
            unsubscribe()

    async def step_now_and_then(self) -> None:
        while True:
            await self.look(fresh=True)
            await asyncio.sleep(0.03)


def make_plans(
    base: Path, seed: int, seconds: float, pause: float, processes: int, manner: Manner = "wild"
) -> tuple[list[Plan], Path]:
    """Roots of every kind, one for each process, and one that all share. Returns the project's folder too."""
    project = base / "project"
    shared = project / ".agents" / "skills"
    own = [project / ".dsh" / "skills", base / "dsh" / "skills", base / "agents" / "skills"]
    own += [base / f"custom-{number}" for number in range(max(0, processes - 2))]
    plans: list[Plan] = []
    for number in range(processes + 1):
        own[number].mkdir(parents=True)
        plans.append(
            Plan(
                process=f"p{number}",
                seed=seed * 100 + number,
                seconds=seconds,
                own_root=str(own[number]),
                shared_root=str(shared),
                outside=str(base / f"outside-{number}"),
                log=str(base / f"log-{number}"),
                pause=pause,
                manner=manner,
                git=number == 0,
            )
        )
    shared.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    (project / ".git" / "info").mkdir(exist_ok=True)
    (project / ".git" / "info" / "exclude").write_text(".agents\n")
    return plans, project


def roots_of(base: Path, processes: int = 3) -> list[str]:
    """The roots in the order of their ranks, without making them."""
    project = base / "project"
    own = [base / f"custom-{number}" for number in range(max(0, processes - 2))]
    return [
        str(project / ".dsh" / "skills"),
        str(project / ".agents" / "skills"),
        *(str(root) for root in own),
        str(base / "dsh" / "skills"),
        str(base / "agents" / "skills"),
    ]


def add_ballast(roots: list[str], count: int) -> Change:
    """Skills that nobody changes, ``count`` in each root: a look at everything takes longer, and more can happen."""
    values: dict[str, tuple[str | None, str | None]] = {}
    start = time.monotonic()
    for number, root in enumerate(roots):
        for entry in range(count):
            name = f"ballast-{number}-{entry}"
            folder = Path(root, name)
            folder.mkdir()
            (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: nothing\n---\nx\n")
            values[name] = (None, "nothing")
    return Change(start, time.monotonic(), values)


async def run_mutations(
    base: Path, seed: int, seconds: float, pause: float, manner: Manner, processes: int = 3, steps: bool = True
) -> RunResult:
    """``steps``: looks afresh now and then, as model steps do; without, the watcher alone leads to what is seen."""
    plans, project = make_plans(base, seed, seconds, pause, processes, manner)
    settings = FilesystemSettings(
        dsh_home=str(base / "dsh"),
        agents_home=str(base / "agents"),
        custom_skill_dirs=tuple(plan.own_root for plan in plans if "custom-" in plan.own_root),
        watch_stability_threshold_ms=STABILITY_MS,
    )
    children: list[asyncio.subprocess.Process] = []
    registry = SkillRegistry()
    try:
        for plan in plans:
            path = base / f"plan-{plan.process}.json"
            plan.write(path)
            children.append(
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "tests.stress.mutations", str(path)),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    cwd=TREE,
                )
            )
        for child in children:
            assert child.stdout is not None
            assert await asyncio.wait_for(child.stdout.readline(), 60) == b"ready\n"
        # Not in a root that its process takes away or empties, nor where git would find it.
        ballast = add_ballast([plans[0].shared_root], 400)
        registration = registry.register_provider(filesystem_provider(settings))
        observer = _Observer(registry, Lookup(cwd=str(project)), [])
        await observer.look(fresh=True)
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(observer.follow_changes())
            stepping = tasks.create_task(observer.step_now_and_then()) if steps else None
            for child in children:
                assert child.stdin is not None
                child.stdin.write(b"go\n")
            for plan, child in zip(plans, children, strict=True):
                status = await asyncio.wait_for(child.wait(), seconds + 60)
                assert status == 0, f"{plan.process} ended with {status}"
            quiet = time.monotonic()
            if stepping is not None:
                stepping.cancel()
            history = History([ballast, *(change for plan in plans for change in read_changes(Path(plan.log)))])
            converged = await _converged(registry, observer.lookup, history, quiet)
            following.cancel()
        final = await settled_snapshot(registry, Lookup(cwd=str(project), fresh=True), 10.0)
        registration.close()
        return RunResult(history, observer.seen, observer.asked, final, converged)
    finally:
        for child in children:
            if child.returncode is None:
                child.kill()
                await child.wait()
        await registry.aclose()


async def _converged(registry: SkillRegistry, lookup: Lookup, history: History, quiet: float) -> float:
    """Seconds until the watched catalog, never asked for afresh, is what lies on the disk."""
    wanted = history.final()
    changed = asyncio.Event()
    unsubscribe = registry.subscribe(changed.set)
    try:
        async with asyncio.timeout(15):
            while True:
                snapshot = await registry.snapshot(lookup)
                held = {skill.name: skill.description for skill in snapshot.skills}
                if snapshot.complete and held == wanted:
                    return time.monotonic() - quiet
                changed.clear()
                await changed.wait()
    except TimeoutError:
        snapshot = await registry.snapshot(lookup)
        held = {skill.name: skill.description for skill in snapshot.skills}
        wrong = {name for name in wanted.keys() | held.keys() if wanted.get(name) != held.get(name)}
        raise AssertionError(
            f"no convergence within 15 s: {snapshot.reason or 'complete'}; "
            f"{[(name, held.get(name), wanted.get(name)) for name in sorted(wrong)][:10]} (held, on the disk)"
        ) from None
    finally:
        unsubscribe()


def read_disk(roots: list[str]) -> dict[str, str]:
    """An independent, simple reading of quiet roots: name → description of what this module's processes wrote."""
    found: dict[str, str] = {}
    for root in roots:
        for entry in sorted(os.listdir(root)):
            path = Path(root, entry)
            file = path if entry.endswith(".md") else path / "SKILL.md"
            if entry.startswith(".") or not file.is_file():
                continue
            lines = file.read_text().split("---\n")[1].splitlines()
            fields = dict(line.split(": ", 1) for line in lines)
            found.setdefault(fields.get("name", entry.removesuffix(".md")), fields["description"])
    return found


def judge(result: RunResult, roots: list[str], least: int) -> None:
    """The rules that hold for every run; ``least``: so many complete catalogs must have come on the way."""
    final = {skill.name: skill.description for skill in result.final.skills}
    assert result.final.complete, result.final.reason
    assert final == result.history.final() == read_disk(roots), "the quiet catalog is not what lies on the disk"
    faults = [fault for seen in result.observations if (fault := result.history.fault(seen)) is not None]
    assert not faults, (
        f"{len(faults)} of {len(result.observations)} complete catalogs never lay on the disk: {faults[:5]}"
    )
    early = result.history.early_losses(
        sorted(result.observations, key=lambda seen: seen.came), STABILITY_MS / 1_000 - 0.005
    )
    assert not early, f"losses shown too early: {early[:5]}"
    assert len(result.observations) >= least, (
        f"only {len(result.observations)} of {result.asked} catalogs were complete"
    )


def clean(base: Path) -> None:
    shutil.rmtree(base, ignore_errors=True)
