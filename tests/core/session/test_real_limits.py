"""Limits, full disks and permissions of the system itself, each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.session.logs import ID, log_bytes, place_log, words

PROJECT = Path(__file__).resolve().parents[3]


CHILD = """
import asyncio, json, os, resource, sys
import filelock
from pathlib import Path
from skills_core.session import SessionError, SessionStore
from skills_core.session.event import user_message

def say(**facts):
    print(json.dumps(facts), flush=True)

async def fill(root):
    store = SessionStore(Path(root), "1")
    session = await store.create("/somewhere")
    for number in range(1000):
        try:
            await session.append(user_message(f"{number} " + "x" * 3000))
        except SessionError as error:
            say(id=session.id, kept=len(session.events), message=error.message, hint=error.hint)
            break
    await session.aclose()
    read = await store.read(session.id)
    say(read=len(read.events), damage=len(read.damage), torn=read.path.read_bytes()[-1:] != b"\\n")

async def outcome(work):
    try:
        made = await work
    except SessionError as error:
        return [type(error).__name__, error.message, error.hint]
    result = len(getattr(made, "events", made))
    if hasattr(made, "aclose"):
        await made.aclose()
    return result

async def refused(root, id):
    store = SessionStore(Path(root), "1")
    say(
        read=await outcome(store.read(id)),
        open=await outcome(store.open(id)),
        fork=await outcome(store.fork(id)),
        listed=await outcome(store.list()),
        create=await outcome(store.create("/somewhere/else")),
    )
"""


def run_child(call: str, *, before: str = "", wrap: tuple[str, ...] = ()) -> list[dict[str, object]]:
    script = f"{CHILD}\n{before}\nasyncio.run({call})\n"
    done = subprocess.run(
        [*wrap, sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_limit_on_file_sizes_is_said_and_tears_nothing(tmp_path: Path) -> None:
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))"
    failure, after = run_child(f"fill({str(tmp_path)!r})", before=limit)
    assert "allows no more data" in str(failure["message"]) and failure["hint"]
    assert after == {"read": failure["kept"], "damage": 0, "torn": False}
    assert failure["kept"] == 15


def can_mount() -> bool:
    if os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("mount") is None:
        return False
    trial = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
    return subprocess.run(trial, capture_output=True, timeout=30, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a small disk")
def test_a_disk_that_is_really_full_is_said_and_tears_nothing(tmp_path: Path) -> None:
    mount = f'mount -t tmpfs -o size=64k none {tmp_path} && exec "$@"'
    failure, after = run_child(f"fill({str(tmp_path)!r})", wrap=("unshare", "-m", "sh", "-c", mount, "sh"))
    assert "disk is full" in str(failure["message"]) and "Free some space" in str(failure["hint"])
    assert after == {"read": failure["kept"], "damage": 0, "torn": False}
    assert failure["kept"] in range(5, 25)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for each in [folder, *folder.rglob("*")]:
            if each.is_dir():
                each.chmod(0o755)
        shutil.rmtree(folder)


BE_NOBODY = "os.setgid(65534); os.setuid(65534)" if os.geteuid() == 0 else ""


def lock_up(root: Path) -> None:
    """Everything may be read, nothing may be written, by the user whom the child becomes."""
    for each in [root, *root.rglob("*")]:
        each.chmod(0o555 if each.is_dir() else 0o444)


def test_what_may_not_be_written_can_be_read_and_is_said(open_folder: Path) -> None:
    root = open_folder / "sessions"
    place_log(root, log_bytes(words(3)))
    lock_up(root)
    (said,) = run_child(f"refused({str(root)!r}, {ID!r})", before=BE_NOBODY)
    assert said["read"] == 3 and said["listed"] == 1
    for attempt in ("open", "fork", "create"):
        kind, message, hint = said[attempt]  # type: ignore[misc]
        assert kind == "SessionError" and "No permission" in message, attempt
        assert "SKILLDECK_STATE_DIR" in hint
    assert sorted(each.name for each in root.rglob("*") if each.is_file()) == [f"{ID}.jsonl"]


def test_a_state_folder_that_may_not_be_entered_is_said(open_folder: Path) -> None:
    root = open_folder / "sessions"
    place_log(root, log_bytes(words(3)))
    root.chmod(0o000)
    (said,) = run_child(f"refused({str(root)!r}, {ID!r})", before=BE_NOBODY)
    for attempt in ("read", "open", "fork", "listed", "create"):
        _, message, hint = said[attempt]  # type: ignore[misc]
        assert "No permission" in message and hint, attempt
