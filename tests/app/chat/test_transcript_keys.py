"""The keys in the transcript, and what the hints say of the row that they mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from tests.app.support import Deck, skill


async def test_tab_begins_at_a_row_that_opens_and_the_hints_are_true_of_every_row(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 40)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem-towels", "Hem towels."))
        await deck.seen(2)
        deck.chat.composer.insert("hem towels")
        await pilot.press("enter")
        rows = deck.chat.transcript.rows
        await deck.until(lambda: len(rows) > 4 and not deck.chat.session.busy, "a turn")
        assert not rows[-1].foldable, "the newest row is the answer"
        await pilot.press("tab")
        view = deck.chat.view
        assert deck.chat.focused is view
        assert view.cursor is not None and rows[view.cursor].foldable
        seen: set[bool] = set()
        for key in ("end", *["up"] * (len(rows) - 1)):
            await pilot.press(key)
            assert view.cursor is not None
            opens = rows[view.cursor].foldable
            seen.add(opens)
            assert ("Enter opens" in deck.text()) == opens, rows[view.cursor].kind
        assert seen == {True, False}


@pytest.mark.parametrize("focus", ["transcript", "nothing"])
async def test_words_that_come_in_one_burst_are_words_wherever_the_focus_was(tmp_path: Path, focus: str) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 40)):
        await deck.ready()
        deck.chat.set_focus(deck.chat.view if focus == "transcript" else None)
        for character in "hem two towels":
            deck.app.post_message(events.Key("space" if character == " " else character, character))
        await deck.until(lambda: deck.chat.composer.text == "hem two towels", "every key in the draft, in order")
        assert deck.chat.focused is deck.chat.composer


async def test_a_paste_into_the_transcript_and_the_keys_behind_it_are_one_draft(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 40)):
        await deck.ready()
        deck.chat.set_focus(deck.chat.view)
        deck.app.post_message(events.Paste("hem two"))
        for character in " towels":
            deck.app.post_message(events.Key("space" if character == " " else character, character))
        await deck.until(lambda: deck.chat.composer.text == "hem two towels", "the paste and every key, in order")
