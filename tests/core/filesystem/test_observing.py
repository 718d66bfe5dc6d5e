"""Observations: what they find, that they equal the disk at one moment, and what they do not read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skills_core.filesystem import observing, opening, reading
from skills_core.filesystem.signature import TRUST_AFTER, may_have_changed_since
from skills_core.filesystem.sweep import Sweep
from skills_core.filesystem.tree import RootTree
from skills_core.skill import DirectoryBase
from tests.core.filesystem.support import Watcher, World, codes, names, write_flat, write_skill


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The skill files that were read, by their folders' names."""
    folders: list[str] = []
    really = reading.read_known

    def note(rel: str, *arguments: object) -> object:
        folders.append(rel.split("/")[0])
        return really(rel, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "read_known", note)
    return folders


def test_bundles_and_flat_files(world: World, watcher: Watcher):
    bundle = write_skill(world.project_agents, "pack", description="In a folder.")
    flat = write_flat(world.project_agents, "single", "On its own.")
    first, second = watcher.look().listing.candidates
    assert (first.name, first.path, first.resource_base) == ("pack", str(bundle), DirectoryBase(str(bundle.parent)))
    assert (second.name, second.path) == ("single", str(flat))
    assert second.resource_base == DirectoryBase(str(world.project_agents))
    assert (first.source, first.rank, first.provider) == ("project-agents", 200, "filesystem")


def test_only_the_frontmatter_is_read_and_as_much_of_it_as_there_is(world: World, watcher: Watcher):
    path = write_skill(world.project_agents, "long")
    extra = "".join(f"key-{number}: value\n" for number in range(900))
    path.write_text(f"---\n{extra}name: long\ndescription: At the end.\n---\n{'body ' * 30000}")
    assert [candidate.description for candidate in watcher.look().listing.candidates] == ["At the end."]


def test_names_that_begin_with_a_dot_and_other_files_are_no_entries(world: World, watcher: Watcher):
    root = world.user_dsh
    write_skill(root, ".system")
    write_skill(root, ".hidden", "hidden")
    write_flat(root, ".flat")
    (root / "notes.txt").write_text("---\nname: notes\ndescription: no\n---\n")
    (root / "README.md").write_text("# Nothing")
    (root / "empty").mkdir()
    write_skill(root, "seen")
    listing = watcher.look().listing
    assert names(listing) == ["seen"] and listing.problems == () and listing.complete


def test_names_of_any_bytes_do_no_harm(world: World, watcher: Watcher):
    root = os.fsencode(world.project_agents)
    os.makedirs(root)
    for name in (b"bad-\xff\xfe", b"line\nbreak", b"x" * 250, "\u202etxt".encode(), b"[red]"):
        os.mkdir(root + b"/" + name)
        with open(root + b"/" + name + b"/SKILL.md", "wb") as file:
            file.write(b"---\nname: skill-%d\ndescription: Text.\n---\n" % len(name))
    with open(root + b"/flat-\xfa.md", "wb") as file:
        file.write(b"---\nname: flat\ndescription: Text.\n---\n")
    os.symlink(b"nowhere\xff", root + b"/link-\xff")
    listing = watcher.look().listing
    assert listing.complete
    assert len(listing.candidates) == 6
    dangling = next(problem for problem in listing.problems if problem.code == "file.dangling-link")
    assert dangling.path.encode("utf-8", "surrogateescape").endswith(b"link-\xff")
    for problem in listing.problems:
        problem.message.encode()  # can be printed


def test_an_unchanged_file_is_neither_opened_nor_parsed_again(world: World, watcher: Watcher, opened: list[str]):
    write_skill(world.project_agents, "same")
    changing = write_skill(world.project_agents, "other")
    first = watcher.look().listing
    assert len(opened) == 2
    opened.clear()
    assert watcher.look().listing is first
    assert opened == []
    changing.write_text(changing.read_text().replace("Does it.", "Does more."))
    second = watcher.look().listing
    assert opened == ["other"]
    assert second.candidates[1] is first.candidates[1], "an unchanged entry keeps its candidate"
    assert second.candidates[0].description == "Does more."


