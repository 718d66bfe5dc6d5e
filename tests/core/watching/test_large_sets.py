"""Many folders: few watcher instances, no file a skill, and a watcher that is not rebuilt for each new folder."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import watchfiles._rust_notify as backend

from skills_core.filesystem.watching.watch_plan import SMALL_SET
from tests.core.watching.support import eventually, inotify_instances, open_files, watching

TREE = Path(__file__).resolve().parents[3]


def make_folders(root: Path, count: int) -> list[str]:
    folders = [str(root)]
    for number in range(count):
        folder = root / f"bundle-{number}"
        folder.mkdir(parents=True)
        folders.append(str(folder))
    return folders


async def test_128_projects_of_two_roots_and_twenty_skills_need_few_instances_and_files(tmp_path: Path):
    folders: list[str] = []
    for project in range(128):
        for root in (".dsh", ".agents"):
            folders += make_folders(tmp_path / f"project-{project}" / root / "skills", 20)
    files, instances = open_files(), inotify_instances()
    async with watching(*folders) as (watch, recorder):
        assert len(folders) == 128 * 2 * 21
        assert all(watch.watches(folder) for folder in folders)
        await eventually(lambda: inotify_instances() - instances == 1 and open_files() - files <= 4, "one instance")
        last = Path(folders[-1]) / "SKILL.md"
        last.write_text("x")
        await recorder.until(lambda: str(last) in recorder.paths, "a change in the last folder")
        (tmp_path / "project-0" / ".dsh" / "skills" / "new").mkdir()
        watch.want(frozenset([*folders, str(tmp_path / "project-0" / ".dsh" / "skills" / "new")]))
        assert await watch.armed(5)
        await eventually(lambda: inotify_instances() - instances == 2 and open_files() - files <= 8, "two instances")


async def test_new_folders_beside_a_large_set_are_watched_without_opening_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    opened: list[int] = []
    real = backend.RustNotify

    def make(paths: list[str], *args: Any) -> Any:
        opened.append(len(paths))
        return real(paths, *args)

    monkeypatch.setattr(backend, "RustNotify", make)
    before = inotify_instances()
    folders = make_folders(tmp_path, SMALL_SET + 50)
    async with watching(*folders) as (watch, recorder):
        for number in range(3):
            folder = tmp_path / f"new-{number}"
            folder.mkdir()
            folders.append(str(folder))
            watch.want(frozenset(folders))
            assert await watch.armed(5)
            await eventually(lambda: inotify_instances() - before <= 2, "two instances at most")
            (folder / "SKILL.md").write_text("x")
            await recorder.until(lambda at=folder: str(at / "SKILL.md") in recorder.paths, f"the file in {folder.name}")
        assert opened == [SMALL_SET + 51, 1, 2, 3]
        old = Path(folders[1]) / "SKILL.md"
        old.write_text("x")
        await recorder.until(lambda: str(old) in recorder.paths, "the file in an old folder")


async def test_never_more_than_two_instances_while_a_set_grows_and_shrinks(tmp_path: Path):
    before = inotify_instances()
    most = 0
    counting = True

    async def count() -> None:
        nonlocal most
        last = 0
        while counting:
            # Seen twice, for the library closes its own a moment after it was told to.
            last, now = await asyncio.to_thread(inotify_instances) - before, last
            most = max(most, min(last, now))
            await asyncio.sleep(0.004)

    async with watching(tmp_path) as (watch, recorder):
        counter = asyncio.create_task(count())
        folders = make_folders(tmp_path / "many", 3 * SMALL_SET)
        for size in (10, 200, SMALL_SET + 20, SMALL_SET + 60, 3 * SMALL_SET, SMALL_SET + 10, 100, 5):
            watch.want(frozenset(folders[:size]))
            assert await watch.armed(10)
            target = Path(folders[size - 1]) / "SKILL.md"
            target.write_text(str(size))
            await recorder.until(lambda at=str(target): at in recorder.paths, f"a change in the last of {size}")
            recorder.forget()
        counting = False
        await counter
    assert most == 2, "a watcher and its successor overlap, and no third is ever open"


async def test_a_folder_replaced_in_a_large_set_is_watched_again(tmp_path: Path):
    folders = make_folders(tmp_path, SMALL_SET + 50)
    target = Path(folders[100])
    async with watching(*folders) as (watch, recorder):
        target.rename(tmp_path / "moved")
        await recorder.until(lambda: not watch.watches(str(target)), "the loss")
        target.mkdir()
        await recorder.until(lambda: watch.watches(str(target)), "the new watch")
        recorder.forget()
        (target / "SKILL.md").write_text("x")
        await recorder.until(lambda: str(target / "SKILL.md") in recorder.paths, "the file in the new folder")


WATCHER = """
import asyncio, sys
from skills_core.filesystem.watching import FolderWatch
from tests.core.watching.support import eventually, Settings

async def main():
    watch = FolderWatch(
        settings=Settings(),
        on_hint=lambda paths: print("hint", int(not paths), int(sys.argv[1] + "/last" in paths), flush=True),
        on_status=lambda status: print("status", status, flush=True),
    )
    watch.want(frozenset({sys.argv[1]}))
    assert await watch.armed(5)
    print("armed", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel queue of Linux")
def test_an_overflow_of_the_kernels_queue_is_covered_by_the_slow_timer(tmp_path: Path):
    """A stopped process: the queue overflows, and nothing says so when it goes on."""
    with open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii") as file:
        queue = int(file.read())
    if queue > 100_000:
        pytest.skip("the queue is too long to be filled in a test")
    child = subprocess.Popen(
        [sys.executable, "-c", WATCHER, str(tmp_path)], stdout=subprocess.PIPE, text=True, bufsize=1, cwd=TREE
    )
    assert child.stdout is not None
    try:
        for line in child.stdout:
            if line == "armed\n":
                break
        child.send_signal(signal.SIGSTOP)
        for number in range(queue // 2 + 2_000):
            os.close(os.open(tmp_path / str(number), os.O_CREAT | os.O_WRONLY))
        (tmp_path / "last").mkdir()
        child.send_signal(signal.SIGCONT)
        deadline = time.monotonic() + 10
        swept = reported = False
        for line in child.stdout:
            kind, everything, last = line.split()
            assert kind == "hint"
            swept |= everything == "1"
            reported |= last == "1"
            if swept or time.monotonic() > deadline:
                break
        assert swept, "no look at everything followed the overflow"
        assert not reported, "the queue did not overflow, so this test proves nothing"
    finally:
        child.send_signal(signal.SIGCONT)
        child.kill()
        child.wait(10)
        child.stdout.close()
