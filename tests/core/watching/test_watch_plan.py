from __future__ import annotations

from skills_core.filesystem.watching.watch_plan import (
    SMALL_SET,
    WatchChange,
    lies_at_or_below,
    nearest_existing_ancestor,
    plan_watch,
    stale_watches,
    with_ancestors,
)

NONE: frozenset[str] = frozenset()


def folders(count: int, prefix: str = "/r/s") -> frozenset[str]:
    return frozenset(f"{prefix}{number}" for number in range(count))


def test_nothing_wanted_needs_no_watcher():
    assert plan_watch(NONE, None, (), NONE) is None


def test_the_first_watcher_covers_everything():
    wanted = folders(3)
    assert plan_watch(wanted, None, (), NONE) == WatchChange("main", wanted)


def test_what_is_watched_needs_nothing():
    wanted = folders(3)
    assert plan_watch(wanted, wanted, (), NONE) is None


def test_a_small_set_is_watched_exactly_by_one_watcher():
    wanted = folders(3)
    assert plan_watch(wanted, wanted | {"/released"}, (), NONE) == WatchChange("main", wanted)
    assert plan_watch(wanted, wanted - {"/r/s1"}, (), NONE) == WatchChange("main", wanted)
    assert plan_watch(wanted, wanted - {"/r/s1"}, {"/r/s1"}, NONE) == WatchChange("main", wanted)


def test_a_folder_that_cannot_be_watched_is_not_tried_for_ever():
    wanted = folders(3)
    assert plan_watch(wanted, wanted - {"/r/s1"}, (), frozenset({"/r/s1"})) is None


def test_a_new_folder_in_a_large_set_opens_only_the_small_watcher():
    main = folders(SMALL_SET + 10)
    first = plan_watch(main | {"/r/new"}, main, (), NONE)
    assert first == WatchChange("recent", frozenset({"/r/new"}))
    second = plan_watch(main | {"/r/new", "/r/more"}, main, {"/r/new"}, NONE)
    assert second == WatchChange("recent", frozenset({"/r/new", "/r/more"}))
    assert plan_watch(main | {"/r/new"}, main, {"/r/new"}, NONE) is None


def test_the_small_watcher_gives_up_what_is_no_longer_wanted():
    main = folders(SMALL_SET + 10)
    assert plan_watch(main, main, {"/r/new"}, NONE) == WatchChange("recent", NONE)


def test_the_small_watcher_joins_the_large_one_when_it_has_grown():
    main = folders(SMALL_SET + 10)
    new = folders(SMALL_SET + 1, "/r/new")
    assert plan_watch(main | new, main, (), NONE) == WatchChange("main", main | new)


def test_a_large_watcher_keeps_a_few_unwanted_folders_and_sheds_many():
    wanted = folders(SMALL_SET + 10)
    assert plan_watch(wanted, wanted | {"/released"}, (), NONE) is None
    many = folders(2 * SMALL_SET + 600, "/released")
    assert plan_watch(wanted, wanted | many, (), NONE) == WatchChange("main", wanted)


def test_every_plan_leads_to_a_state_that_needs_no_further_plan():
    wanted = folders(SMALL_SET + 50) | {"/gone"}
    for main in (None, NONE, folders(5), folders(SMALL_SET + 20), folders(5000), folders(600, "/other")):
        for recent in (NONE, frozenset({"/other"}), folders(2)):
            state_main, state_recent = main, (recent if main is not None else NONE)
            for _ in range(3):
                change = plan_watch(wanted, state_main, state_recent, frozenset({"/gone"}))
                if change is None:
                    break
                if change.which == "main":
                    state_main, state_recent = change.folders - {"/gone"}, NONE
                else:
                    state_recent = change.folders - {"/gone"}
            else:
                raise AssertionError(f"no end for {len(main or ())} and {len(recent)} folders")
            assert wanted - {"/gone"} <= (state_main or NONE) | state_recent


def test_the_nearest_existing_ancestor_is_found_from_below():
    there = {"/a", "/a/b"}
    assert nearest_existing_ancestor("/a/b/c/d", there.__contains__) == "/a/b"
    assert nearest_existing_ancestor("/a/b", there.__contains__) == "/a"
    assert nearest_existing_ancestor("/x/y", there.__contains__) == "/"
    assert nearest_existing_ancestor("/x", there.__contains__) == "/"


def test_a_replaced_folder_makes_the_watches_at_and_below_it_stale():
    watched = ["/r", "/r/a", "/r/ab", "/r/a/b", "/s"]
    assert stale_watches(watched, {"/r/a"}) == ["/r/a", "/r/a/b"]
    assert stale_watches(watched, {"/r"}) == ["/r", "/r/a", "/r/ab", "/r/a/b"]
    assert stale_watches(watched, set()) == []


def test_below_the_root_of_the_file_system_lies_everything():
    assert lies_at_or_below("/a/b", {"/"})
    assert not lies_at_or_below("/a/b", {"/a/bc"})


def test_ancestors_are_the_folders_and_all_above():
    assert with_ancestors(["/a/b/c", "/a/d"]) == {"/", "/a", "/a/b", "/a/b/c", "/a/d"}
