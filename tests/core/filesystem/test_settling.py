"""What is in flight never shows as a deletion, and nothing waits longer than it must."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from skills_core.filesystem.observing import Observation
from skills_core.filesystem.settling import IN_FLIGHT_MAX
from tests.core.filesystem.support import Watcher, World, codes, names, skill_text, write_flat, write_skill

WAIT = 0.2


def in_flight(observation: Observation) -> bool:
    kinds = {reason.kind for reason in observation.listing.reasons}
    return not observation.listing.complete and kinds == {"in-flight"}


@pytest.fixture
def skill(world: World, watcher: Watcher) -> Path:
    """A skill that was listed, long ago, beside another one."""
    path = write_skill(world.project_agents, "tidy", description="Old.")
    write_skill(world.project_agents, "other")
    assert watcher.names() == ["other", "tidy"]
    watcher.time.now += 60
    return path


# Files that are being written.


@pytest.fixture
def young(watcher: Watcher) -> None:
    """Every file is young by its own time, however slowly the test runs: only the wait since it was seen counts."""
    watcher.time.shift_ns = -3_600_000_000_000


HALVES = {
    "empty": "",
    "no closing fence": "---\nname: tidy\ndescription: New",
    "yaml that breaks off": '---\nname: tidy\ndescription: "New',
}


@pytest.mark.usefixtures("young")
@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_a_half_written_file_keeps_what_was_listed_until_it_is_whole(half: str, skill: Path, watcher: Watcher):
    skill.write_text(half)
    observation = watcher.look()
    assert in_flight(observation)
    assert [c.description for c in observation.listing.candidates if c.name == "tidy"] == ["Old."]
    assert observation.due == pytest.approx(watcher.time.now + WAIT)
    skill.write_text(skill_text("tidy", "New."))
    listing = watcher.look().listing
    assert listing.complete, "a file that parses is published at once"
    assert [c.description for c in listing.candidates if c.name == "tidy"] == ["New."]


@pytest.mark.usefixtures("young")
def test_a_half_written_file_that_stays_so_is_a_problem_after_the_wait(skill: Path, watcher: Watcher):
    skill.write_text("---\nname: tidy\n")
    assert in_flight(watcher.look())
    watcher.time.now += WAIT - 0.01
    assert in_flight(watcher.look())
    watcher.time.now += 0.02
    observation = watcher.look()
    assert observation.listing.complete and names(observation.listing) == ["other"]
    assert codes(observation.listing) == [("frontmatter.unclosed", "tidy/SKILL.md")]
    assert observation.due is None


@pytest.mark.usefixtures("young")
def test_each_new_state_has_its_own_wait_but_not_for_ever(skill: Path, watcher: Watcher):
    began = watcher.time.now
    text = "---\nname: tidy\n"
    while watcher.time.now - began < IN_FLIGHT_MAX - 0.01:
        text += "more: text\n"
        skill.write_text(text)
        assert in_flight(watcher.look())
        watcher.time.now += WAIT - 0.05
    skill.write_text(text + "x")
    listing = watcher.look().listing
    assert listing.complete and names(listing) == ["other"]


def test_an_old_half_written_file_is_a_fact_at_the_first_look(world: World):
    path = write_skill(world.project_agents, "tidy")
    path.write_text("---\nname: tidy\n")
    watcher = Watcher(world)
    watcher.time.go_on(WAIT + 0.01)
    listing = watcher.look().listing
    assert listing.complete and codes(listing) == [("frontmatter.unclosed", "tidy/SKILL.md")]


def test_a_clock_in_the_future_does_not_stretch_the_wait(world: World):
    path = write_skill(world.project_agents, "tidy")
    path.write_text("")
    watcher = Watcher(world)
    watcher.time.shift_ns = -3_600_000_000_000
    observation = watcher.look()
    assert in_flight(observation) and observation.due == pytest.approx(watcher.time.now + WAIT)
    watcher.time.now += WAIT
    assert watcher.look().listing.complete


@pytest.mark.usefixtures("young")
def test_a_new_half_written_file_holds_back_nothing_but_completeness(world: World, skill: Path, watcher: Watcher):
    write_skill(world.project_agents, "new").write_text("---\n")
    observation = watcher.look()
    assert in_flight(observation) and names(observation.listing) == ["other", "tidy"]
    assert "new/SKILL.md is half written" in observation.listing.reasons[0].message


def test_a_file_that_is_broken_but_whole_is_a_problem_at_once(skill: Path, watcher: Watcher):
    skill.write_text("---\nname: tidy\n---\nno description\n")
    listing = watcher.look().listing
    assert listing.complete and names(listing) == ["other"]


def test_a_folder_without_its_file_yet_is_nothing(world: World, skill: Path, watcher: Watcher):
    (world.project_agents / "coming").mkdir()
    assert watcher.names() == ["other", "tidy"]
    write_skill(world.project_agents, "coming")
    assert watcher.names() == ["coming", "other", "tidy"]


# Deletions.


def test_a_deletion_waits_until_its_root_is_quiet(world: World, skill: Path, watcher: Watcher):
    shutil.rmtree(skill.parent)
    observation = watcher.look()
    assert in_flight(observation) and names(observation.listing) == ["other", "tidy"]
    assert observation.due == pytest.approx(watcher.time.now + WAIT)
    assert "has just gone" in observation.listing.reasons[0].message
    watcher.time.go_on(0.15)
    write_skill(world.project_agents, "other", description="Changed meanwhile.")
    observation = watcher.look()
    assert in_flight(observation) and observation.due == pytest.approx(watcher.time.now + WAIT)
    watcher.time.go_on(0.15)
    assert in_flight(watcher.look()), "the wait began anew"
    watcher.time.go_on(0.06)
    assert watcher.names() == ["other"]


def test_a_change_in_another_root_does_not_hold_a_deletion_up(world: World, skill: Path, watcher: Watcher):
    shutil.rmtree(skill.parent)
    watcher.look()
    watcher.time.go_on(0.15)
    write_skill(world.user_agents, "elsewhere")
    assert in_flight(watcher.look())
    watcher.time.go_on(0.06)
    assert watcher.names() == ["elsewhere", "other"]


def test_a_root_that_never_rests_does_not_hold_a_deletion_up_for_ever(world: World, skill: Path, watcher: Watcher):
    shutil.rmtree(skill.parent)
    began = watcher.time.now
    number = 0
    while watcher.time.now - began < IN_FLIGHT_MAX:
        number += 1
        write_skill(world.project_agents, "other", description=f"Number {number}.")
        observation = watcher.look()
        assert in_flight(observation)
        assert observation.due is not None and observation.due <= began + IN_FLIGHT_MAX
        watcher.time.go_on(0.19)
    write_skill(world.project_agents, "other", description="Last.")
    assert watcher.names() == ["other"]


def test_what_comes_back_was_never_gone(skill: Path, watcher: Watcher):
    text = skill.read_text()
    skill.unlink()
    assert in_flight(watcher.look())
    watcher.time.go_on(0.1)
    skill.write_text(text)
    assert watcher.names() == ["other", "tidy"]
    assert watcher.look().due is None


@pytest.mark.parametrize("style", ["rename over", "backup and new", "delete and new"])
def test_an_editors_way_of_saving_never_shows_as_a_deletion(style: str, skill: Path, watcher: Watcher):
    new = skill_text("tidy", "Saved.")
    for _ in range(3):
        if style == "rename over":
            other = skill.with_name("SKILL.md.tmp")
            other.write_text(new)
            watcher.look()
            other.rename(skill)
        elif style == "backup and new":
            backup = skill.with_name("SKILL.md~")
            skill.rename(backup)
            assert {"tidy"} <= set(names(watcher.look().listing))
            skill.write_text(new)
            watcher.look()
            backup.unlink()
        else:
            skill.unlink()
            assert {"tidy"} <= set(names(watcher.look().listing))
            skill.write_text(new)
        listing = watcher.look().listing
        assert listing.complete and names(listing) == ["other", "tidy"] and listing.problems == ()


def test_a_flat_file_that_goes_waits_as_well(world: World, watcher: Watcher):
    path = write_flat(world.project_agents, "flat")
    assert watcher.names() == ["flat"]
    path.unlink()
    assert in_flight(watcher.look())
    watcher.time.go_on(WAIT)
    assert watcher.names() == []


def test_at_the_start_nothing_has_vanished(world: World):
    world.project_agents.mkdir(parents=True)
    assert Watcher(world).look().listing.complete


def test_documents_that_are_no_skills_come_and_go_without_a_wait(world: World, skill: Path, watcher: Watcher):
    readme = world.project_agents / "README.md"
    readme.write_text("# Words\n")
    assert watcher.names() == ["other", "tidy"]
    readme.unlink()
    assert watcher.names() == ["other", "tidy"]


# Deletions that are certain at once.


def test_a_renamed_folder_is_confirmed_at_once(world: World, skill: Path, watcher: Watcher):
    skill.parent.rename(world.project_agents / "renamed")
    listing = watcher.look().listing
    assert listing.complete
    assert {c.path for c in listing.candidates if c.name == "tidy"} == {
        str(world.project_agents / "renamed" / "SKILL.md")
    }


def test_a_folder_renamed_and_its_file_rewritten_is_confirmed_at_once(world: World, skill: Path, watcher: Watcher):
    renamed = world.project_agents / "renamed"
    skill.parent.rename(renamed)
    (renamed / "SKILL.md").write_text(skill_text("renamed"))
    assert watcher.names() == ["other", "renamed"]


def test_a_folder_moved_to_another_root_is_confirmed_at_once(world: World, skill: Path, watcher: Watcher):
    world.user_agents.mkdir(parents=True)
    skill.parent.rename(world.user_agents / "tidy")
    listing = watcher.look().listing
    assert listing.complete and {c.source for c in listing.candidates if c.name == "tidy"} == {"user-agents"}


def test_a_new_folder_with_the_inodes_of_a_removed_one_is_no_rename(world: World, skill: Path, watcher: Watcher):
    """File systems give a freed inode to the next folder or file; here it is made sure that both were."""
    (tree,) = [tree for tree in watcher.observer.trees_of(str(world.project)) if tree.entries]
    entry = tree.entries["tidy/SKILL.md"]
    shutil.rmtree(skill.parent)
    new = write_skill(world.project_agents, "quite-new")
    assert entry.folder_signature is not None and entry.last_signature is not None
    for path, seen in ((new.parent, entry.folder_signature), (new, entry.last_signature)):
        status = os.stat(path)
        reused = (status.st_dev, status.st_ino, *seen[2:])
        if path == new:
            entry.last_signature = reused  # type: ignore[assignment]
        else:
            entry.folder_signature = reused  # type: ignore[assignment]
    assert in_flight(watcher.look())


def test_the_removal_of_the_roots_ancestor_is_confirmed_at_once(world: World, skill: Path, watcher: Watcher):
    shutil.rmtree(world.project / ".agents")
    assert watcher.names() == []


def test_the_removal_of_the_root_alone_waits(world: World, skill: Path, watcher: Watcher):
    shutil.rmtree(world.project_agents)
    observation = watcher.look()
    assert in_flight(observation) and names(observation.listing) == ["other", "tidy"]
    assert len(observation.listing.reasons) == 1 and "and 1 more have" in observation.listing.reasons[0].message
    watcher.time.go_on(WAIT)
    assert watcher.names() == []
    write_skill(world.project_agents, "again")
    assert watcher.names() == ["again"]


def test_the_programs_own_removal_is_confirmed_at_once(skill: Path, watcher: Watcher):
    shutil.rmtree(skill.parent)
    assert in_flight(watcher.look())
    observation = watcher.look(removed=frozenset({str(skill)}))
    assert observation.listing.complete and names(observation.listing) == ["other"]


# git


def test_a_git_lock_counts_as_a_change(world: World, skill: Path, watcher: Watcher):
    lock = world.project / ".git" / "index.lock"
    lock.write_text("")
    shutil.rmtree(skill.parent)
    watcher.look()
    for _ in range(10):
        watcher.time.go_on(0.3)
        assert in_flight(watcher.look())
    lock.unlink()
    assert watcher.names() == ["other"]


def test_a_git_lock_holds_a_deletion_up_for_five_seconds_at_most(world: World, skill: Path, watcher: Watcher):
    (world.project / ".git" / "index.lock").write_text("")
    shutil.rmtree(skill.parent)
    watcher.look()
    watcher.time.go_on(IN_FLIGHT_MAX - 0.01)
    assert in_flight(watcher.look())
    watcher.time.go_on(0.02)
    assert watcher.names() == ["other"]


def test_an_old_git_lock_does_not_count(world: World, skill: Path, watcher: Watcher):
    lock = world.project / ".git" / "index.lock"
    lock.write_text("")
    watcher.time.go_on(11)
    shutil.rmtree(skill.parent)
    watcher.look()
    watcher.time.go_on(WAIT)
    assert watcher.names() == ["other"]


def test_a_git_lock_from_the_future_counts_only_from_when_it_was_seen(world: World, skill: Path, watcher: Watcher):
    lock = world.project / ".git" / "index.lock"
    lock.write_text("")
    os.utime(lock, (4_000_000_000, 4_000_000_000))
    shutil.rmtree(skill.parent)
    watcher.look()
    watcher.time.go_on(WAIT)
    assert in_flight(watcher.look())
    other = write_skill(world.project_agents, "fresh")
    watcher.look()
    watcher.time.go_on(11)
    shutil.rmtree(other.parent)
    watcher.look()
    watcher.time.go_on(WAIT)
    assert watcher.names() == ["other"]


def test_the_lock_of_a_linked_worktree_counts(world: World, watcher: Watcher):
    (world.project / ".git").rmdir()
    (world.base / "main" / "worktrees" / "one").mkdir(parents=True)
    (world.project / ".git").write_text("gitdir: ../main/worktrees/one\n")
    skill = write_skill(world.project_agents, "tidy")
    assert watcher.names() == ["tidy"]
    (world.base / "main" / "worktrees" / "one" / "index.lock").write_text("")
    watcher.time.go_on(60)
    os.utime(world.base / "main" / "worktrees" / "one" / "index.lock", (4_000_000_000, 4_000_000_000))
    shutil.rmtree(skill.parent)
    watcher.look()
    watcher.time.go_on(WAIT)
    assert in_flight(watcher.look())