def test_touch_and_chmod_change_nothing_that_is_listed(world: World, watcher: Watcher):
    path = write_skill(world.project_agents, "same")
    before = watcher.look().listing
    os.utime(path, (1, 1))
    path.chmod(0o600)
    (path.parent / "references").mkdir()
    (path.parent / "references" / "notes.md").write_text("no skill")
    assert watcher.look().listing == before


def test_a_file_changed_within_the_clocks_tick_is_read_again(world: World, watcher: Watcher, opened: list[str]):
    """With a clock that stands still, equal signatures prove nothing: git calls such an entry racily clean."""
    path = write_skill(world.project_agents, "same")
    ahead = os.stat(path).st_ctime_ns + 500_000_000
    watcher.time.shift_ns = 0
    clock = watcher.time.clock
    frozen = observing.Observer(world.settings(), type(clock)(clock.monotonic, lambda: ahead - 1_000_000_000))
    cwd = str(world.project)
    frozen.observe(cwd)
    assert len(opened) == 1
    frozen.observe(cwd)
    assert len(opened) == 2, "its ctime lies after the moment at which it was read"
    watcher.time.now += TRUST_AFTER
    frozen.observe(cwd)
    opened.clear()
    frozen.observe(cwd)
    assert opened == [], "in the end a clock that runs ahead is not believed"


def test_times_and_moments():
    assert may_have_changed_since(100, 100) and may_have_changed_since(101, 100)
    assert not may_have_changed_since(99, 100)
    second = 1_000_000_000
    assert may_have_changed_since(5 * second, 6 * second), "a file system that keeps seconds"
    assert not may_have_changed_since(5 * second, 7 * second)


