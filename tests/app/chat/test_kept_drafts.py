"""What was written and not sent is there again after any end of the program."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.controllers.draft_store import DraftStore
from tests.app.held_model import HeldModel, deck_with
from tests.app.support import Deck

SHOP = "/home/shop"


def _deck(tmp_path: Path, **settings: str) -> Deck:
    deck = Deck(tmp_path, **settings)  # type: ignore[arg-type]
    deck.app._drafts = DraftStore(tmp_path, SHOP)
    return deck


def _kept(tmp_path: Path) -> str:
    files = sorted((tmp_path / "drafts").glob("*.txt"))
    return files[0].read_text() if files else ""


def _left_behind(tmp_path: Path, text: str) -> None:
    store = DraftStore(tmp_path, SHOP)
    store.take()
    store.want(text)
    store.write()
    store.close()


async def test_leaving_keeps_it_and_the_next_start_says_so(tmp_path: Path) -> None:
    deck = _deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("for tomorrow")
        await pilot.press("ctrl+q")
        await deck.until(lambda: not deck.app.is_running, "the end")
    again = _deck(tmp_path)
    async with again.app.run_test(size=(100, 30)) as pilot:
        await again.ready()
        await again.until(lambda: again.chat.composer.text == "for tomorrow", "the draft")
        await again.until(lambda: "What you had not sent last time is back." in again.text(), "the notice")
        await pilot.press("ctrl+c")
        assert again.chat.composer.text == ""
        await again.until(lambda: not _kept(tmp_path), "the cleared draft to go from the disk")


async def test_it_is_on_the_disk_while_it_is_written(tmp_path: Path) -> None:
    deck = _deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press(*"hem")
        await deck.until(lambda: _kept(tmp_path) == "hem", "the draft on the disk")
        await pilot.press("enter")
        await deck.until(lambda: not _kept(tmp_path), "the sent draft to go from the disk")


async def test_words_typed_before_it_came_back_stay_as_they_are_and_up_brings_it(tmp_path: Path) -> None:
    _left_behind(tmp_path, "half a thought")
    deck = _deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        deck.chat.composer.insert("hem towels")
        await deck.ready()
        await deck.until(lambda: "Up brings it" in deck.text(), "the notice")
        assert deck.chat.composer.text == "hem towels"
        assert "half a thought" in deck.chat.drafts.unsent()
        await pilot.press("up")
        assert deck.chat.composer.text == "half a thought"
        await pilot.press("enter")
        assert deck.chat.composer.text == "hem towels"
        await deck.until(lambda: _kept(tmp_path) == "hem towels", "only what is not sent on the disk")


async def test_a_recalled_message_that_is_sent_gives_the_draft_back(tmp_path: Path) -> None:
    deck = _deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("first")
        await pilot.press("enter")
        await deck.until(lambda: not deck.chat.session.busy, "the turn")
        await pilot.press(*"half", "up")
        assert deck.chat.composer.text == "first"
        assert deck.chat.drafts.unsent() == "half"
        await pilot.press("enter")
        assert deck.chat.composer.text == "half"


async def test_leaving_before_the_session_is_open_keeps_what_was_sent(tmp_path: Path) -> None:
    deck = _deck(tmp_path)
    held = asyncio.Event()
    opened = deck.app._open_runtime

    async def slow() -> object:
        await held.wait()
        return await opened()

    deck.app._open_runtime = slow  # type: ignore[assignment]
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.until(lambda: deck.app._keeper is not None, "the keeper")
        await pilot.press(*"hem", "enter")
        await deck.until(lambda: deck.chat.session.unsent, "the waiting message")
        await pilot.press("ctrl+q")
        await deck.until(lambda: not deck.app.is_running, "the end")
        held.set()
    assert _kept(tmp_path) == "hem"


async def test_what_was_queued_is_a_draft_again_in_another_session(tmp_path: Path) -> None:
    model = HeldModel("first")
    deck = deck_with(tmp_path, model)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("one")
        await pilot.press("enter")
        await deck.until(lambda: model.requests, "the first request")
        deck.chat.composer.insert("two")
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.session.unsent == ("two",), "the queue")
        deck.chat.composer.insert("/new")
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.composer.text == "two", "the queued words in the draft")
        assert not [row for row in deck.chat.transcript.rows if row.kind == "user"]
        await deck.until(lambda: "The turn that ran was stopped." in deck.text(), "that the turn was stopped")
