"""What is read of a process agrees with what it is known to do."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from watchfiles._rust_notify import RustNotify

from tests.bench import process_state

pytestmark = pytest.mark.skipif(not process_state.KNOWN, reason="only Linux tells what a process takes and holds")

ME = os.getpid()


def test_a_watcher_is_counted_with_its_watches_and_its_files(tmp_path: Path):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    before = process_state.handles(ME)
    watcher = RustNotify([str(folder) for folder in folders], False, False, 300, False, False)
    try:
        during = process_state.handles(ME)
    finally:
        watcher.close()
    assert during.inotify == before.inotify + 1
    assert during.watches == before.watches + 2
    assert all(during.watched[folder.stat().st_ino] == 1 for folder in folders)
    assert during.files > before.files and during.threads > before.threads


def test_two_watchers_of_one_folder_are_two_watches(tmp_path: Path):
    watchers = [RustNotify([str(tmp_path)], False, False, 300, False, False) for _ in range(2)]
    try:
        assert process_state.handles(ME).watched[tmp_path.stat().st_ino] == 2
    finally:
        for watcher in watchers:
            watcher.close()


def test_time_on_a_processor_is_that_of_the_thread_that_took_it():
    ready, go, done = threading.Event(), threading.Event(), threading.Event()
    taken: list[float] = []

    def work() -> None:
        ready.set()
        go.wait(10)
        began = time.thread_time()
        while time.thread_time() < began + 0.3:
            pass
        taken.append(time.thread_time() - began)
        done.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(10), "the thread to begin"
        before = process_state.thread_times(ME)
        go.set()
        deadline = time.monotonic() + 30
        while not taken:
            assert time.monotonic() < deadline, "waited 30 s for the thread's work"
            time.sleep(0.01)
        after = process_state.thread_times(ME)
    finally:
        done.set()
        thread.join()
    assert after[ME].name == "main"
    number = thread.native_id
    assert number is not None
    assert after[number].seconds - before[number].seconds == pytest.approx(taken[0], abs=0.03)
    assert after[ME].seconds - before[ME].seconds < 0.25


def test_memory_counts_what_is_touched_and_shares_what_is_shared():
    before = process_state.memory(ME)
    held = bytearray(os.urandom(1 << 20) * 48)
    during = process_state.memory(ME)
    assert len(held) == 48 << 20
    assert during.resident - before.resident >= 40
    assert during.proportional <= during.resident
