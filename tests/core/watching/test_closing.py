"""Closing: promptly, wholly, and with nothing told afterwards."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
import threading
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


class Stream:
    """A thread that goes on writing files into ``folder``, faster than a watcher's step, until it is ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended = threading.Event()
        self._flowing = threading.Event()
        self._thread = threading.Thread(target=self._write, name="stream")

    def __enter__(self) -> Stream:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(10)
        assert not self._thread.is_alive(), "the stream did not end within 10 s"

    def hold_the_loop_until_it_flows(self) -> None:
        """Blocks the calling thread for several batches: they wait on its loop afterwards."""
        assert self._flowing.wait(10), "waited 10 s for the stream of files to flow"

    def _write(self) -> None:
        for number in itertools.count():
            (self._folder / f"{number % 500}.md").write_text(str(number))
            if number == 300:
                self._flowing.set()
            if self._ended.wait(0.001):
                return


async def test_closing_is_prompt_while_events_stream_in(tmp_path: Path):
    # The second watcher of the folder stays open: what it tells shows what the closed one had to keep to itself.
    async with watching(tmp_path) as (watch, recorder), watching(tmp_path) as (_, mark):
        with Stream(tmp_path) as stream:
            stream.hold_the_loop_until_it_flows()
            assert recorder.hints == [] and mark.hints == []
            await watch.aclose()
            await eventually(lambda: len(watch_threads()) == 1, "the closed watcher's thread to end within the stream")
            await mark.until(lambda: mark.paths != set(), "the batches that had come before the closing")
            mark.forget()
            await mark.until(lambda: len(mark.paths) > 20, "batches that came after the closing")
        assert recorder.hints == [], "told after closing began"


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
