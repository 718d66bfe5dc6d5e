"""Links are followed with care."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.core.filesystem.support import Watcher, World, codes, names, skill_text, write_flat, write_skill


@pytest.fixture
def outside(world: World) -> Path:
    return world.base / "outside"


def test_a_linked_folder_is_offered_with_its_real_path(world: World, watcher: Watcher, outside: Path):
    real = write_skill(outside, "knots")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "knots").symlink_to(real.parent)
    (candidate,) = watcher.look().listing.candidates
    assert candidate.path == str(world.project_agents / "knots" / "SKILL.md")
    assert candidate.real_path == str(real)
    assert candidate.project_root == str(world.project)


def test_linked_flat_files_are_offered_in_the_users_roots_and_refused_in_the_projects(
    world: World, watcher: Watcher, outside: Path
):
    flat = write_flat(outside, "flat")
    for root in (world.user_agents, world.project_agents):
        root.mkdir(parents=True)
        (root / "flat.md").symlink_to(flat)
    listing = watcher.look().listing
    assert [(c.source, c.real_path) for c in listing.candidates] == [("user-agents", str(flat))]
    assert codes(listing) == [("file.link-outside", "skills/flat.md")]


def test_a_link_within_the_skills_folder_is_offered(world: World, watcher: Watcher):
    folder = world.project_agents / "pack"
    folder.mkdir(parents=True)
    (folder / "text.txt").write_text(skill_text("pack"))
    (folder / "SKILL.md").symlink_to("text.txt")
    (candidate,) = watcher.look().listing.candidates
    assert candidate.real_path == str(folder / "text.txt")


def test_a_link_of_a_file_inside_a_linked_folder_stays_inside_that(world: World, watcher: Watcher, outside: Path):
    real = outside / "pack"
    real.mkdir(parents=True)
    (real / "text.txt").write_text(skill_text("pack"))
    (real / "SKILL.md").symlink_to("text.txt")
    (outside / "leak").mkdir()
    (outside / "leak" / "SKILL.md").symlink_to("../pack/text.txt")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "pack").symlink_to(real)
    (world.project_agents / "leak").symlink_to(outside / "leak")
    listing = watcher.look().listing
    assert names(listing) == ["pack"] and codes(listing) == [("file.link-outside", "leak/SKILL.md")]


def test_broken_links_and_links_in_a_circle_are_stated(world: World, watcher: Watcher):
    root = world.project_agents
    write_skill(root, "good")
    (root / "nowhere").symlink_to("not-there")
    (root / "flat.md").symlink_to("not-there.md")
    (root / "round").symlink_to("about")
    (root / "about").symlink_to("round")
    (root / "pack").mkdir()
    (root / "pack" / "SKILL.md").symlink_to("missing.md")
    listing = watcher.look().listing
    assert listing.complete and names(listing) == ["good"]
    assert codes(listing) == [
        ("file.dangling-link", "pack/SKILL.md"),
        ("file.dangling-link", "skills/flat.md"),
        ("file.dangling-link", "skills/nowhere"),
        ("file.link-loop", "skills/about"),
        ("file.link-loop", "skills/round"),
    ]
    (root / "not-there").mkdir()
    (root / "not-there" / "SKILL.md").write_text(skill_text("found"))
    assert "found" in names(watcher.look().listing)


def test_a_link_whose_target_goes_waits_like_a_deletion_and_is_then_a_problem(
    world: World, watcher: Watcher, outside: Path
):
    real = write_skill(outside, "knots")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "knots").symlink_to(real.parent)
    assert watcher.names() == ["knots"]
    watcher.time.go_on(60)
    real.parent.rename(outside / "away")
    observation = watcher.look()
    assert not observation.listing.complete and names(observation.listing) == ["knots"]
    watcher.time.go_on(0.2)
    listing = watcher.look().listing
    assert listing.complete and names(listing) == []
    assert codes(listing) == [("file.dangling-link", "skills/knots")]
    (outside / "away").rename(real.parent)
    assert watcher.names() == ["knots"]


def test_a_link_pointed_elsewhere_is_followed_there(world: World, watcher: Watcher, outside: Path):
    one = write_skill(outside, "one", "knots", "One.")
    two = write_skill(outside, "two", "knots", "Two.")
    world.project_agents.mkdir(parents=True)
    link = world.project_agents / "knots"
    link.symlink_to(one.parent)
    watcher.look()
    link.unlink()
    link.symlink_to(two.parent)
    (candidate,) = watcher.look().listing.candidates
    assert (candidate.description, candidate.real_path) == ("Two.", str(two))


def test_a_link_replaced_by_one_to_the_same_file_outside_is_refused(world: World, watcher: Watcher, outside: Path):
    """Device, inode, size and times of what it leads to stay the same; only the folder tells of the other link."""
    folder = world.project_agents / "pack"
    folder.mkdir(parents=True)
    outside.mkdir()
    (folder / "text.txt").write_text(skill_text("pack"))
    os.link(folder / "text.txt", outside / "text.txt")
    (folder / "SKILL.md").symlink_to("text.txt")
    assert watcher.names() == ["pack"]
    (folder / "SKILL.md").unlink()
    (folder / "SKILL.md").symlink_to(outside / "text.txt")
    listing = watcher.look().listing
    assert names(listing) == [] and codes(listing) == [("file.link-outside", "pack/SKILL.md")]


def test_a_link_to_the_root_itself_is_no_entry_and_ends(world: World, watcher: Watcher):
    root = world.project_agents
    write_skill(root, "steady")
    (root / "loop").symlink_to(".")
    (root / "up").symlink_to("..")
    for depth in (1, 6):
        listing = Watcher(world, discovery_depth=depth).look().listing
        assert names(listing) == ["steady"] and listing.problems == () and listing.complete


def test_a_file_that_becomes_a_link_and_a_link_that_becomes_a_file(world: World, watcher: Watcher, outside: Path):
    flat = write_flat(world.user_agents, "flat", "Own.")
    assert watcher.names() == ["flat"]
    other = write_flat(outside, "other", "Linked.")
    flat.unlink()
    flat.symlink_to(other)
    watcher.look()
    assert [c.description for c in watcher.look().listing.candidates] == ["Linked."]
    flat.unlink()
    write_flat(world.user_agents, "flat", "Own again.")
    assert [c.description for c in watcher.look().listing.candidates] == ["Own again."]


def test_a_link_that_leads_to_a_folder_first_and_to_a_file_then(world: World, watcher: Watcher, outside: Path):
    write_skill(outside, "pack")
    flat = write_flat(outside, "flat")
    world.user_agents.mkdir(parents=True)
    link = world.user_agents / "link.md"
    link.symlink_to(outside / "pack")
    assert watcher.names() == ["pack"]
    link.unlink()
    link.symlink_to(flat)
    watcher.look()
    watcher.time.go_on(0.3)
    assert watcher.names() == ["flat"]
    link.unlink()
    link.symlink_to(outside / "pack")
    watcher.look()
    watcher.time.go_on(0.3)
    assert watcher.names() == ["pack"]


def test_links_to_devices_are_not_opened(world: World, watcher: Watcher):
    world.user_agents.mkdir(parents=True)
    (world.user_agents / "null").symlink_to("/dev/null")
    (world.user_agents / "zero.md").symlink_to("/dev/zero")
    listing = watcher.look().listing
    assert listing.complete and codes(listing) == [("file.not-regular", "skills/zero.md")]
