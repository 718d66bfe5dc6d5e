"""What a link leads to is moved, or a file goes, between two of a sweep's own calls: nothing is lost for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.filesystem.support import Watcher, World, names, skill_text, write_flat, write_skill

Deed = Callable[[], object]


@pytest.fixture
def outside(world: World) -> Path:
    return world.base / "outside"


def interrupt(monkeypatch: pytest.MonkeyPatch, *steps: tuple[str, Deed | None]) -> list[tuple[str, Deed | None]]:
    """Before a sweep stats a path that is next in ``steps``, its deed is done. Returns the steps not yet come to."""
    left = list(steps)
    really = os.stat

    def stat(path: Any, **options: Any) -> os.stat_result:
        if left and path == left[0][0] and options.get("dir_fd") is not None and options.get("follow_symlinks", True):
            _, deed = left.pop(0)
            if deed is not None:
                deed()
        return really(path, **options)

    monkeypatch.setattr(os, "stat", stat)
    return left


def point(link: Path, target: Path) -> None:
    new = link.with_name(f"{link.name}.new")
    new.symlink_to(target)
    new.replace(link)


def settled_names(watcher: Watcher) -> list[str]:
    """The names once nothing is in flight any more."""
    for _ in range(20):
        listing = watcher.look().listing
        if listing.complete:
            return names(listing)
        watcher.time.go_on(0.3)
    raise AssertionError(listing.reasons)


def test_the_target_is_away_while_its_file_is_looked_at(
    world: World, watcher: Watcher, outside: Path, monkeypatch: pytest.MonkeyPatch
):
    write_skill(outside / "pack", "knots")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "knots").symlink_to(outside / "pack" / "knots")
    watcher.time.go_on(60)
    aside = outside / "aside"
    left = interrupt(
        monkeypatch,
        ("knots/SKILL.md", lambda: (outside / "pack").rename(aside)),
        ("knots", lambda: aside.rename(outside / "pack")),
    )
    watcher.look()
    watcher.time.go_on(60)
    assert settled_names(watcher) == ["knots"] and not left


def test_a_link_on_the_way_leads_elsewhere_while_the_folder_is_looked_at(
    world: World, watcher: Watcher, outside: Path, monkeypatch: pytest.MonkeyPatch
):
    write_skill(outside / "one", "knots")
    (outside / "two" / "knots").mkdir(parents=True)
    way = outside / "way"
    way.symlink_to(outside / "one")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "knots").symlink_to(way / "knots")
    watcher.time.go_on(60)
    left = interrupt(
        monkeypatch,
        ("knots/SKILL.md", lambda: point(way, outside / "two")),
        ("knots", lambda: point(way, outside / "one")),
    )
    watcher.look()
    watcher.time.go_on(60)
    assert settled_names(watcher) == ["knots"] and not left


def test_a_linked_flat_file_goes_between_two_looks_and_comes_back(
    world: World, watcher: Watcher, outside: Path, monkeypatch: pytest.MonkeyPatch
):
    file = write_flat(outside, "knots")
    aside = outside / "aside"
    world.user_agents.mkdir(parents=True)
    (world.user_agents / "knots.md").symlink_to(file)
    watcher.time.go_on(60)
    left = interrupt(monkeypatch, ("knots.md", None), ("knots.md", lambda: file.rename(aside)))
    watcher.look()
    assert not left
    aside.rename(file)
    watcher.time.go_on(60)
    assert settled_names(watcher) == ["knots"]


def test_a_flat_file_goes_between_the_listing_and_the_look_and_comes_back(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    file = write_flat(world.project_agents, "knots")
    watcher.time.go_on(60)
    left = interrupt(monkeypatch, ("knots.md", file.unlink))
    watcher.look()
    assert not left
    file.write_text(skill_text("knots"))
    watcher.time.go_on(60)
    assert settled_names(watcher) == ["knots"]


def test_the_real_path_follows_a_target_that_was_renamed(world: World, watcher: Watcher, outside: Path):
    write_skill(outside / "one", "knots")
    way = outside / "way"
    way.symlink_to(outside / "one" / "knots")
    world.project_agents.mkdir(parents=True)
    (world.project_agents / "knots").symlink_to(way)
    watcher.look()
    watcher.time.go_on(60)
    (outside / "one" / "knots").rename(outside / "one" / "ropes")
    point(way, outside / "one" / "ropes")
    observation = watcher.look()
    (candidate,) = observation.listing.candidates
    assert candidate.real_path == str(outside / "one" / "ropes" / "SKILL.md")
    assert str(outside / "one" / "ropes") in observation.folders
