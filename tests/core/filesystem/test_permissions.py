"""What may not be read hides nothing else, and is a fact in the end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skills_core.filesystem import FilesystemProvider, SkillReadError, opening
from skills_core.filesystem.observing import Observation
from skills_core.filesystem.settling import REFUSED_AFTER
from tests.core.filesystem.support import Control, Watcher, World, codes, names, write_skill


@pytest.fixture
def world(unprivileged_world: World) -> World:
    return unprivileged_world


def failed(observation: Observation) -> list[str]:
    assert not observation.listing.complete
    assert {reason.kind for reason in observation.listing.reasons} == {"failed"}
    return [reason.message for reason in observation.listing.reasons]


def test_a_file_that_may_not_be_read_is_a_problem_after_five_seconds(world: World, watcher: Watcher):
    write_skill(world.project_agents, "open")
    locked = write_skill(world.project_agents, "locked")
    locked.chmod(0)
    observation = watcher.look()
    assert "locked/SKILL.md is refused" in failed(observation)[0]
    assert names(observation.listing) == ["open"] and observation.listing.problems == ()
    assert observation.due == pytest.approx(watcher.time.now + REFUSED_AFTER)
    watcher.time.go_on(REFUSED_AFTER - 0.1)
    failed(watcher.look())
    watcher.time.go_on(0.2)
    observation = watcher.look()
    assert observation.listing.complete and names(observation.listing) == ["open"]
    assert codes(observation.listing) == [("file.unreadable", "locked/SKILL.md")]
    assert observation.due is not None, "it is tried again"
    locked.chmod(0o644)
    assert watcher.names() == ["locked", "open"]


def test_a_refusal_that_ends_begins_anew(world: World, watcher: Watcher):
    path = write_skill(world.project_agents, "locked")
    path.chmod(0)
    failed(watcher.look())
    watcher.time.go_on(4)
    path.chmod(0o644)
    assert watcher.names() == ["locked"]
    path.chmod(0)
    watcher.time.go_on(4)
    observation = watcher.look()
    failed(observation)
    assert names(observation.listing) == ["locked"], "what was read stays until the refusal is a fact"


def test_a_locked_folder_hides_no_other(world: World, watcher: Watcher):
    write_skill(world.project_agents, "open")
    locked = write_skill(world.project_agents, "locked").parent
    locked.chmod(0)
    observation = watcher.look()
    failed(observation)
    assert names(observation.listing) == ["open"]
    watcher.time.go_on(REFUSED_AFTER)
    assert codes(watcher.look().listing) == [("file.unreadable", "locked/SKILL.md")]
    locked.chmod(0o755)
    assert watcher.names() == ["locked", "open"]


def test_a_locked_root_hides_no_other(world: World, watcher: Watcher):
    write_skill(world.project_agents, "theirs")
    write_skill(world.user_agents, "mine")
    assert watcher.names() == ["mine", "theirs"]
    world.project_agents.chmod(0)
    observation = watcher.look()
    failed(observation)
    assert names(observation.listing) == ["mine", "theirs"]
    watcher.time.go_on(REFUSED_AFTER)
    listing = watcher.look().listing
    assert listing.complete and names(listing) == ["mine"]
    assert codes(listing) == [("file.unreadable", ".agents/skills")]
    world.project_agents.chmod(0o755)
    assert watcher.names() == ["mine", "theirs"]


def test_another_error_stays_incomplete_with_its_reason(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    write_skill(world.project_agents, "good")
    bad = write_skill(world.project_agents, "bad")
    really = os.open

    def fail(path: str, flags: int, **arguments: object) -> int:
        if str(path).startswith("bad/"):
            raise OSError(5, "Input/output error")
        return really(path, flags, **arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(opening.os, "open", fail)
    for _ in range(3):
        observation = watcher.look()
        (reason,) = failed(observation)
        assert str(bad) in reason and "Input/output error" in reason
        assert names(observation.listing) == ["good"] and observation.listing.problems == ()
        watcher.time.go_on(REFUSED_AFTER)
    monkeypatch.undo()
    assert watcher.names() == ["bad", "good"]


async def test_a_load_that_is_refused_is_an_error_and_not_an_absence(world: World):
    path: Path = write_skill(world.project_agents, "locked")
    provider = FilesystemProvider(Control(), world.settings())
    listing = await provider.list(world.lookup)
    path.chmod(0)
    with pytest.raises(SkillReadError) as caught:
        await provider.get(listing.candidates[0], world.lookup)
    assert str(path) in caught.value.message and caught.value.hint
    await provider.aclose()
