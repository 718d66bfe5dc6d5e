"""FolderWatch over real folders with real native watchers."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from skills_core.filesystem.watching import FolderWatch, WatchStatus, cadence, native
from tests.core.watching.support import DEADLINE, Recorder, Settings, watching


async def test_a_changed_file_is_told_by_its_path(tmp_path: Path):
    async with watching(tmp_path) as (watch, recorder):
        assert watch.status == WatchStatus("native") and watch.watches(str(tmp_path))
        (tmp_path / "flat.md").write_text("x")
        await recorder.until(lambda: str(tmp_path / "flat.md") in recorder.paths, "the file's path")


async def test_a_deletion_and_a_save_by_rename_are_told(tmp_path: Path):
    target = tmp_path / "SKILL.md"
    target.write_text("x")
    async with watching(tmp_path) as (_, recorder):
        (tmp_path / "4913").write_text("y")
        (tmp_path / "4913").rename(target)
        await recorder.until(lambda: str(target) in recorder.paths, "the save by rename")
        recorder.forget()
        target.unlink()
        await recorder.until(lambda: str(target) in recorder.paths, "the deletion")


async def test_only_direct_children_of_the_wanted_folders_are_told(tmp_path: Path):
    resources = tmp_path / "bundle" / "references"
    resources.mkdir(parents=True)
    async with watching(tmp_path, tmp_path / "bundle") as (_, recorder):
        (resources / "deep.md").write_text("x")
        (tmp_path / "bundle" / "SKILL.md").write_text("x")
        await recorder.until(lambda: str(tmp_path / "bundle" / "SKILL.md") in recorder.paths, "the later file")
        assert str(resources / "deep.md") not in recorder.paths


async def test_events_that_come_together_are_one_hint(tmp_path: Path):
    async with watching(tmp_path) as (_, recorder):
        for number in range(50):
            (tmp_path / f"{number}.md").write_text("x")
        await recorder.until(lambda: len(recorder.paths) == 50, "fifty files")
        assert sum(1 for hint in recorder.hints if hint) <= 5


async def test_folders_made_and_filled_at_once_are_told_again_after_their_files_are_there(tmp_path: Path):
    """The kernel cannot report the file: no watch is on the folder yet."""
    complete: dict[str, bool] = {}

    class Looking(Recorder):
        def hint(self, paths: frozenset[str]) -> None:
            for path in paths:
                complete[path] = os.path.exists(os.path.join(path, "SKILL.md"))
            super().hint(paths)

    recorder = Looking()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    watch.want(frozenset({str(tmp_path)}))
    assert await watch.armed(5)

    async def fill(number: int) -> None:
        folder = tmp_path / f"bundle-{number}"
        folder.mkdir()
        # Long enough for a first hint to come before the file, short enough for the last echo to come after it.
        await asyncio.sleep(0.06)
        (folder / "SKILL.md").write_text("x")

    try:
        await asyncio.gather(*(fill(number) for number in range(30)))
        await recorder.until(
            lambda: len(complete) == 30 and all(complete.values()), "a hint for each folder after its file was there"
        )
    finally:
        await watch.aclose()


async def test_an_appeared_folder_is_told_three_times(tmp_path: Path):
    async with watching(tmp_path) as (_, recorder):
        folder = str(tmp_path / "bundle")
        os.mkdir(folder)
        await recorder.until(lambda: recorder.hints.count(frozenset({folder})) == 3, "the folder and its two echoes")


async def test_a_missing_folder_is_left_out_and_the_others_are_watched(tmp_path: Path):
    missing = tmp_path / "missing"
    async with watching(tmp_path, missing, tmp_path / "also" / "missing") as (watch, recorder):
        assert watch.status.mode == "native"
        assert watch.watches(str(tmp_path)) and not watch.watches(str(missing))
        missing.mkdir()
        await recorder.until(lambda: watch.watches(str(missing)), "the watch on the folder that came")
        (missing / "SKILL.md").write_text("x")
        await recorder.until(lambda: str(missing / "SKILL.md") in recorder.paths, "the file in it")


async def test_a_file_in_the_place_of_a_folder_is_left_out(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    async with watching(tmp_path, tmp_path / "file") as (watch, _):
        assert watch.status.mode == "native" and not watch.watches(str(tmp_path / "file"))


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.1])
async def test_a_folder_deleted_and_made_again_is_watched_again(tmp_path: Path, pause: float):
    root = tmp_path / "skills"
    root.mkdir()
    async with watching(tmp_path, root) as (watch, recorder):
        shutil.rmtree(root)
        await asyncio.sleep(pause)
        root.mkdir()
        await recorder.until(lambda: str(root) in recorder.paths, "the loss of the root")
        recorder.forget()
        await recorder.until(lambda: watch.watches(str(root)) and recorder.sweeps > 0, "the new watch")
        (root / "later.md").write_text("x")
        await recorder.until(lambda: str(root / "later.md") in recorder.paths, "a file in the new root")


async def test_a_root_exchanged_for_another_takes_the_watches_of_its_bundles_along(tmp_path: Path):
    root, other = tmp_path / "skills", tmp_path / "other"
    for place in (root, other):
        (place / "bundle").mkdir(parents=True)
        (place / "bundle" / "SKILL.md").write_text("x")
    async with watching(tmp_path, root, root / "bundle") as (watch, recorder):
        root.rename(tmp_path / "old")
        other.rename(root)
        await recorder.until(lambda: str(root) in recorder.paths, "the exchange")
        recorder.forget()
        await recorder.until(
            lambda: recorder.sweeps > 0 and watch.watches(str(root / "bundle")), "the watch on the new bundle"
        )
        (root / "bundle" / "SKILL.md").write_text("changed")
        await recorder.until(
            lambda: str(root / "bundle" / "SKILL.md") in recorder.paths, "the change in the new bundle"
        )


async def test_a_loss_that_nobody_reports_is_found_by_looking(tmp_path: Path):
    """Moving a folder above the watched one away reports nothing on the watched one."""
    root = tmp_path / "above" / "skills"
    root.mkdir(parents=True)
    async with watching(root) as (watch, recorder):
        (tmp_path / "above").rename(tmp_path / "moved")
        root.mkdir(parents=True)
        # Native events still tell of the moved folder under the old name: only a new watch tells of the new file.
        for attempt in range(20):
            recorder.forget()
            await recorder.until(lambda: recorder.sweeps > 0, "a look at everything")
            (root / f"{attempt}.md").write_text("x")
            await asyncio.sleep(0.1)
            if str(root / f"{attempt}.md") in recorder.paths:
                break
        else:
            raise AssertionError("the folder under the old name was never watched")
        assert watch.watches(str(root))


async def test_a_folder_no_longer_wanted_is_no_longer_told(tmp_path: Path):
    kept, released = tmp_path / "kept", tmp_path / "released"
    kept.mkdir()
    released.mkdir()
    async with watching(kept, released) as (watch, recorder):
        watch.want(frozenset({str(kept)}))
        assert await watch.armed(5)
        recorder.forget()
        (released / "a.md").write_text("x")
        (kept / "a.md").write_text("x")
        await recorder.until(lambda: str(kept / "a.md") in recorder.paths, "the kept folder's file")
        assert str(released / "a.md") not in recorder.paths and not watch.watches(str(released))


async def test_a_folder_added_to_the_set_is_followed_by_a_look_at_everything(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    async with watching(first) as (watch, recorder):
        watch.want(frozenset({str(first), str(second)}))
        assert not watch.watches(str(second))
        assert await watch.armed(5)
        assert watch.watches(str(second))
        await recorder.until(lambda: recorder.sweeps > 0, "the look at everything")


async def test_no_event_is_lost_while_the_set_changes(tmp_path: Path):
    """The old watcher stays until the new one is open: every file is told by its path or lies before a look."""
    root = tmp_path / "root"
    root.mkdir()
    wanted = {str(root)}
    seen: set[str] = set()

    class Sweeping(Recorder):
        def hint(self, paths: frozenset[str]) -> None:
            seen.update(paths or (str(path) for path in root.iterdir()))
            super().hint(paths)

    recorder = Sweeping()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    watch.want(frozenset(wanted))
    assert await watch.armed(5)
    try:
        written: set[str] = set()
        for number in range(60):
            if number % 6 == 0:
                extra = tmp_path / f"extra-{number}"
                extra.mkdir()
                wanted.add(str(extra))
                watch.want(frozenset(wanted))
            (root / f"{number}.md").write_text("x")
            written.add(str(root / f"{number}.md"))
            await asyncio.sleep(0.01)
        await recorder.until(lambda: written <= seen, "every written file", within=0.9)
    finally:
        await watch.aclose()


async def test_the_slow_timer_asks_to_look_at_everything(tmp_path: Path):
    async with watching(tmp_path) as (_, recorder):
        await recorder.until(lambda: recorder.sweeps >= 2, "two looks at everything", within=3.5)


async def test_a_costly_look_makes_the_slow_timer_slower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cadence, "safety_interval", lambda cost: 0.05 + 1_000 * cost)
    async with watching(tmp_path) as (watch, recorder), watching(tmp_path) as (_, mark):
        watch.sweep_cost(0.04)
        await recorder.until(lambda: recorder.sweeps >= 1, "the look that was due already")
        recorder.forget()
        mark.forget()
        await mark.until(lambda: mark.sweeps >= 5, "five looks of a watcher whose looks cost nothing")
        assert recorder.sweeps == 0


async def test_wanting_the_same_again_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cadence, "safety_interval", lambda cost: 60.0)
    # On a busy machine the two watchers would rest for different times.
    monkeypatch.setattr(cadence, "rebuild_pause", lambda build_seconds: 0.1)
    kept, other, missing = tmp_path / "kept", tmp_path / "other", tmp_path / "missing"
    kept.mkdir()
    other.mkdir()
    async with watching(kept, missing) as (watch, recorder), watching(kept) as (opened_anew, mark):
        for _ in range(100):
            watch.want(frozenset({str(kept), str(missing)}))
        assert await watch.armed(DEADLINE), "the watcher was not open again"
        # A watcher that is really to be opened anew is the mark: after its second time, the first one's is over too.
        for folders in ({str(kept), str(other)}, {str(kept)}):
            mark.forget()
            opened_anew.want(frozenset(folders))
            await mark.until(lambda: mark.sweeps > 0, "the look at everything that follows an opening")
        assert recorder.hints == [], "the watcher was opened anew"
        (kept / "mark.md").write_text("x")
        await recorder.until(lambda: str(kept / "mark.md") in recorder.paths, "the hint of a file")
        assert recorder.sweeps == 0, "the watcher was opened anew"


async def test_a_listener_that_raises_stops_nothing(tmp_path: Path):
    recorder = Recorder()

    def hint(paths: frozenset[str]) -> None:
        recorder.hint(paths)
        raise ValueError("a listener's own fault")

    watch = FolderWatch(settings=Settings(), on_hint=hint, on_status=recorder.status)
    watch.want(frozenset({str(tmp_path)}))
    try:
        assert await watch.armed(5)
        for number in range(2):
            (tmp_path / f"{number}.md").write_text("x")
            await recorder.until(lambda told=number: str(tmp_path / f"{told}.md") in recorder.paths, f"{number}.md")
    finally:
        await watch.aclose()


async def test_the_watcher_works_in_a_folder_with_any_utf8_name(tmp_path: Path):
    folder = tmp_path / "мастер 漢字 [x] \\n"
    folder.mkdir()
    async with watching(folder) as (_, recorder):
        (folder / "é.md").write_text("x")
        await recorder.until(lambda: str(folder / "é.md") in recorder.paths, "the file's path")


async def test_watching_switched_off_neither_watches_nor_ticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cadence, "safety_interval", lambda cost: 0.05)
    async with watching(settings=Settings(watch=False)) as (watch, recorder), watching(tmp_path) as (_, mark):
        watch.want(frozenset({str(tmp_path)}))
        assert watch.status.mode == "off" and watch.status.hint
        assert await watch.armed(0.0)
        (tmp_path / "a.md").write_text("x")
        await mark.until(
            lambda: mark.sweeps >= 3 and str(tmp_path / "a.md") in mark.paths, "what a watcher that is on tells"
        )
        assert recorder.hints == [] and not watch.watches(str(tmp_path))


async def test_armed_gives_up_at_its_deadline(tmp_path: Path):
    recorder = Recorder()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    assert await watch.armed(0.0), "nothing wanted is nothing to wait for"
    watch.want(frozenset({str(tmp_path)}))
    assert not await watch.armed(0.0)
    assert await watch.armed(5)
    await watch.aclose()


async def test_looking_less_closely_misses_nothing_and_wakes_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    looks: list[float] = []
    counted = native._Looks.is_set

    def count(self: native._Looks) -> bool:
        looks.append(time.monotonic())
        return counted(self)

    monkeypatch.setattr(native._Looks, "is_set", count)
    async with watching(tmp_path) as (watch, recorder):
        watch.look_closely(False)
        await recorder.until(lambda: len(looks) > 2, "looks", 5)
        since = time.monotonic()
        await asyncio.sleep(0.5)
        seen = len([look for look in looks if look > since])
        assert seen <= 0.5 / native.REST + 1, "the thread rests between two looks"
        for number in range(12):
            path = tmp_path / f"{number}.md"
            path.write_text("x")
            watch.look_closely(number % 3 == 0)
            await recorder.until(lambda path=path: str(path) in recorder.paths, f"the file {number}")


async def test_a_watcher_opened_later_looks_as_was_asked_before(tmp_path: Path):
    (tmp_path / "more").mkdir()
    async with watching(tmp_path) as (watch, recorder):
        watch.look_closely(False)
        watch.want(frozenset({str(tmp_path), str(tmp_path / "more")}))
        await recorder.until(lambda: watch.watches(str(tmp_path / "more")), "the new folder to be watched")
        assert [each._looks.hurry.is_set() for each in watch._natives if not each.stopped] == [False]
        (tmp_path / "more" / "SKILL.md").write_text("x")
        await recorder.until(lambda: str(tmp_path / "more" / "SKILL.md") in recorder.paths, "the file")
