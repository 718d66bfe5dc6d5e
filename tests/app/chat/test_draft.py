"""The draft is sacred."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from tests.app.support import Deck, skill


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    return Deck(tmp_path, trust="yes")


async def test_an_unknown_command_is_held_back_once(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("/skils please")
        await pilot.press("enter")
        assert deck.chat.composer.text == "/skils please"
        assert "Did you mean /skills?" in deck.text()
        await pilot.press("enter")
        await deck.until(lambda: any(row.kind == "user" for row in deck.chat.transcript.rows), "the message")
        assert deck.chat.composer.text == ""


async def test_an_unknown_skill_is_never_sent(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem-towels"))
        await deck.seen(2)
        deck.chat.composer.insert("go /skill:hem-towel now")
        for _ in range(2):
            await pilot.press("enter")
        assert deck.chat.composer.text == "go /skill:hem-towel now"
        assert "Did you mean /skill:hem-towels?" in deck.text()
        assert deck.chat.transcript.rows == []


async def test_paths_are_words(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        deck.chat.composer.insert("/usr/bin is where it lies")
        await pilot.press("enter")
        await deck.until(lambda: any(row.kind == "user" for row in deck.chat.transcript.rows), "the message")


async def test_history_gives_the_draft_back(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        composer = deck.chat.composer
        for words in ("one", "two"):
            composer.insert(words)
            await pilot.press("enter")
            await deck.until(lambda: composer.text == "", "an empty composer")
        composer.insert("unfinished")
        await pilot.press("left", "left", "up", "up")
        assert composer.text == "one"
        await pilot.press("down", "down")
        assert (composer.text, composer.caret) == ("unfinished", 8)
        await pilot.press("up")
        await pilot.press("ctrl+z")
        assert composer.text == "unfinished"


async def test_up_and_down_move_within_a_draft_of_several_lines(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        composer = deck.chat.composer
        composer.insert("first")
        await pilot.press("ctrl+j")
        composer.insert("second")
        await pilot.press("up")
        assert composer.cursor_location == (0, 5)
        assert composer.text == "first\nsecond"


async def test_ctrl_c_clears_and_undo_brings_back(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("precious")
        await pilot.press("ctrl+c")
        assert deck.chat.composer.text == ""
        await pilot.press("ctrl+z")
        assert deck.chat.composer.text == "precious"


async def test_a_paste_is_one_edit_and_sends_nothing(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        composer = deck.chat.composer
        composer.post_message(events.Paste("/skill:a\r\nb\rc"))
        await deck.until(lambda: composer.text, "the paste")
        assert composer.text == "/skill:a\nb\nc"
        assert deck.chat.transcript.rows == []
        await pilot.press("ctrl+z")
        assert composer.text == ""


async def test_undo_in_the_moment_of_a_paste_of_many_lines(deck: Deck) -> None:
    async with deck.app.run_test():
        await deck.ready()
        composer = deck.chat.composer
        for _ in range(3):
            composer._replace_via_keyboard("a\nb\n" * 20, (0, 0), (0, 0))
            composer.action_undo()
            assert composer.text == ""
            composer.action_redo()
            composer.action_undo()


async def test_a_large_paste_does_not_freeze(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        composer = deck.chat.composer
        composer.post_message(events.Paste("x" * 200_000 + "\nlast /"))
        await deck.until(lambda: composer.text, "the paste")
        await pilot.press("a")
        assert composer.text.endswith("last /a")


async def test_the_draft_survives_every_refresh_resize_and_page(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        composer = deck.chat.composer
        composer.insert("keep me")
        composer.move_cursor((0, 4))
        deck.shelf.put(skill("a"))
        await deck.seen(2)
        await pilot.resize_terminal(40, 12)
        await pilot.resize_terminal(20, 6)
        await pilot.resize_terminal(100, 30)
        await pilot.press("f1", "escape", "f6", "f6")
        assert (composer.text, composer.caret) == ("keep me", 4)
        assert deck.chat.focused is composer


async def test_typing_in_the_transcript_goes_to_the_draft(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        deck.chat.view.focus()
        await pilot.press("h", "i")
        assert deck.chat.composer.text == "hi"
        assert deck.chat.focused is deck.chat.composer


async def test_the_size_of_a_long_paste_is_said(deck: Deck) -> None:
    async with deck.app.run_test(size=(80, 24)) as pilot:
        await deck.ready()
        deck.app.post_message(events.Paste("\n".join(f"line {number}" for number in range(60))))
        await deck.until(lambda: "Pasted 60 lines, 469 characters" in deck.text(), "the size")
        await pilot.pause()
        lines = deck.text().split("\n")
        region = deck.chat.composer.region
        frame = lines[region.y : region.bottom]
        assert frame[0].startswith("╭")
        assert all(line.startswith("│") and line.endswith("│") for line in frame[1:-1])
        assert frame[-1].startswith("╰")


async def test_undo_does_not_bring_back_what_was_sent(deck: Deck) -> None:
    async with deck.app.run_test(size=(80, 24)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("hello")
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.composer.text == "", "the message to go")
        await pilot.press("ctrl+z")
        assert deck.chat.composer.text == ""
