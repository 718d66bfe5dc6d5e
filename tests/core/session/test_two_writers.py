"""Two processes want to write one session: one does, the other is told who has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from skills_core.session import SessionInUseError
from skills_core.session.event import user_message
from tests.core.session.logs import ID, log_bytes, make_store, place_log, texts, words

PROJECT = Path(__file__).resolve().parents[3]

HOLDER = """
import asyncio, sys
from pathlib import Path
from skills_core.session import SessionInUseError, SessionStore
from skills_core.session.event import user_message

async def main(root, id):
    try:
        session = await SessionStore(Path(root), "1").open(id)
    except SessionInUseError:
        print("told", flush=True)
        return
    await session.append(user_message("from the other process"))
    print("has it", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await session.aclose()

asyncio.run(main(*sys.argv[1:]))
"""


def start(root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root), ID],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def first_word(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_the_second_is_told_who_has_it_and_gets_it_when_that_one_is_killed(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(2)))
    store = make_store(tmp_path)
    holder = start(tmp_path)
    try:
        assert first_word(holder) == "has it"
        with pytest.raises(SessionInUseError) as caught:
            await store.open(ID)
        assert f"process {holder.pid}" in caught.value.message
        assert f"--fork {ID}" in caught.value.hint
        assert texts(await store.read(ID))[-1] == "from the other process"
    finally:
        holder.kill()
        holder.communicate(timeout=30)
    session = await store.open(ID)
    assert texts(session) == ["message 1", "message 2", "from the other process"]
    await session.append(user_message("from this process"))
    await session.aclose()


async def test_of_many_at_once_exactly_one_gets_it(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(2)))
    processes = [start(tmp_path) for _ in range(4)]
    try:
        said = [first_word(process) for process in processes]
    finally:
        for process in processes:
            process.communicate("", timeout=30)
    assert sorted(said)[0] == "has it" and said.count("told") == 3
    read = await make_store(tmp_path).read(ID)
    assert read.damage == () and texts(read) == ["message 1", "message 2", "from the other process"]


async def test_a_session_that_is_written_elsewhere_is_known_and_one_whose_writer_died_is_free(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(2)))
    store = make_store(tmp_path)
    infos = await store.list()
    assert await store.in_use(infos) == frozenset()
    holder = start(tmp_path)
    try:
        assert first_word(holder) == "has it"
        assert await store.in_use(infos) == {ID}
    finally:
        holder.kill()
        holder.communicate()
    assert await store.in_use(infos) == frozenset()
    session = await store.open(ID)
    assert await store.in_use(infos) == {ID}
    await session.aclose()
    assert await store.in_use(infos) == frozenset()
