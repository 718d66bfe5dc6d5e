"""Pages, pickers and the palette above the chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.screens.picker import PickerScreen, PickItem
from tests.app.support import Deck, skill


@pytest.mark.parametrize("command", ["/catalog", "/help", "/why hem towels", "/theme", "/model", "/resume"])
async def test_pages_open_and_close(tmp_path: Path, command: str) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem-towels"))
        await deck.seen(2)
        deck.chat.composer.insert("hem towels")
        await pilot.press("enter")
        await deck.until(lambda: len(deck.chat.transcript.rows) > 4 and not deck.chat.session.busy, "a turn")
        deck.chat.composer.insert(command)
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.app.screen is not deck.chat, "the page")
        await pilot.press("escape")
        assert deck.app.screen is deck.chat


async def test_the_palette_runs_commands(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("f9")
        await deck.until(lambda: deck.app.screen is not deck.chat, "the palette")
        await pilot.press(*"skills")
        await deck.until(lambda: "/skills" in deck.text(), "the command")
        await pilot.press("down", "enter")
        await deck.until(lambda: deck.chat.has_class("with-pane"), "the pane")


async def test_a_picker_narrows_and_takes(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        taken: list[str | None] = []
        items = [PickItem(str(n), f"name-{n}", "[b]x") for n in range(50)]
        deck.app.push_screen(PickerScreen("Choose", items), taken.append)
        await pilot.pause()
        await pilot.press(*"49", "enter")
        await deck.until(lambda: taken == ["49"], "the choice")
        deck.app.push_screen(PickerScreen("Choose", items, free="as written"), taken.append)
        await pilot.pause()
        await pilot.press(*"zebra", "enter")
        await deck.until(lambda: taken == ["49", "zebra"], "the free choice")


async def test_the_chosen_line_of_a_picker_is_seen_by_its_mark_and_its_ground(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("/theme")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: "▌ skilldeck-dark" in deck.text(), "the mark")
        y = next(y for y, text in enumerate(deck.text().split("\n")) if "▌ skilldeck-dark" in text)
        assert deck.on_ground(y, "#2b3a57")


async def test_the_theme_picker_previews_and_goes_back(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("/theme")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.app.screen is not deck.chat, "the picker")
        await pilot.pause()
        await pilot.press("down")
        assert deck.app.theme == "skilldeck-light"
        await pilot.press("escape")
        assert deck.app.theme == "skilldeck-dark"


async def test_the_sessions_picker_shows_the_last_words(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("zebra crossing")
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.transcript.rows and not deck.chat.session.busy, "a turn")
        deck.chat.composer.insert("/new")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.transcript.rows == [], "an empty session")
        deck.chat.composer.insert("/resume")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.app.screen is not deck.chat, "the picker")
        await deck.until(lambda: "› zebra crossing" in deck.text(), "the last words")
        await pilot.press("enter")
        await deck.until(lambda: deck.app.screen is deck.chat and deck.chat.transcript.rows, "the session")
