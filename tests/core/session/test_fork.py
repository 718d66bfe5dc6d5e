"""A copy of a session: the same events, another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills_core.session import (
    SessionError,
)
from skills_core.session.codec import encode_event, encode_header
from skills_core.session.event import user_message
from tests.core.session.logs import (
    ID,
    assistant,
    header,
    log_bytes,
    make_store,
    place_log,
    stored,
    words,
)


async def test_a_fork_copies_up_to_a_seq_and_renumbers_nothing(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    id = await stored(store, "/somewhere", user_message("one"), assistant("two"), user_message("three"))
    parent = await store.read(id)
    fork = await store.fork(id, 2)
    assert list(fork.events) == list(parent.events)[:2]
    assert (fork.header.parent_id, fork.header.parent_seq, fork.header.cwd) == (id, 2, "/somewhere")
    assert fork.id != id and fork.path is not None and fork.path.exists()
    (event,) = await fork.append(user_message("other three"))
    assert event.seq == 3
    await fork.aclose()
    assert list((await store.read(fork.id)).events) == list(fork.events)
    assert list((await store.read(id)).events) == list(parent.events)
    assert {info.id: info.parent for info in await store.list()} == {id: None, fork.id: id}
    whole = await store.fork(id)
    assert whole.header.parent_seq == 3 and len(whole.events) == 3
    await whole.aclose()


async def test_a_fork_keeps_what_it_does_not_understand_byte_for_byte(tmp_path: Path) -> None:
    odd = (
        encode_header(header(ID, "/somewhere", extra={"later": {"a": [1]}}))
        + b'{"seq":1,  "time":"t","type":"later/type","data":{"x":1.10,"x":2},"mark":"kept"}\n'
        + b'{"time":"t","seq":2,"type":"notice","data":{"\\u0041":"\\ud800"}}\n'
        + encode_event(words(1, 3)[0])[:-1]
    )
    place_log(tmp_path, odd)
    store = make_store(tmp_path)
    fork = await store.fork(ID)
    await fork.aclose()
    assert fork.header.extra == {"later": {"a": [1]}}
    assert fork.path is not None
    assert fork.path.read_bytes().split(b"\n", 1)[1] == odd.split(b"\n", 1)[1] + b"\n"
    assert (await store.read(fork.id)).header.extra == {"later": {"a": [1]}}


async def test_a_fork_leaves_damage_behind(tmp_path: Path) -> None:
    lines = log_bytes(words(4)).splitlines(keepends=True)
    lines[2] = b"garbage\n"
    lines[3] = lines[3][:30] + lines[3]
    place_log(tmp_path, b"".join(lines))
    store = make_store(tmp_path)
    fork = await store.fork(ID)
    await fork.aclose()
    read = await store.read(fork.id)
    assert [event.seq for event in read.events] == [1, 3, 4]
    assert ["missing" in each.reason for each in read.damage] == [True]


@pytest.mark.parametrize("seq", [0, -1, 4, 99])
async def test_a_fork_at_a_seq_that_is_not_there_is_a_clear_error(tmp_path: Path, seq: int) -> None:
    path = place_log(tmp_path, log_bytes(words(3)))
    with pytest.raises(SessionError, match="from 1 to 3"):
        await make_store(tmp_path).fork(ID, seq)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
