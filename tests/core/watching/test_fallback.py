"""What happens when native watching fails: real failures where the system lets a test cause them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import watchfiles._rust_notify as backend

from skills_core.filesystem.watching import FolderWatch, cadence, mounts
from tests.core.watching.support import Recorder, Settings, inotify_instances, watch_threads, watching

REAL = backend.RustNotify


class FailingBackend:
    """Stands at the library's seam: raises the given errors, one a call, then makes the real thing."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return REAL(*args)


LIMIT = 'OS file watch limit reached. about ["/x"]'


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cadence, "retry_delay", lambda failures: 0.3)


@pytest.mark.parametrize("kind", [OSError, FileNotFoundError])
async def test_a_limit_leads_to_polling_with_a_hint_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_retries: None, kind: type[OSError]
):
    failing = FailingBackend(kind(LIMIT), kind(LIMIT))
    monkeypatch.setattr(backend, "RustNotify", failing)
    async with watching(tmp_path) as (watch, recorder):
        assert watch.status.mode == "polling"
        assert watch.status.hint and "fs.inotify.max_user_watches" in watch.status.hint
        assert not watch.watches(str(tmp_path))
        await recorder.until(lambda: recorder.sweeps >= 3, "looks at the polling pace", within=1.0)
        await recorder.until(lambda: watch.status.mode == "native", "native watching again")
        assert failing.calls == 3
        assert [status.mode for status in recorder.statuses] == ["polling", "native"]
        (tmp_path / "a.md").write_text("x")
        await recorder.until(lambda: str(tmp_path / "a.md") in recorder.paths, "a native event")


async def test_what_is_watched_already_stays_watched_when_more_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    async with watching(first) as (watch, recorder):
        monkeypatch.setattr(backend, "RustNotify", FailingBackend(*[OSError(LIMIT)] * 9))
        watch.want(frozenset({str(first), str(second)}))
        await recorder.until(lambda: watch.status.mode == "polling", "the fallback")
        (first / "a.md").write_text("x")
        await recorder.until(lambda: str(first / "a.md") in recorder.paths, "a native event in the first folder")


async def test_a_folder_that_goes_while_the_watcher_opens_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    going = tmp_path / "going"
    going.mkdir()

    def make(paths: list[str], *args: Any) -> Any:
        if going.exists():
            going.rmdir()
        return REAL(paths, *args)

    monkeypatch.setattr(backend, "RustNotify", make)
    async with watching(tmp_path, going) as (watch, recorder):
        assert watch.status.mode == "native" and watch.watches(str(tmp_path)) and not watch.watches(str(going))
        assert recorder.statuses == []


async def test_a_folder_that_may_not_be_read_fails_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    closed = tmp_path / "closed"
    closed.mkdir()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(closed) and allowed(path, mode))
    async with watching(tmp_path, closed) as (watch, recorder):
        assert watch.status.mode == "native" and watch.watches(str(tmp_path)) and not watch.watches(str(closed))
        monkeypatch.setattr(os, "access", allowed)
        closed.chmod(0o755)
        await recorder.until(lambda: watch.watches(str(closed)), "the watch on the folder that was opened up")


async def test_a_folder_whose_name_is_not_utf8_fails_nothing(tmp_path: Path):
    odd = os.path.join(os.fsencode(tmp_path), b"odd-\xff")
    os.mkdir(odd)
    async with watching(tmp_path, os.fsdecode(odd)) as (watch, recorder):
        assert watch.status.mode == "native" and not watch.watches(os.fsdecode(odd))
        (tmp_path / "a.md").write_text("x")
        await recorder.until(lambda: str(tmp_path / "a.md") in recorder.paths, "the file's path")


async def test_a_file_name_that_is_not_utf8_is_survived_and_named(tmp_path: Path):
    async with watching(tmp_path) as (watch, recorder):
        with open(os.path.join(os.fsencode(tmp_path), b"odd-\xff"), "wb"):
            pass
        await recorder.until(lambda: watch.status.mode == "polling", "the fallback")
        assert watch.status.reason and "odd-" in watch.status.reason and "UTF-8" in watch.status.reason
        await recorder.until(lambda: recorder.sweeps > 0, "a look at everything")
        await recorder.until(lambda: watch.status.mode == "native", "native watching again")
        (tmp_path / "a.md").write_text("x")
        await recorder.until(lambda: str(tmp_path / "a.md") in recorder.paths, "a native event")


async def test_a_library_that_would_poll_by_itself_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def make(paths: list[str], debug: bool, force_polling: bool, delay: int, recursive: bool, ignore: bool) -> Any:
        return REAL(paths, debug, True, delay, recursive, ignore)

    monkeypatch.setattr(backend, "RustNotify", make)
    async with watching(tmp_path) as (watch, _):
        assert watch.status.mode == "polling"
        assert watch.status.reason == "this system reports no file changes"


