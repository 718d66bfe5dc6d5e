"""Appending: one order, all or nothing, and what the callers and onlookers of it may rely on."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from types import MappingProxyType

import pytest

from skills_core.session import Session, SessionError, SessionReadOnlyError
from skills_core.session.event import PendingEvent, SessionEvent, user_message
from tests.core.session.logs import TickingClock, assistant, catalog, header, make_store, texts


class GatedSink:
    """A file that waits for permission before each write and refuses what it is told to."""

    def __init__(self) -> None:
        self.path = Path("/nowhere/session.jsonl")
        self.writes: list[bytes] = []
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.refused: set[bytes] = set()
        self.closed = 0
        self.synced_after: list[int] = []

    def write(self, records: bytes) -> None:
        self.entered.set()
        assert self.gate.wait(10), "the test never opened the gate"
        if any(mark in records for mark in self.refused):
            raise SessionError("refused", "hint")
        self.writes.append(records)

    def sync(self) -> None:
        self.synced_after.append(len(self.writes))

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def sink() -> GatedSink:
    return GatedSink()


@pytest.fixture
def session(sink: GatedSink) -> Session:
    return Session(header("id"), sink=sink, clock=TickingClock())


async def entered(sink: GatedSink) -> None:
    assert await asyncio.to_thread(sink.entered.wait, 10), "no write began"


async def test_an_append_returns_what_is_stored(tmp_path: Path) -> None:
    session = await make_store(tmp_path).create("/somewhere")
    first = await session.append(user_message("one"), user_message("two"))
    assert [event.seq for event in first] == [1, 2]
    (third,) = await session.append(assistant("three"))
    assert third.seq == 3 and third.time == "2026-03-01T09:30:04.000Z"
    assert list(session.events) == [*first, third]
    assert session.path is not None
    assert session.path.read_bytes().count(b"\n") == 4
    await session.aclose()


async def test_appending_nothing_writes_nothing(sink: GatedSink, session: Session) -> None:
    assert await session.append() == ()
    assert not sink.entered.is_set()


async def test_a_live_session_equals_the_resumed_one(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    session = await store.create("/somewhere")
    odd = {"tuple": (1, 2), 3: "three", "frozen": MappingProxyType({"a": 1}), "lone": "\ud800", "f": 1e300}
    await session.append(PendingEvent("later/type", odd), user_message("words"))
    await session.aclose()
    resumed = await store.open(session.id)
    assert list(resumed.events) == list(session.events)
    assert resumed.header == session.header
    assert resumed.events[0].data["tuple"] == [1, 2]
    await resumed.aclose()


async def test_what_a_caller_does_to_its_data_later_does_not_reach_the_session() -> None:
    session = Session.in_memory("/somewhere", "1")
    data = {"content": [{"type": "text", "text": "as sent"}], "source": {"kind": "user"}}
    await session.append(PendingEvent("user/message", data))
    data["content"].clear()
    assert texts(session) == ["as sent"]


async def test_concurrent_appends_keep_their_order_and_their_groups(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    session = await store.create("/somewhere")
    groups = await asyncio.gather(
        *(session.append(*(user_message(f"{number}.{part}") for part in range(3))) for number in range(100))
    )
    assert texts(session) == [f"{number}.{part}" for number in range(100) for part in range(3)]
    assert [event for group in groups for event in group] == list(session.events)
    assert [event.seq for event in session.events] == list(range(1, 301))
    await session.aclose()
    assert texts(await store.read(session.id)) == texts(session)


async def test_appends_that_wait_share_one_write(sink: GatedSink, session: Session) -> None:
    tasks = [asyncio.create_task(session.append(user_message("first")))]
    await entered(sink)
    tasks += [asyncio.create_task(session.append(user_message(f"later {number}"))) for number in range(20)]
    await asyncio.sleep(0)
    assert session.events == []
    sink.gate.set()
    await asyncio.gather(*tasks)
    assert [data.count(b"\n") for data in sink.writes] == [1, 20]
    await session.aclose()


async def test_a_call_that_cannot_be_stored_harms_no_other(sink: GatedSink, session: Session) -> None:
    first = asyncio.create_task(session.append(user_message("first")))
    await entered(sink)
    good = asyncio.create_task(session.append(user_message("good")))
    unwritable = asyncio.create_task(session.append(PendingEvent("notice", {"text": object()})))
    refused = asyncio.create_task(session.append(user_message("before"), user_message("too big")))
    last = asyncio.create_task(session.append(user_message("last")))
    await asyncio.sleep(0)
    sink.refused.add(b"too big")
    sink.gate.set()
    await asyncio.gather(first, good, last)
    with pytest.raises(SessionError, match="notice cannot be stored"):
        await unwritable
    with pytest.raises(SessionError, match="refused"):
        await refused
    assert texts(session) == ["first", "good", "last"]
    assert [event.seq for event in session.events] == [1, 2, 3]
    assert b"".join(sink.writes).count(b"\n") == 3
    await session.aclose()


async def test_cancelling_before_the_write_adds_nothing(sink: GatedSink, session: Session) -> None:
    first = asyncio.create_task(session.append(user_message("first")))
    await entered(sink)
    waiting = asyncio.create_task(session.append(user_message("cancelled")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    sink.gate.set()
    await first
    await session.append(user_message("next"))
    assert texts(session) == ["first", "next"]
    await session.aclose()


async def test_cancelling_during_the_write_is_decided_when_the_cancellation_arrives(
    sink: GatedSink, session: Session
) -> None:
    writing = asyncio.create_task(session.append(user_message("written")))
    await entered(sink)
    writing.cancel()
    await asyncio.sleep(0)
    assert not writing.done()
    sink.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert texts(session) == ["written"]
    assert len(sink.writes) == 1
    await session.aclose()


async def test_subscribers_hear_each_event_once_in_order_until_they_end(tmp_path: Path) -> None:
    session = await make_store(tmp_path).create("/somewhere")
    heard: list[SessionEvent] = []
    seen_in_session: list[bool] = []

    def hear(event: SessionEvent) -> None:
        heard.append(event)
        seen_in_session.append(session.events[-1] is event)

    end = session.subscribe(hear)
    await asyncio.gather(session.append(user_message("a"), user_message("b")), session.append(user_message("c")))
    assert heard == list(session.events)
    assert all(seen_in_session)
    end()
    end()
    await session.append(user_message("d"))
    assert len(heard) == 3
    await session.aclose()


async def test_a_subscriber_that_raises_is_logged_and_harms_no_one(caplog: pytest.LogCaptureFixture) -> None:
    session = Session.in_memory("/somewhere", "1")
    heard: list[int] = []

    def fail(event: SessionEvent) -> None:
        raise RuntimeError("broken subscriber")

    session.subscribe(fail)
    session.subscribe(lambda event: heard.append(event.seq))
    with caplog.at_level(logging.ERROR, "skills_core.session"):
        (event,) = await session.append(user_message("a"))
    assert heard == [1] and list(session.events) == [event]
    assert "broken subscriber" in caplog.text


async def test_a_subscriber_may_append(tmp_path: Path) -> None:
    session = await make_store(tmp_path).create("/somewhere")
    tasks: list[asyncio.Task[object]] = []

    def answer(event: SessionEvent) -> None:
        if event.seq == 1:
            tasks.append(asyncio.create_task(session.append(user_message("answer"))))

    session.subscribe(answer)
    await session.append(user_message("question"))
    await asyncio.gather(*tasks)
    assert texts(session) == ["question", "answer"]
    await session.aclose()


async def test_messages_are_indexed_by_their_source() -> None:
    session = Session.in_memory("/somewhere", "1")
    catalogs = session.of_source("skill-catalog")
    assert list(catalogs) == []
    await session.append(
        user_message("a"),
        catalog("x"),
        assistant("b"),
        PendingEvent("user/message", {"content": [], "source": None}),
        PendingEvent("user/message", {"content": [], "source": {"kind": 7}}),
        PendingEvent("notice", {"source": {"kind": "skill-catalog"}}),
        catalog("x", "y", update=True),
    )
    assert [event.seq for event in catalogs] == [2, 7]
    assert [event.seq for event in session.of_source("user")] == [1]
    assert len(session.events) == 7


async def test_sync_waits_for_what_was_appended_before(sink: GatedSink, session: Session) -> None:
    writing = asyncio.create_task(session.append(user_message("a")))
    await entered(sink)
    waiting = asyncio.create_task(session.append(user_message("b")))
    syncing = asyncio.create_task(session.sync())
    await asyncio.sleep(0)
    assert sink.synced_after == []
    sink.gate.set()
    await asyncio.gather(writing, waiting, syncing)
    assert sink.synced_after == [2]
    await session.aclose()


async def test_closing_finishes_the_writes_first_and_then_refuses(sink: GatedSink, session: Session) -> None:
    before = threading.enumerate()
    writing = asyncio.create_task(session.append(user_message("a")))
    await entered(sink)
    waiting = asyncio.create_task(session.append(user_message("b")))
    await asyncio.sleep(0)
    closing = asyncio.create_task(session.aclose())
    await asyncio.sleep(0)
    with pytest.raises(SessionReadOnlyError, match="closed"):
        await session.append(user_message("too late"))
    assert sink.closed == 0
    sink.gate.set()
    await asyncio.gather(writing, waiting, closing)
    await session.aclose()
    assert texts(session) == ["a", "b"]
    assert sink.closed == 1
    await ended([each for each in threading.enumerate() if each not in before and "session-file" in each.name])


async def ended(threads: list[threading.Thread]) -> None:
    """Until these threads are over; they were told to end already."""
    for thread in threads:
        await asyncio.to_thread(thread.join, 10)
        assert not thread.is_alive(), f"{thread.name} still runs"


async def test_a_session_in_memory_needs_no_disk() -> None:
    session = Session.in_memory("/somewhere", "1", clock=TickingClock())
    assert session.path is None and not session.read_only
    await session.append(user_message("a"))
    await session.sync()
    assert texts(session) == ["a"]
    assert session.header.cwd == "/somewhere"
    await session.aclose()
    with pytest.raises(SessionReadOnlyError):
        await session.append(user_message("b"))


def test_a_shutdown_in_the_middle_of_a_write_leaves_no_one_waiting(sink: GatedSink) -> None:
    outcomes: list[object] = []

    async def main() -> None:
        session = Session(header("id"), sink=sink)

        async def write() -> None:
            try:
                await session.append(user_message("a"))
            except BaseException as error:
                outcomes.append(error)
                raise

        task = asyncio.create_task(write())
        await entered(sink)
        threading.Timer(0.05, sink.gate.set).start()
        assert not task.done()

    asyncio.run(main())
    assert len(outcomes) == 1
