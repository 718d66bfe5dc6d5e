"""What lies deeper than skills are looked for."""

from __future__ import annotations

import os
import shutil

import pytest

from skills_core.filesystem import tree
from skills_core.filesystem.below import look_below, same_below
from tests.core.filesystem.support import Watcher, World, codes, names, write_skill


def test_deeper_files_are_stated_with_the_setting_that_offers_them(world: World, watcher: Watcher):
    root = world.project_agents
    write_skill(root, "hem")
    write_skill(root, "kitchen/boil")
    write_skill(root, "a/b/c/deep")
    listing = watcher.look().listing
    assert names(listing) == ["hem"] and listing.complete
    assert codes(listing) == [("file.too-deep", "boil/SKILL.md"), ("file.too-deep", "deep/SKILL.md")]
    hints = {problem.path.removeprefix(str(root)): problem.hint for problem in listing.problems}
    assert "discovery_depth` to 2" in hints["/kitchen/boil/SKILL.md"]
    assert "discovery_depth` to 4" in hints["/a/b/c/deep/SKILL.md"]
    assert {problem.severity for problem in listing.problems} == {"warning"}


@pytest.mark.parametrize(("depth", "expected"), [(1, ["one"]), (2, ["one", "two"]), (4, ["four", "one", "two"])])
def test_the_setting_offers_them(depth: int, expected: list[str], world: World):
    root = world.project_agents
    write_skill(root, "one")
    write_skill(root, "x/two")
    write_skill(root, "x/y/z/four")
    listing = Watcher(world, discovery_depth=depth).look().listing
    assert names(listing) == expected
    assert len(listing.problems) == 3 - len(expected)
    assert listing.candidates[0].resource_base is not None


def test_a_skill_within_a_skill_is_stated_too(world: World, watcher: Watcher):
    write_skill(world.project_agents, "pack")
    write_skill(world.project_agents, "pack/skills/inner")
    listing = watcher.look().listing
    assert names(listing) == ["pack"] and codes(listing) == [("file.too-deep", "inner/SKILL.md")]
    assert names(Watcher(world, discovery_depth=3).look().listing) == ["inner", "pack"]


def test_never_into_dot_folders_or_installed_packages(world: World):
    root = world.project_agents
    for folder in (".trash/gone", "node_modules/dep", "x/.venv/lib", "x/node_modules/dep"):
        write_skill(root, folder)
    for depth in (1, 6):
        listing = Watcher(world, discovery_depth=depth).look().listing
        assert names(listing) == [] and listing.problems == ()


def test_the_warnings_follow_the_disk(world: World, watcher: Watcher):
    path = write_skill(world.project_agents, "kitchen/boil")
    assert len(watcher.look().listing.problems) == 1
    write_skill(world.project_agents, "kitchen/rinse")
    assert len(watcher.look().listing.problems) == 2
    shutil.rmtree(path.parent)
    assert codes(watcher.look().listing) == [("file.too-deep", "rinse/SKILL.md")]
    shutil.rmtree(world.project_agents / "kitchen")
    assert watcher.look().listing.problems == ()


def test_a_skill_within_a_skill_that_goes_takes_its_warning_along(world: World, watcher: Watcher):
    write_skill(world.project_agents, "pack")
    inner = write_skill(world.project_agents, "pack/skills/inner")
    assert len(watcher.look().listing.problems) == 1
    inner.unlink()
    assert watcher.look().listing.problems == ()


def test_deeper_entries_come_and_go_like_others(world: World):
    watcher = Watcher(world, discovery_depth=3)
    write_skill(world.project_agents, "x/y/one")
    assert watcher.names() == ["one"]
    write_skill(world.project_agents, "x/y/two")
    assert watcher.names() == ["one", "two"]
    (world.project_agents / "x" / "y").rename(world.project_agents / "x" / "z")
    assert watcher.names() == ["one", "two"]
    shutil.rmtree(world.project_agents / "x" / "z" / "one")
    assert not watcher.look().listing.complete
    watcher.time.go_on(0.3)
    assert watcher.names() == ["two"]


def test_a_bundles_resources_cost_nothing_in_later_sweeps(world: World, watcher: Watcher):
    write_skill(world.project_agents, "pack")
    for number in range(20):
        (world.project_agents / "pack" / "references" / f"part-{number}").mkdir(parents=True)
    folders = watcher.look().folders
    assert not any("references" in folder for folder in folders)
    (known,) = [t for t in watcher.observer.trees_of(str(world.project)) if t.folders]
    assert [folder.below.folders for folder in known.folders.values() if folder.below] == [()]


def test_the_number_of_folders_is_bounded_and_that_is_said(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tree, "FOLDERS_MAX", 30)
    monkeypatch.setattr("skills_core.filesystem.folder_look.FOLDERS_MAX", 30)
    for number in range(40):
        write_skill(world.project_agents, f"group/skill-{number:02}")
    for number in range(50):
        write_skill(world.project_agents, f"direct-{number:02}")
    for depth, offered in ((1, 50), (2, 80)):
        listing = Watcher(world, discovery_depth=depth).look().listing
        assert len(listing.candidates) == offered, "direct children are never left out"
        said = [problem for problem in listing.problems if problem.path == str(world.project_agents)]
        assert [problem.code for problem in said] == ["file.too-deep"] and "2,000 folders" in said[0].message
        assert listing.complete


def test_links_to_folders_are_followed_down_to_the_depth_and_circles_are_cut(world: World):
    outside = world.base / "outside"
    write_skill(outside, "group/inner")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "linked").symlink_to(outside)
    (outside / "group" / "back").symlink_to(outside)
    listing = Watcher(world, discovery_depth=6).look().listing
    assert names(listing) == ["inner"] and listing.complete
    assert listing.candidates[0].real_path == str(outside / "group" / "inner" / "SKILL.md")


def test_a_link_below_the_first_level_is_followed_and_one_that_leads_nowhere_is_stated(world: World):
    root = world.project_agents
    write_skill(world.base / "elsewhere", "linked")
    write_skill(root, "team/own")
    (root / "team" / "linked").symlink_to(world.base / "elsewhere" / "linked")
    (root / "team" / "gone").symlink_to(world.base / "nowhere")
    (root / "team" / "round").symlink_to("round")
    (root / "team" / "own" / "data").symlink_to(world.base / "nowhere")
    (root / "team" / "notes.txt").write_text("x")
    (root / "team" / "notes").symlink_to("notes.txt")
    watcher = Watcher(world, discovery_depth=3)
    listing = watcher.look().listing
    assert names(listing) == ["linked", "own"] and listing.complete
    assert [(problem.code, (problem.path or "").removeprefix(str(root))) for problem in listing.problems] == [
        ("file.dangling-link", "/team/gone"),
        ("file.link-loop", "/team/round"),
    ]
    (root / "team" / "gone").unlink()
    (root / "team" / "round").unlink()
    watcher.look()
    watcher.time.go_on(1)
    assert watcher.look().listing.problems == ()


def test_a_look_below_that_is_younger_than_the_clocks_tick_is_not_trusted(world: World):
    write_skill(world.project_agents, "kitchen/boil")
    root = os.open(world.project_agents, os.O_RDONLY)
    try:
        changed = os.stat(world.project_agents / "kitchen" / "boil").st_ctime_ns
        for moment, trusted in ((changed, False), (changed + 1, True)):
            below = look_below(root, "kitchen", 1, 100, (0, 0), moment)
            assert below.found == ("kitchen/boil/SKILL.md",) and same_below(root, below) is trusted
    finally:
        os.close(root)
