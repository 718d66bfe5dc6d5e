"""A session that has been through everything gives the model the same messages again, byte for byte."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from skills_core.session import Session
from skills_core.session.compaction import compaction_event, plan_compaction
from skills_core.session.event import PendingEvent, user_message
from skills_core.session.recollection import extractive_summary
from tests.core.session.logs import assistant, catalog, make_store, result


def given_to_the_model(session: Session) -> bytes:
    messages = [dataclasses.asdict(message) for message in session.surface.messages()]
    return json.dumps(messages, ensure_ascii=False).encode()


async def test_catalogs_calls_a_compaction_a_fork_and_a_crash_change_nothing(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    session = await store.create("/somewhere")
    await session.append(PendingEvent("turn/start", {"turn": 1}), user_message("整理 the shelf"), catalog("a"))
    await session.append(assistant("I look", ("1", "read", {"path": "x"}), ("2", "read", {"path": "y"})))
    await session.append(PendingEvent("tool/call", {"id": "1", "name": "read", "arguments": {}, "title": "Read x"}))
    await session.append(result("2", "second"), result("1", "first \ud800 half"))
    await session.append(catalog("a", "b", update=True), assistant("done"), PendingEvent("turn/end", {"turn": 1}))
    await session.append(user_message("again"), assistant("more", ("3", "shell", {"command": "ls"})), result("3", "x"))
    await session.append(assistant("finished"))
    found = plan_compaction(session.surface.visible, keep_tokens=10)
    assert found is not None
    await session.append(compaction_event(found, extractive_summary(found.replaced)))
    await session.append(catalog("b", update=True), user_message("and now"), PendingEvent("later/type", {"x": 1}))
    await session.append(assistant("one more", ("4", "read", {"path": "z"})))
    live = given_to_the_model(session)
    await session.sync()

    fork = await store.fork(session.id)
    assert given_to_the_model(fork) == live
    await fork.aclose()
    assert given_to_the_model(await store.open(fork.id)) == live

    await session.aclose()
    assert session.path is not None
    with session.path.open("ab") as file:
        file.write(b'{"seq":99,"time":"2026-03-01T09:30:00.000Z","type":"tool/result","data":{"id":"4","na')
    resumed = await store.open(session.id)
    assert given_to_the_model(resumed) == live
    visible = [event.seq for event in resumed.of_source("skill-catalog") if resumed.surface.is_visible(event.seq)]
    assert visible == [resumed.of_source("skill-catalog")[-1].seq]
    await resumed.append(result("4", "the answer"), user_message("on"))
    after = given_to_the_model(resumed)
    await resumed.aclose()
    assert given_to_the_model(await store.read(session.id)) == after


async def test_a_fork_from_every_point_opens_to_what_was_seen_then(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    session = await store.create("/somewhere")
    seen: list[bytes] = []
    for pending in (
        user_message("one"),
        catalog("a"),
        assistant("look", ("1", "read", {}), ("2", "read", {})),
        result("1", "first"),
        user_message("between"),
        result("2", "second"),
        assistant("done"),
    ):
        await session.append(pending)
        seen.append(given_to_the_model(session))
    await session.aclose()
    for seq, expected in enumerate(seen, 1):
        fork = await store.fork(session.id, seq)
        assert given_to_the_model(fork) == expected
        await fork.aclose()
