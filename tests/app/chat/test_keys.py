"""Keys that come faster than they are handled keep their order."""

from __future__ import annotations

from pathlib import Path

from textual import events

from tests.app.support import Deck


async def test_a_burst_of_keys_is_taken_in_its_order(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        for key in ("a", "b", "backspace", "c", "left", "d", "home", "e", "end", "f"):
            deck.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert deck.chat.composer.text == "eadcf"


async def test_a_rebound_key_of_the_composer_is_found(tmp_path: Path) -> None:
    deck = Deck(tmp_path, keymap={"composer.newline": "ctrl+o"})
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("a", "ctrl+o", "b")
        assert deck.chat.composer.text == "a\nb"
