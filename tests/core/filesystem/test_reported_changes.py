"""What the program itself changes: announced before the report returns."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from skills_core.filesystem import FilesystemProvider
from tests.core.filesystem.support import (
    Control,
    World,
    make_provider,
    names,
    write_flat,
    write_skill,
)


@pytest.fixture
def watched_nothing(world: World) -> tuple[FilesystemProvider, Control]:
    control = Control()
    return make_provider(world, control), control


async def test_reported_changes_are_announced_before_the_report_returns(
    world: World, watched_nothing: tuple[FilesystemProvider, Control]
):
    provider, control = watched_nothing
    await provider.list(world.lookup)
    path = write_skill(world.project_agents, "tidy")
    assert await provider.report_change(str(path))
    assert control.invalidations == 1
    assert names(await provider.list(world.lookup)) == ["tidy"]
    assert control.invalidations == 1
    flat = write_flat(world.user_agents, "flat")
    assert await provider.report_change(str(flat))
    assert control.invalidations == 2
    await provider.aclose()


async def test_reports_of_other_paths_do_nothing(world: World, watched_nothing: tuple[FilesystemProvider, Control]):
    provider, control = watched_nothing
    root = world.project_agents
    write_skill(root, "tidy")
    await provider.list(world.lookup)
    paths = [
        root,
        root / "notes.txt",
        root / "tidy" / "references" / "notes.md",
        root / "tidy" / "references" / "SKILL.md",
        root / "tidy" / "other.md",
        root / ".hidden" / "SKILL.md",
        root / "node_modules" / "SKILL.md",
        world.user_dsh / ".system" / "SKILL.md",
        world.project / "README.md",
        world.base / "elsewhere" / "SKILL.md",
    ]
    for path in paths:
        assert not await provider.report_change(str(path)), path
    assert control.invalidations == 0
    await provider.aclose()


async def test_reports_through_any_alias_count(world: World, watched_nothing: tuple[FilesystemProvider, Control]):
    provider, control = watched_nothing
    outside = world.base / "outside"
    linked = write_skill(outside, "linked")
    flat = write_flat(outside, "flat")
    path = write_skill(world.project_agents, "tidy")
    (world.project_agents / "linked").symlink_to(outside / "linked")
    world.user_agents.mkdir(parents=True)
    (world.user_agents / "flat.md").symlink_to(flat)
    alias = world.base / "alias"
    alias.symlink_to(world.project)
    await provider.list(world.lookup)
    aliases = [
        alias / ".agents" / "skills" / "tidy" / "SKILL.md",
        Path(os.path.relpath(path)),
        linked,
        flat,
        world.project / "src" / ".." / ".agents" / "skills" / "tidy" / "SKILL.md",
    ]
    for number, name in enumerate(aliases, 1):
        assert await provider.report_change(str(name)), name
        assert control.invalidations == number
    await provider.aclose()


async def test_a_reported_removal_needs_no_wait(world: World, watched_nothing: tuple[FilesystemProvider, Control]):
    provider, control = watched_nothing
    path = write_skill(world.project_agents, "tidy")
    gone = write_skill(world.project_agents, "gone")
    await provider.list(world.lookup)
    gone.unlink()
    assert await provider.report_change(str(gone))
    listing = await provider.list(world.lookup)
    assert listing.complete and names(listing) == ["tidy"]
    shutil.rmtree(path.parent)
    assert await provider.report_change(str(path.parent))
    listing = await provider.list(world.lookup)
    assert listing.complete and names(listing) == []
    assert control.invalidations == 2
    await provider.aclose()


async def test_a_report_that_makes_a_root_counts(world: World, watched_nothing: tuple[FilesystemProvider, Control]):
    provider, _ = watched_nothing
    real = world.base / "real-home"
    real.mkdir()
    shutil.rmtree(world.home)
    world.home.symlink_to(real)
    await provider.list(world.lookup)
    path = write_skill(real / ".agents" / "skills", "tidy")
    assert await provider.report_change(str(path))
    assert names(await provider.list(world.lookup)) == ["tidy"]
    await provider.aclose()
