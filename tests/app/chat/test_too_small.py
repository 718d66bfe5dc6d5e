"""A window that is too small for a moment changes nothing of what the keys mean."""

from __future__ import annotations

from pathlib import Path

from tests.app.support import Deck, project_skill


async def test_enter_after_a_window_that_was_too_small_never_answers_a_question(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="ask")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(project_skill("hem-towels"))
        await deck.until(lambda: "Trust this project?" in deck.text(), "the question")
        await pilot.press(*"hem")
        for size in ((30, 8), (39, 30), (100, 11)):
            await pilot.resize_terminal(*size)
            await deck.until(lambda: "Make the window larger" in deck.text(), "the words for a small window")
            await pilot.press("enter")
            await pilot.resize_terminal(100, 30)
            await deck.until(lambda: deck.chat.focused is deck.chat.composer, "the composer to have the focus")
            assert deck.chat.desk.current is not None, "the question still waits"
        await pilot.press("space", "x")
        assert deck.chat.composer.text == "hem x"


async def test_the_pane_that_is_opened_again_shows_what_is_there_now(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("f6")
        await deck.until(lambda: "▏" in deck.text(), "the pane")
        await pilot.press("f6")
        deck.shelf.put(project_skill("hem-towels"), project_skill("tie-knots"))
        await deck.seen(2)
        await pilot.press("f6")
        await deck.until(lambda: "tie-knots" in deck.text(), "the new skills in the pane")
