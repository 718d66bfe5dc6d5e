"""Closing: promptly, wholly, and with nothing told afterwards."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skills_core.filesystem.watching import FolderWatch
from tests.core.watching.support import (
    Recorder,
    Settings,
    eventually,
    inotify_instances,
    open_files,
    watch_threads,
    watching,
)

TREE = Path(__file__).resolve().parents[3]


async def test_opening_and_closing_leaves_no_thread_file_or_instance_behind(tmp_path: Path):
    files, instances = open_files(), inotify_instances()
    for _ in range(20):
        async with watching(tmp_path):
            assert len(watch_threads()) == 1
            await eventually(lambda: inotify_instances() == instances + 1, "one instance")
    assert watch_threads() == []
    await eventually(lambda: (open_files(), inotify_instances()) == (files, instances), "all to be closed")


async def test_closing_is_prompt_while_events_stream_in(tmp_path: Path):
    async with watching(tmp_path) as (watch, recorder):
        for number in range(2_000):
            (tmp_path / f"{number}.md").write_text("x")
        started = time.perf_counter()
        await watch.aclose()
        assert time.perf_counter() - started < 0.5
        recorder.forget()
        # Another watcher of the same folder is the mark: once it has told of the file, the closed one would have too.
        async with watching(tmp_path) as (_, mark):
            late = tmp_path / "late.md"
            late.write_text("x")
            await mark.until(lambda: str(late) in mark.paths, "the open watcher's hint of the late file")
        assert recorder.hints == [] and watch_threads() == []


async def test_closing_while_the_watcher_is_being_opened(tmp_path: Path):
    recorder = Recorder()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    watch.want(frozenset({str(tmp_path)}))
    await asyncio.sleep(0)
    await watch.aclose()
    assert watch_threads() == [] and recorder.hints == []


async def test_closing_before_the_task_has_begun_and_before_anything_was_wanted(tmp_path: Path):
    recorder = Recorder()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    await watch.aclose()
    watch.want(frozenset({str(tmp_path)}))
    assert watch_threads() == []
    other = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    other.want(frozenset({str(tmp_path)}))
    await other.aclose()
    assert watch_threads() == [] and recorder.hints == []


async def test_closing_twice_and_at_once_is_fine(tmp_path: Path):
    async with watching(tmp_path) as (watch, _):
        await asyncio.gather(watch.aclose(), watch.aclose())
        await watch.aclose()
        assert watch_threads() == []


async def test_waiting_for_the_watcher_ends_when_it_closes(tmp_path: Path):
    recorder = Recorder()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    watch.want(frozenset({str(tmp_path)}))
    waiting = asyncio.create_task(watch.armed(60))
    await asyncio.sleep(0)
    await watch.aclose()
    await asyncio.wait_for(waiting, 1)


async def test_a_cancelled_close_still_closes(tmp_path: Path):
    async with watching(tmp_path) as (watch, _):
        closing = asyncio.create_task(watch.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await watch.aclose()
        assert watch_threads() == []


async def test_closing_under_polling_stops_the_timer(tmp_path: Path):
    often = Settings(watch_use_polling=True, watch_poll_interval_ms=10)
    async with watching(tmp_path, settings=often) as (watch, recorder):
        await recorder.until(lambda: recorder.sweeps > 2, "some looks")
        await watch.aclose()
        recorder.forget()
        # A timer of the same pace is the mark.
        async with watching(tmp_path, settings=Settings(watch_use_polling=True, watch_poll_interval_ms=10)) as (
            _,
            mark,
        ):
            await mark.until(lambda: mark.sweeps > 3, "the looks of an open watcher")
        assert recorder.hints == []


def run_program(tmp_path: Path, body: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """Runs a program that opens two watchers, one folder inside the other, then does ``body``."""
    (tmp_path / "inner").mkdir()
    program = f"""
import asyncio, os, signal, sys, time
from skills_core.filesystem.watching import FolderWatch
from tests.core.watching.support import eventually, Recorder, Settings

async def main():
    watches = []
    for folder in (sys.argv[1], os.path.join(sys.argv[1], "inner")):
        recorder = Recorder()
        watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
        watch.want(frozenset({{folder}}))
        assert await watch.armed(5)
        watches.append(watch)
    print(time.time(), flush=True)
{body}

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        cwd=TREE,
    )
    return done, time.time() - float(done.stdout.split()[0])


@pytest.mark.parametrize(
    "body",
    ["    pass", "    sys.exit(0)", "    for watch in watches: await watch.aclose()"],
    ids=["not-closed", "exit", "closed"],
)
def test_the_process_ends_promptly_and_silently(tmp_path: Path, body: str):
    done, took = run_program(tmp_path, body)
    assert (done.returncode, done.stderr) == (0, "")
    assert took < 1.5


def test_an_interrupted_process_ends_promptly(tmp_path: Path):
    done, took = run_program(tmp_path, "    os.kill(os.getpid(), signal.SIGINT); await asyncio.sleep(20)")
    assert "FATAL" not in done.stderr and done.stderr.rstrip().endswith("KeyboardInterrupt")
    assert took < 1.5
