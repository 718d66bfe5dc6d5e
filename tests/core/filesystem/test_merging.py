"""Who has a name, and what is reached twice."""

from __future__ import annotations

import os

from tests.core.filesystem.support import Watcher, World, codes, write_flat, write_skill


def test_entries_are_read_in_the_order_of_their_paths(world: World, watcher: Watcher):
    for folder, name in [("foo-bar", "c"), ("foo", "b"), ("Foo", "a")]:
        write_skill(world.project_agents, folder, name)
    write_flat(world.project_agents, "foo")
    order = [candidate.path for candidate in watcher.look().listing.candidates]
    tails = [path.removeprefix(str(world.project_agents) + "/") for path in order if path]
    assert tails == ["Foo/SKILL.md", "foo/SKILL.md", "foo-bar/SKILL.md", "foo.md"]


def test_the_first_of_a_name_in_a_root_wins_with_a_warning_for_the_other(world: World, watcher: Watcher):
    write_skill(world.project_agents, "one", "jars", "First.")
    write_skill(world.project_agents, "two", "jars", "Second.")
    listing = watcher.look().listing
    assert [candidate.description for candidate in listing.candidates] == ["First.", "Second."]
    assert ("name.shadowed", "two/SKILL.md") in codes(listing)
    (warning,) = [problem for problem in listing.problems if problem.code == "name.shadowed"]
    assert "one/SKILL.md" in warning.message and warning.severity == "warning" and warning.skill == "jars"


def test_a_written_name_beats_one_made_from_the_place(world: World, watcher: Watcher):
    derived = world.project_agents / "jars" / "SKILL.md"
    derived.parent.mkdir(parents=True)
    derived.write_text("---\ndescription: Made from the folder.\n---\n")
    write_skill(world.project_agents, "written", "jars", "Written.")
    listing = watcher.look().listing
    assert [candidate.description for candidate in listing.candidates] == ["Written.", "Made from the folder."]
    assert ("name.shadowed", "jars/SKILL.md") in codes(listing)


def test_the_same_name_in_two_roots_needs_no_warning(world: World, watcher: Watcher):
    write_skill(world.project_agents, "jars")
    write_skill(world.user_agents, "jars")
    listing = watcher.look().listing
    assert [candidate.source for candidate in listing.candidates] == ["project-agents", "user-agents"]
    assert listing.problems == ()


def test_a_file_reached_twice_counts_once_where_it_is_first(world: World, watcher: Watcher):
    real = write_skill(world.project_agents, "jars")
    write_skill(world.user_agents, "other")
    (world.user_agents / "alias").symlink_to(real.parent)
    hard = world.user_agents / "hard" / "SKILL.md"
    hard.parent.mkdir()
    os.link(real, hard)
    listing = watcher.look().listing
    assert [(candidate.name, candidate.source) for candidate in listing.candidates] == [
        ("jars", "project-agents"),
        ("other", "user-agents"),
    ]
    assert listing.problems == ()


def test_a_broken_file_reached_twice_is_one_problem(world: World, watcher: Watcher):
    real = write_skill(world.project_agents, "jars")
    real.write_text("---\nname: jars\n---\n")
    world.user_agents.mkdir(parents=True)
    (world.user_agents / "alias").symlink_to(real.parent)
    assert codes(watcher.look().listing) == [("description.missing", "jars/SKILL.md")]


def test_a_refused_link_does_not_hide_the_file_elsewhere(world: World, watcher: Watcher):
    real = write_skill(world.user_agents, "jars")
    link = world.project_agents / "peek" / "SKILL.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    listing = watcher.look().listing
    assert [(candidate.name, candidate.source) for candidate in listing.candidates] == [("jars", "user-agents")]
    assert codes(listing) == [("file.link-outside", "peek/SKILL.md")]
