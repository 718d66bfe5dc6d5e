"""Where sessions are kept, how they are found again, and how a copy of one begins."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
from pathlib import Path

import pytest

from skills_core.session import (
    SessionError,
    SessionInUseError,
    SessionNotFoundError,
    SessionReadOnlyError,
)
from skills_core.session.event import SessionEvent, user_message
from skills_core.session.ids import new_session_id, project_folder
from tests.core.session.logs import (
    ID,
    TIME,
    VERSION,
    TickingClock,
    assistant,
    log_bytes,
    make_store,
    place_log,
    stored,
    texts,
    words,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_session_in_which_nothing_happened_leaves_nothing(tmp_path: Path) -> None:
    root = tmp_path / "state" / "sessions"
    store = make_store(root)
    session = await store.create("/somewhere")
    assert session.path is not None and session.path.is_relative_to(root)
    await session.sync()
    await session.aclose()
    assert list(tmp_path.iterdir()) == []
    assert await store.list() == [] and await store.latest("/somewhere") is None


async def test_the_first_event_makes_private_files_in_private_folders(tmp_path: Path) -> None:
    root = tmp_path / "state" / "sessions"
    session = await make_store(root).create("/home/me/My Project")
    await session.append(user_message("hi"))
    await session.sync()
    path = session.path
    assert path is not None
    assert path.parent.name.startswith("my-project-") and path.name == f"{session.id}.jsonl"
    assert [mode(folder) for folder in (root.parent, root, path.parent)] == [0o700] * 3
    files = {each.name: mode(each) for each in path.parent.iterdir()}
    assert files == {path.name: 0o600, f".{session.id}.lock": 0o600}
    await session.aclose()


async def test_the_file_says_what_it_is_and_is_json_lines(tmp_path: Path) -> None:
    session = await make_store(tmp_path).create("/somewhere")
    await session.append(user_message("grüß dich"))
    await session.aclose()
    assert session.path is not None
    first, second = (json.loads(line) for line in session.path.read_text().splitlines())
    assert first == {
        "type": "session",
        "format_version": 1,
        "id": session.id,
        "cwd": "/somewhere",
        "created": "2026-03-01T09:30:01.000Z",
        "program_version": VERSION,
    }
    assert list(second) == ["seq", "time", "type", "data"]
    assert "grüß dich" in session.path.read_text()


def test_folders_are_told_apart_by_their_real_path(tmp_path: Path) -> None:
    (tmp_path / "a" / "same").mkdir(parents=True)
    (tmp_path / "b" / "same").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "same")
    one, two = project_folder(str(tmp_path / "a" / "same")), project_folder(str(tmp_path / "b" / "same"))
    assert one != two and one.startswith("same-") and two.startswith("same-")
    assert project_folder(str(tmp_path / "link")) == one
    assert project_folder("/").startswith("root-")
    assert project_folder("/tmp/整理").startswith("root-")
    assert len(project_folder("/" + "x" * 250)) < 60


def test_ids_sort_by_time() -> None:
    clock = TickingClock()
    ids = [new_session_id(clock()) for _ in range(50)]
    assert ids == sorted(ids) and len(set(ids)) == 50


async def test_part_of_an_id_will_do_when_it_is_enough(tmp_path: Path) -> None:
    for id in ("20260301-093000-abcdef", "20260301-093000-abxyz2", "20260302-101010-qqqqqq"):
        place_log(tmp_path, log_bytes(words(1), id), id)
    store = make_store(tmp_path)
    for part in ("20260302-101010-qqqqqq", "20260302", "q", "qqq"):
        assert (await store.read(part)).id == "20260302-101010-qqqqqq"
    assert (await store.read("abc")).id == "20260301-093000-abcdef"
    with pytest.raises(SessionNotFoundError, match="2 sessions") as caught:
        await store.read("ab")
    assert "20260301-093000-abxyz2" in caught.value.message and caught.value.hint


@pytest.mark.parametrize("id", ["nothing", "", "..", "../x", "/etc/passwd", "a/b", "a\x00b", "*", "é"])
async def test_an_id_that_none_has_is_a_clear_error(tmp_path: Path, id: str) -> None:
    place_log(tmp_path, log_bytes(words(1)))
    store = make_store(tmp_path)
    for use in (store.open, store.read, store.fork, store.recent):
        with pytest.raises(SessionNotFoundError) as caught:
            await use(id)
        assert caught.value.hint


async def test_a_session_goes_on_where_it_ended(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    id = await stored(store, "/somewhere", user_message("one"), assistant("two"))
    for round in range(3):
        session = await store.open(id)
        (event,) = await session.append(user_message(f"round {round}"))
        assert event.seq == 3 + round
        await session.aclose()
    session = await store.read(id)
    assert [event.seq for event in session.events] == [1, 2, 3, 4, 5]
    assert session.damage == ()


async def test_a_second_writer_is_told_and_may_fork_and_read(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    first = await store.create("/somewhere")
    await first.append(user_message("one"))
    with pytest.raises(SessionInUseError) as caught:
        await make_store(tmp_path).open(first.id)
    assert first.id in caught.value.message and "--fork" in caught.value.hint
    await first.append(user_message("two"))
    assert texts(await store.read(first.id)) == ["one", "two"]
    fork = await store.fork(first.id)
    await fork.append(user_message("in the copy"))
    await first.append(user_message("in the original"))
    assert texts(fork) == ["one", "two", "in the copy"]
    assert texts(first) == ["one", "two", "in the original"]
    await fork.aclose()
    await first.aclose()
    again = await store.open(first.id)
    await again.aclose()


async def test_a_session_opened_for_reading_is_not_written(tmp_path: Path) -> None:
    path = place_log(tmp_path, log_bytes(words(2))[:-1] + b'\n{"seq":3,"ti')
    before = path.read_bytes()
    session = await make_store(tmp_path).read(ID)
    assert session.read_only and session.path == path
    assert texts(session) == ["message 1", "message 2"]
    assert session.damage == ()
    with pytest.raises(SessionReadOnlyError) as caught:
        await session.append(user_message("x"))
    assert "reading" in caught.value.message and caught.value.hint
    await session.sync()
    await session.aclose()
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_reading_and_listing_while_another_writes_sees_whole_events(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    session = await store.create("/somewhere")
    await session.append(user_message("start"))
    done = False

    async def write() -> None:
        nonlocal done
        for number in range(150):
            await session.append(user_message(f"{number} " + "x" * 20_000))
        done = True

    writing = asyncio.create_task(write())
    seen: list[list[SessionEvent]] = []
    while not done:
        reading = await store.read(session.id)
        assert reading.damage == ()
        seen.append(list(reading.events))
        (info,) = await store.list()
        assert info.events >= len(reading.events)
    await writing
    assert all(events == list(session.events)[: len(events)] for events in seen)
    assert len(seen) > 1 and len(seen[0]) < 151
    await session.aclose()


async def test_the_newest_events_are_had_without_the_rest(tmp_path: Path) -> None:
    events = words(3000)
    place_log(tmp_path, log_bytes(events))
    store = make_store(tmp_path)
    for count in (1, 10, 500, 2999, 3000, 5000):
        assert list(await store.recent(ID, count)) == events[-count:]
    assert await store.recent(ID, 0) == ()
    place_log(tmp_path, log_bytes(events) + b'{"seq":3001,"tim')
    assert list(await store.recent(ID, 5))[-4:] == events[-4:]


async def test_a_newer_format_is_shown_and_not_written(tmp_path: Path) -> None:
    path = place_log(tmp_path, log_bytes(words(2), format_version=2))
    before = path.read_bytes()
    store = make_store(tmp_path)
    assert texts(await store.read(ID)) == ["message 1", "message 2"]
    for use in (store.open, store.fork):
        with pytest.raises(SessionError, match="newer") as caught:
            await use(ID)
        assert "Update" in caught.value.hint
    assert path.read_bytes() == before
    # The refusal gave the lock back.
    with pytest.raises(SessionError, match="newer"):
        await store.open(ID)


async def test_what_a_killed_creation_left_is_cleared_away_when_it_is_old(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    path = (await store.read(await stored(store, "/somewhere", user_message("x")))).path
    assert path is not None
    old, young = path.with_name(".old.jsonl.new"), path.with_name(".young.jsonl.new")
    for each in (old, young):
        each.write_text("half a hea")
    os.utime(old, (0, 0))
    await stored(store, "/somewhere", user_message("y"))
    assert not old.exists() and young.exists()
    assert len(await store.list()) == 2


async def test_unknown_events_are_kept_by_opening_and_going_on(tmp_path: Path) -> None:
    odd = SessionEvent(1, TIME, "later/type", {"form": "hologram", "n": 1}, {"signed": "abc"})
    path = place_log(tmp_path, log_bytes([odd]))
    before = path.read_bytes()
    session = await make_store(tmp_path).open(ID)
    await session.append(user_message("x"))
    await session.aclose()
    assert path.read_bytes().startswith(before)
    assert session.events[0] == odd
    assert (await make_store(tmp_path).read(ID)).events[0] == odd


async def test_a_copy_of_a_file_is_a_session_of_its_own(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(1)))
    path = place_log(tmp_path, log_bytes(words(1)), "copied")
    session = await make_store(tmp_path).open("copied")
    assert (session.id, session.path) == ("copied", path)
    await session.aclose()


async def test_a_cancelled_opening_frees_the_session(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(2000)))
    store = make_store(tmp_path)
    for delay in range(12):
        opening = asyncio.create_task(store.open(ID))
        for _ in range(delay):
            await asyncio.sleep(0.001)
        opening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await (await opening).aclose()
    session = await store.open(ID)
    assert len(session.events) == 2000
    await session.aclose()
