"""While something takes long the screen goes on: keys, size, pages, and Esc."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual import events

from app.controllers.row_body import joined_text
from skills_core.registry import Lookup
from skills_core.registry.provider import ProviderListing
from skills_core.session import Session
from skills_core.session.event import SOURCE_USER
from tests.app.held_model import HeldModel, deck_with
from tests.app.support import Deck, skill


async def test_the_screen_goes_on_while_a_summary_is_made_and_esc_stops_it(tmp_path: Path) -> None:
    model = HeldModel("An answer. " + "word " * 9_000)
    model.go.set()
    deck = deck_with(tmp_path, model)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        for number in range(4):
            deck.chat.composer.insert(f"go {number}")
            await pilot.press("enter")
            await deck.until(lambda at=number: len(model.requests) == at + 1, "the request")
            await deck.until(lambda: not deck.chat.session.busy, "the end of the turn")
        model.go.clear()
        deck.chat.composer.insert("/compact")
        deck.chat.completion.dismiss()
        deck.app.post_message(events.Key("enter", "\r"))
        await deck.until(lambda: len(model.requests) == 5, "the request of the summary")
        await deck.until(lambda: "Summarising the older part" in deck.text(), "what goes on")
        deck.app.post_message(events.Key("x", "x"))
        await deck.until(lambda: deck.chat.composer.text == "x", "the draft")
        deck.app.post_message(events.Key("f6", None))
        await deck.until(lambda: deck.chat.side.shown and "▏" in deck.text(), "the pane")
        deck.app.post_message(events.Key("f6", None))
        await deck.until(lambda: not deck.chat.side.shown, "the pane to go")
        deck.app.post_message(events.Key("escape", None))
        await deck.until(lambda: "Cancelled: nothing was replaced." in deck.text(), "the end of the compaction")
        assert deck.chat.composer.text == "x"
        assert not deck.chat.session.busy


class HeldShelf:
    """Holds every look of the deck's provider until ``go`` is set."""

    def __init__(self, deck: Deck) -> None:
        self.go = asyncio.Event()
        self.waiting = 0
        self._list = deck.shelf.list
        deck.shelf.list = self._held  # type: ignore[method-assign]
        deck.shelf.control.invalidate()

    async def _held(self, lookup: Lookup) -> ProviderListing:
        self.waiting += 1
        await self.go.wait()
        return await self._list(lookup)


def _type(deck: Deck, text: str) -> None:
    for character in text:
        deck.app.post_message(events.Key("space" if character == " " else character, character))


def _press(deck: Deck, key: str) -> None:
    deck.app.post_message(events.Key(key, "\r" if key == "enter" else None))


async def _submitted_while_held(deck: Deck, text: str) -> HeldShelf:
    """A draft that names a skill which only the next look at the disk will find, entered; and the look held."""
    deck.shelf.listing = ProviderListing(candidates=(skill("late"),))
    shelf = HeldShelf(deck)
    deck.chat.composer.insert(text)
    deck.chat.completion.dismiss()
    _press(deck, "enter")
    await deck.until(lambda: "Looking at the skills" in deck.text(), "the look at the disk")
    return shelf


async def test_what_is_typed_while_a_name_is_looked_for_stays_when_the_message_goes(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        shelf = await _submitted_while_held(deck, "/skill:late now")
        _type(deck, " and then")
        await deck.until(lambda: deck.chat.composer.text == "/skill:late now and then", "the words")
        shelf.go.set()
        await deck.until(lambda: deck.chat.composer.text == " and then", "the rest alone")
        await deck.until(lambda: _said(deck) == ["/skill:late now"], "the message")
        assert "Looking at the skills" not in deck.text()


async def test_a_second_enter_while_a_name_is_looked_for_sends_once(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        shelf = await _submitted_while_held(deck, "/skill:late now")
        _press(deck, "enter")
        shelf.go.set()
        await deck.until(lambda: _said(deck) and not deck.chat.session.busy, "the turn")
        assert _said(deck) == ["/skill:late now"]
        assert deck.chat.composer.text == ""


async def test_a_draft_that_is_cleared_while_a_name_is_looked_for_is_not_sent(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        shelf = await _submitted_while_held(deck, "/skill:late now")
        _press(deck, "ctrl+c")
        await deck.until(lambda: deck.chat.composer.text == "", "the cleared draft")
        shelf.go.set()
        await deck.until(lambda: deck.chat.session.skill_view.skill_count == 1, "the look")
        await pilot.pause()
        assert _said(deck) == []
        assert deck.chat.session.unsent == ()


async def test_keys_work_while_the_disk_does_not_answer(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        shelf = HeldShelf(deck)
        _press(deck, "f5")
        await deck.until(lambda: "Looking at the disk" in deck.text(), "what goes on")
        _type(deck, "hem")
        await deck.until(lambda: deck.chat.composer.text == "hem", "the draft")
        _press(deck, "f1")
        await deck.until(lambda: deck.app.screen is not deck.chat, "the help")
        _press(deck, "escape")
        await deck.until(lambda: deck.app.screen is deck.chat, "the chat")
        shelf.go.set()
        await deck.until(lambda: "on the disk now" in deck.text(), "what was found")


async def test_messages_wait_for_the_session_that_was_asked_for_before(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        assert deck.chat.session.runtime is not None
        store = deck.chat.session.runtime.store
        create, go = store.create, asyncio.Event()

        async def slow(cwd: str) -> Session:
            await go.wait()
            return await create(cwd)

        store.create = slow  # type: ignore[method-assign]
        before = deck.chat.session.conversation.session  # type: ignore[union-attr]
        deck.chat.composer.insert("/new")
        deck.chat.completion.dismiss()
        _press(deck, "enter")
        await deck.until(lambda: deck.chat.composer.text == "", "the command to be taken up")
        deck.chat.composer.insert("hem")
        _press(deck, "enter")
        await deck.until(lambda: "Beginning a session" in deck.text(), "what goes on")
        go.set()
        await deck.until(lambda: _said(deck) == ["hem"], "the message")
        assert deck.chat.session.conversation.session is not before  # type: ignore[union-attr]
        assert deck.chat.composer.text == ""


async def test_leaving_again_does_not_wait_for_what_does_not_close(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    go, closing, close = asyncio.Event(), asyncio.Event(), deck.chat.session._close

    async def stuck() -> None:
        closing.set()
        await go.wait()
        await close()

    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        deck.chat.session._close = stuck  # type: ignore[method-assign]
        _press(deck, "ctrl+q")
        await asyncio.wait_for(closing.wait(), 5)
        assert deck.app.is_running
        _press(deck, "ctrl+c")
        await deck.until(lambda: not deck.app.is_running, "the end", 3)
    go.set()
    await close()


def _said(deck: Deck) -> list[str]:
    session = deck.chat.session.conversation.session  # type: ignore[union-attr]
    return [joined_text(event.data.get("content")) for event in session.of_source(SOURCE_USER)] if session else []
