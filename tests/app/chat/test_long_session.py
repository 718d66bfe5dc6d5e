"""A long stored session: its end is there at once, its whole follows, and the screen answers meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.options import ScreenOptions
from skills_core.session.event import PendingEvent, user_message
from tests.app.support import Deck


async def stored(deck: Deck, count: int) -> str:
    session = await deck.runtime.store.create("/home/shop")
    events: list[PendingEvent] = []
    for number in range(count):
        reply = {"content": [{"type": "text", "text": f"answer {number}"}], "model": "offline", "usage": None}
        events += [
            user_message(f"message {number}"),
            PendingEvent("assistant/message", {**reply, "stop_reason": "end"}),
        ]
    await session.append(*events)
    await session.aclose()
    return session.id


async def test_the_end_is_shown_before_the_whole_is_read(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    session_id = await stored(deck, 500)
    store, reading = deck.runtime.store, asyncio.Event()
    whole = store.open

    async def slow(id: str) -> object:
        await reading.wait()
        return await whole(id)

    store.open = slow  # type: ignore[method-assign,assignment]
    options = deck.app.options
    deck.app.options = ScreenOptions(cwd=options.cwd, settings=options.settings, resume=session_id)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.until(lambda: "answer 499" in deck.text(), "the end of the session")
        assert len(deck.chat.transcript.rows) == 300
        deck.chat.composer.insert("sent meanwhile")
        await pilot.press("enter")
        await deck.until(lambda: "sent meanwhile" in deck.text(), "the words")
        reading.set()
        await deck.until(lambda: not deck.chat.session.busy and len(deck.chat.transcript.rows) > 1000, "the whole")
        assert [row.text() for row in deck.chat.transcript.rows[:2]] == ["message 0", "answer 0"]
        texts = [row.text() for row in deck.chat.transcript.rows if row.kind == "user"]
        assert texts.count("sent meanwhile") == 1
