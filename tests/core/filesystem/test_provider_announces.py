"""What the provider announces when the disk changes, and what it does not."""

from __future__ import annotations

import os

from tests.core.filesystem.support import (
    Control,
    World,
    make_provider,
    names,
    skill_text,
    write_skill,
)


async def test_changes_are_followed(world: World):
    path = write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control, watch=True)
    await provider.list(world.lookup)
    assert provider.watch_status.mode in ("native", "polling")
    whole = path.with_name("next")
    whole.write_text(skill_text("tidy", "Changed."))
    whole.rename(path)
    await control.invalidated()
    assert (await provider.list(world.lookup)).candidates[0].description == "Changed."
    write_skill(world.base / "elsewhere" / "skills", "mine")
    (world.base / "elsewhere").rename(world.user_agents.parent)
    await control.invalidated()
    assert names(await provider.list(world.lookup)) == ["mine", "tidy"]
    assert {root.state for root in provider.roots(str(world.project))} <= {"watched", "polled", "missing"}
    await provider.aclose()


async def test_what_changes_nothing_is_not_announced(world: World):
    path = write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control, watch=True)
    await provider.list(world.lookup)
    whole = path.with_name("next")
    whole.write_text(skill_text("tidy", body="Only the body changed."))
    whole.rename(path)
    os.utime(path)
    (world.project_agents / "notes.txt").write_text("x")
    write_skill(world.base / "elsewhere", "new").parent.rename(world.project_agents / "new")
    await control.invalidated()
    assert names(await provider.list(world.lookup)) == ["new", "tidy"]
    assert control.invalidations == 1
    await provider.aclose()


async def test_until_the_fallback_has_looked_the_listing_is_incomplete(world: World):
    from skills_core.filesystem import WatchStatus

    write_skill(world.project_agents, "tidy")
    control = Control()
    provider = make_provider(world, control)
    heard: list[str] = []
    unsubscribe = provider.subscribe_status(lambda status: heard.append(status.mode))
    listing = await provider.list(world.lookup)
    project = provider._projects.of_cwd(str(world.project))
    assert project is not None and project.latest is not None
    project.waiting = True
    provider._watch_changed(WatchStatus("polling", "no watches left", "raise the limit"))
    assert control.invalidations == 1 and heard == ["polling"]
    assert provider._judged(project.latest).reasons[0].kind == "watching"
    assert names(listing) == ["tidy"]
    listing = await provider.list(world.lookup)
    assert listing.complete, "this look was made under the fallback"
    unsubscribe()
    provider._watch_changed(WatchStatus("native"))
    assert heard == ["polling"]
    await provider.aclose()