def test_a_change_during_the_sweep_leads_to_another_one(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    """Two skills are swapped while the sweep is on its way: the state in between is never listed."""
    write_skill(world.project_dsh, "first", description="Old first.")
    write_skill(world.project_agents, "second", description="Old second.")
    watcher.look()
    run = Sweep.run
    sweeps = 0

    def change_in_between(self: Sweep, tree: RootTree, root_fd: int) -> None:
        nonlocal sweeps
        sweeps += 1
        run(self, tree, root_fd)
        if sweeps == 1:
            write_skill(world.project_dsh, "first", description="New first.")
            write_skill(world.project_agents, "second", description="New second.")

    monkeypatch.setattr(Sweep, "run", change_in_between)
    listing = watcher.look().listing
    assert listing.complete
    assert [candidate.description for candidate in listing.candidates] == ["New first.", "New second."]
    assert sweeps >= 4


def test_a_change_after_the_sweep_and_before_the_reading_leads_to_another_one(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    write_skill(world.project_agents, "first", description="Old first.")
    write_skill(world.project_agents, "second", description="Old second.")
    really = reading.read_known
    done = False

    def change_first(rel: str, *arguments: object) -> object:
        nonlocal done
        if not done and rel == "second/SKILL.md":
            done = True
            write_skill(world.project_agents, "second", description="New second.")
        return really(rel, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "read_known", change_first)
    listing = watcher.look().listing
    assert done and listing.complete
    assert [candidate.description for candidate in listing.candidates] == ["Old first.", "New second."]


@pytest.mark.parametrize("length", [10, 9000], ids=["within the first bytes", "longer"])
def test_a_change_while_a_file_is_read_leads_to_another_sweep(
    length: int, world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    """What was read is used only when the open file is still what it was before."""
    extra = f"note: {'x' * length}\n"
    path = write_skill(world.project_agents, "torn")
    path.write_text(f"---\n{extra}name: torn\ndescription: Old.\n---\n")
    really = os.read
    done = False

    def change_after(descriptor: int, size: int) -> bytes:
        nonlocal done
        data = really(descriptor, size)
        if not done and b"torn" in data:
            done = True
            path.write_text(f"---\n{extra}name: torn\ndescription: New.\n---\n")
        return data

    monkeypatch.setattr(opening.os, "read", change_after)
    listing = watcher.look().listing
    assert done and listing.complete
    assert [candidate.description for candidate in listing.candidates] == ["New."]


def test_a_root_swapped_during_the_sweep_is_swept_again(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    write_skill(world.project_agents, "old")
    write_skill(world.project / "other", "new")
    Watcher(world).look()  # from here on all this lies in the past
    run = Sweep.run
    done = False

    def swap(self: Sweep, tree: RootTree, root_fd: int) -> None:
        nonlocal done
        run(self, tree, root_fd)
        if not done and tree.spec.path == str(world.project_agents):
            done = True
            world.project_agents.rename(world.project / "away")
            (world.project / "other").rename(world.project_agents)

    monkeypatch.setattr(Sweep, "run", swap)
    listing = watcher.look().listing
    assert done and names(listing) == ["new"]


def test_a_root_that_appears_during_the_sweep_is_swept_too(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    write_skill(world.project_agents, "here")
    Watcher(world).look()  # from here on it lies in the past
    run = Sweep.run
    done = False

    def appear(self: Sweep, tree: RootTree, root_fd: int) -> None:
        nonlocal done
        run(self, tree, root_fd)
        if not done:
            done = True
            write_skill(world.project_dsh, "there")

    monkeypatch.setattr(Sweep, "run", appear)
    assert names(watcher.look().listing) == ["here", "there"]


def test_folders_that_keep_changing_are_incomplete_and_looked_at_again(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
):
    path = write_skill(world.project_agents, "restless")
    run = Sweep.run
    number = 0

    def always_change(self: Sweep, tree: RootTree, root_fd: int) -> None:
        nonlocal number
        number += 1
        path.write_text(f"---\nname: restless\ndescription: Number {number}.\n---\n")
        run(self, tree, root_fd)

    monkeypatch.setattr(Sweep, "run", always_change)
    observation = watcher.look()
    assert not observation.listing.complete
    assert [reason.kind for reason in observation.listing.reasons] == ["changing"]
    assert observation.due is not None and observation.due - watcher.time.now < 1
    monkeypatch.undo()
    assert watcher.names() == ["restless"]


def test_what_does_not_matter_may_keep_changing(world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch):
    write_skill(world.project_agents, "calm")
    run = Sweep.run
    number = 0

    def make_other_files(self: Sweep, tree: RootTree, root_fd: int) -> None:
        nonlocal number
        number += 1
        if tree.presence == "present":
            (world.project_agents / f"log-{number}.txt").write_text("x")
        run(self, tree, root_fd)

    monkeypatch.setattr(Sweep, "run", make_other_files)
    assert watcher.names() == ["calm"]


def test_a_file_whose_time_lies_in_the_future_is_listed(world: World):
    """The file system's clock runs an hour ahead: nothing waits for it."""
    write_skill(world.project_agents, "ahead")
    watcher = Watcher(world)
    watcher.time.shift_ns = -3_600_000_000_000
    assert watcher.names() == ["ahead"]


def test_a_root_that_is_replaced_is_found(world: World, watcher: Watcher):
    write_skill(world.project_agents, "old")
    assert watcher.names() == ["old"]
    other = world.project / "other"
    write_skill(other, "new")
    world.project_agents.rename(world.project / "away")
    other.rename(world.project_agents)
    watcher.look()
    watcher.time.go_on(0.3)
    assert watcher.names() == ["new"]


def test_roots_that_are_missing_or_files_are_empty(world: World, watcher: Watcher):
    world.project_agents.parent.mkdir()
    world.project_agents.write_text("a file")
    observation = watcher.look()
    assert observation.listing.complete and names(observation.listing) == []
    assert [presence for _, presence in observation.presence] == ["missing", "not-a-folder", "missing", "missing"]


def test_the_letter_case_of_the_file(world: World, watcher: Watcher):
    root = world.project_agents
    write_skill(root, "lower").rename(root / "lower" / "skill.md")
    write_skill(root, "both", description="Exact.")
    (root / "both" / "Skill.md").write_text("---\nname: both\ndescription: Other.\n---\n")
    listing = watcher.look().listing
    assert [candidate.description for candidate in listing.candidates] == ["Exact.", "Does it."]
    assert codes(listing) == [("file.letter-case", "lower/skill.md")]
    (root / "lower" / "skill.md").rename(root / "lower" / "SKILL.md")
    watcher.look()
    watcher.time.go_on(0.3)
    assert codes(watcher.look().listing) == []


def test_a_file_too_large_is_a_problem_but_not_a_large_readme(world: World, watcher: Watcher):
    root = world.project_agents
    path = write_skill(root, "whale")
    os.truncate(path, 300 << 20)
    (root / "CHANGELOG.md").write_bytes(b"# Changes\n" * 200_000)
    listing = watcher.look().listing
    assert listing.complete and names(listing) == []
    assert codes(listing) == [("file.too-large", "whale/SKILL.md")]
    assert "314,572,800" in listing.problems[0].message


def test_a_fault_in_the_reader_is_that_entrys_problem(world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch):
    write_skill(world.project_agents, "good")
    write_skill(world.project_agents, "odd")
    really = reading.read_document

    def fail_for_odd(data: bytes, entry: object, **arguments: object) -> object:
        if b"odd" in data:
            raise RecursionError
        return really(data, entry, **arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "read_document", fail_for_odd)
    listing = watcher.look().listing
    assert names(listing) == ["good"] and listing.complete
    assert codes(listing) == [("file.unexpected", "odd/SKILL.md")]


def test_the_folders_that_matter(world: World, watcher: Watcher):
    write_skill(world.project_agents, "real")
    (world.project_agents / "real" / "references").mkdir()
    outside = world.base / "outside"
    write_skill(outside, "linked")
    (world.project_agents / "alias").symlink_to(outside / "linked")
    root = str(world.project_agents)
    expected = {root, f"{root}/real", str(outside / "linked"), str(world.project), str(world.home)}
    assert watcher.look().folders == expected
    assert Watcher(world, watch_follow_symlinks=False).look().folders == expected - {str(outside / "linked")}


def test_the_files_behind_links_are_watched_in_their_folder(world: World, watcher: Watcher):
    outside = world.base / "outside"
    flat = write_flat(outside, "flat")
    world.user_agents.mkdir(parents=True)
    (world.user_agents / "flat.md").symlink_to(flat)
    assert str(outside) in watcher.look().folders


def test_a_linked_root_is_watched_itself_only_when_links_are_followed(world: World):
    real = world.base / "real"
    write_skill(real, "tidy")
    (world.home / ".agents").mkdir()
    world.user_agents.symlink_to(real)
    assert {str(real), str(real / "tidy")} <= Watcher(world).look().folders
    unfollowed = Watcher(world, watch_follow_symlinks=False).look()
    assert names(unfollowed.listing) == ["tidy"]
    assert str(real) not in unfollowed.folders and str(world.home / ".agents") in unfollowed.folders


def test_candidates_show_a_new_real_path_when_the_folder_above_moves(world: World, watcher: Watcher, tmp_path: Path):
    one = tmp_path / "one"
    write_skill(one / "skills", "tidy")
    (world.home / ".agents").symlink_to(one)
    assert [c.real_path for c in watcher.look().listing.candidates] == [str(one / "skills" / "tidy" / "SKILL.md")]
    one.rename(tmp_path / "two")
    (world.home / ".agents").unlink()
    (world.home / ".agents").symlink_to(tmp_path / "two")
    candidates = watcher.look().listing.candidates
    assert [c.real_path for c in candidates] == [str(tmp_path / "two" / "skills" / "tidy" / "SKILL.md")]
