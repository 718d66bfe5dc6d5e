"""A writer killed at any moment has lost nothing that it acknowledged, and its session opens."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from skills_core.session import Session
from skills_core.session.event import NOTICE, USER_MESSAGE
from tests.core.session.killed_writer import checksum
from tests.core.session.logs import make_store

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def writers() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.core.session.killed_writer"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)


def run_and_kill(
    writers: subprocess.Popen[str], root: Path, id: str, chance: random.Random
) -> tuple[str, dict[int, int]]:
    """One writer's life; gives the session's id and the checksums of what it acknowledged."""
    assert writers.stdin is not None and writers.stdout is not None
    writers.stdin.write(f"{root} {id} {chance.randrange(1 << 30)}\n")
    writers.stdin.flush()
    acknowledged: dict[int, int] = {}
    killer: threading.Timer | None = None
    deadline = threading.Timer(60, writers.kill)
    deadline.start()
    # Some die while they open or create, most while they write.
    delay = chance.choice((0.002, 0.015, 0.03)) * chance.random() + chance.choice((0.0, 0.008))
    for line in writers.stdout:
        match line.split():
            case ["pid", pid]:
                killer = threading.Timer(delay, os.kill, (int(pid), signal.SIGKILL))
                killer.start()
            case ["id", opened]:
                id = opened
            case ["ack", seq, mark]:
                acknowledged[int(seq)] = int(mark)
            case ["end"]:
                break
            case other:
                pytest.fail(f"the writer said {other}")
    else:
        pytest.fail("the writers' process ended before its writer did")
    deadline.cancel()
    assert killer is not None
    killer.join()
    return id, acknowledged


def check(session: Session, acknowledged: dict[int, int]) -> None:
    assert session.damage == ()
    assert [event.seq for event in session.events] == list(range(1, len(session.events) + 1))
    stored = {
        event.seq: checksum(event.data["content"][0]["text"]) for event in session.events if event.type == USER_MESSAGE
    }
    lost = {seq for seq, mark in acknowledged.items() if stored.get(seq) != mark}
    assert not lost, f"acknowledged and lost: {sorted(lost)}"


def kill_many(writers: subprocess.Popen[str], root: Path, rounds: int, seed: int) -> tuple[int, int]:
    """Gives how many events were acknowledged, and how many torn records were met."""
    chance = random.Random(seed)
    store = make_store(root)
    id, acknowledged = "-", dict[int, int]()
    total = torn = 0
    for round in range(rounds):
        id, new = run_and_kill(writers, root, id, chance)
        total += len(new)
        acknowledged |= new
        known = {path.stem for path in root.glob("*/*.jsonl")}
        if not acknowledged and id not in known:
            id = "-"
            continue
        check(asyncio.run(store.read(id)), acknowledged)
        if chance.random() < 0.5:
            # Otherwise the next writer is the one that opens what this one has left.
            session = asyncio.run(open_and_close(root, id))
            check(session, acknowledged)
        if round % 25 == 24:
            torn += sum(event.type == NOTICE for event in asyncio.run(store.read(id)).events)
            id, acknowledged = "-", {}
    for info in asyncio.run(store.list()):
        asyncio.run(open_and_close(root, info.id))
    return total, torn


async def open_and_close(root: Path, id: str) -> Session:
    session = await make_store(root).open(id)
    await session.aclose()
    return session


def test_no_acknowledged_event_is_lost(writers: subprocess.Popen[str], tmp_path: Path) -> None:
    total, _ = kill_many(writers, tmp_path, 200, seed=20260301)
    assert total > 200, "the writers were killed before they wrote anything: nothing was tested"


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_no_acknowledged_event_is_lost_in_thousands_of_deaths(writers: subprocess.Popen[str], tmp_path: Path) -> None:
    total, torn = kill_many(writers, tmp_path, 5000, seed=random.randrange(1 << 30))
    assert total > 5000 and torn > 0
