"""A session that another window writes: marked in the list, and gone on with in a copy."""

from __future__ import annotations

from pathlib import Path

from skills_core.session import SessionStore
from skills_core.session.event import user_message
from tests.app.support import Deck


async def test_it_is_marked_and_a_copy_is_offered(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    # A store of its own has locks of its own, like another process.
    other = SessionStore(tmp_path / "sessions", "1.0.0")
    held = await other.create("/home/shop")
    await held.append(user_message("zebra crossing"))
    try:
        async with deck.app.run_test(size=(100, 30)) as pilot:
            await deck.ready()
            deck.chat.composer.insert("/resume")
            deck.chat.completion.dismiss()
            await pilot.press("enter")
            await deck.until(lambda: "open elsewhere" in deck.text(), "the mark")
            await pilot.press("enter")
            await deck.until(lambda: "is in use by another window" in deck.text(), "the reason")
            assert "Go on in a copy" in deck.text()
            await pilot.press("enter")
            await deck.until(lambda: deck.app.screen is deck.chat and deck.chat.transcript.rows, "the copy")
            session = deck.chat.session.conversation.session
            assert session.header.parent_id == held.id
            assert "zebra crossing" in deck.text()
    finally:
        await held.aclose()