async def test_polling_by_setting_opens_no_native_watcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    failing = FailingBackend()
    monkeypatch.setattr(backend, "RustNotify", failing)
    before = inotify_instances()
    often = Settings(watch_use_polling=True, watch_poll_interval_ms=20)
    async with watching(tmp_path, settings=often) as (watch, recorder):
        assert watch.status.mode == "polling" and watch.status.reason
        await recorder.until(lambda: recorder.sweeps >= 10, "ten looks", within=2.0)
        assert failing.calls == 0 and watch_threads() == [] and inotify_instances() == before
        async with watching(tmp_path, settings=Settings(watch_use_polling=True, watch_poll_interval_ms=20)) as (
            _,
            mark,
        ):
            watch.sweep_cost(0.05)
            recorder.forget()
            await mark.until(lambda: mark.sweeps >= 10, "ten looks of a watcher whose looks cost nothing")
            # The one that was due already, and perhaps one more on a slow machine: a look that costs 50 ms comes once
            # a second.
            assert recorder.sweeps <= 2


async def test_a_network_file_system_is_polled_although_it_can_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    table = {"/": "ext4", str(tmp_path / "share"): "nfs4"}
    monkeypatch.setattr("skills_core.filesystem.watching.native.read_mounts", lambda: table)
    share, local = tmp_path / "share", tmp_path / "local"
    share.mkdir()
    local.mkdir()
    async with watching(share, local) as (watch, recorder):
        assert watch.status.mode == "polling"
        assert watch.status.reason and "nfs4" in watch.status.reason and str(share) in watch.status.reason
        assert watch.watches(str(local)) and not watch.watches(str(share))
        await recorder.until(lambda: recorder.sweeps >= 3, "looks at the polling pace", within=1.0)
        (share / "a.md").write_text("x")
        await recorder.until(lambda: str(share / "a.md") in recorder.paths, "this system's own change")
        watch.want(frozenset({str(local)}))
        await recorder.until(lambda: watch.status.mode == "native", "native watching without the share")


def test_the_mount_table_is_the_systems():
    assert mounts.read_mounts()


async def test_repeated_failures_wait_longer_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    monkeypatch.setattr(cadence, "retry_delay", lambda failures: asked.append(failures) or 0.01)
    monkeypatch.setattr(backend, "RustNotify", FailingBackend(*[OSError(LIMIT)] * 4))
    recorder = Recorder()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    watch.want(frozenset({str(tmp_path)}))
    await recorder.until(lambda: watch.watches(str(tmp_path)), "native watching at last")
    await watch.aclose()
    assert asked == [1, 2, 3, 4]


LIMITED = """
import asyncio, json, os, sys
from skills_core.filesystem.watching import FolderWatch
from tests.core.watching.support import Recorder, Settings

async def main():
    root, need = sys.argv[1], int(sys.argv[2])
    folders = [root]
    for number in range(need):
        folders.append(os.path.join(root, str(number)))
        os.mkdir(folders[-1])
    recorder = Recorder()
    watch = FolderWatch(settings=Settings(), on_hint=recorder.hint, on_status=recorder.status)
    watch.want(frozenset(folders))
    armed = await watch.armed(5)
    status = watch.status
    recorder.forget()
    await recorder.until(lambda: recorder.sweeps >= 3, "looks at the polling pace", within=3.0)
    await watch.aclose()
    print(json.dumps([armed, status.mode, status.reason, status.hint]))

asyncio.run(main())
"""


def run_limited(tmp_path: Path, prelude: str, need: int) -> list[Any]:
    """Runs the program above in a shell after ``prelude``, in a user namespace of its own."""
    root = tmp_path / "root"
    root.mkdir()
    command = ["unshare", "-Ur", "sh", "-c", f'{prelude}; exec "$@"', "sh", sys.executable, "-c", LIMITED]
    if subprocess.run(["unshare", "-Ur", "true"], capture_output=True, check=False).returncode:
        pytest.skip("user namespaces are not permitted here")
    done = subprocess.run(
        [*command, str(root), str(need)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_the_kernels_limit_of_watches(tmp_path: Path):
    armed, mode, reason, hint = run_limited(tmp_path, "echo 20 > /proc/sys/user/max_inotify_watches", 40)
    assert armed and mode == "polling"
    assert "41 are needed" in reason and "max_user_watches" in hint


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_the_kernels_limit_of_instances(tmp_path: Path):
    armed, mode, reason, hint = run_limited(tmp_path, "echo 0 > /proc/sys/user/max_inotify_instances", 1)
    assert armed and mode == "polling"
    assert "watchers for this user" in reason and "max_user_instances" in hint


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_the_limit_of_open_files(tmp_path: Path):
    armed, mode, reason, hint = run_limited(tmp_path, "ulimit -n 8", 1)
    assert armed and mode == "polling"
    assert "may open no more files" in reason and "ulimit -n" in hint
