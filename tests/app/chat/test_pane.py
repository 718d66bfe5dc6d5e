"""The side pane: narrowed, folded, and a way into the editor and back."""

from __future__ import annotations

from pathlib import Path

from tests.app.support import Deck, skill


async def test_typing_narrows_the_pane_and_esc_shows_all_again(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(120, 40)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem-towels"), skill("tie-knots"))
        await deck.seen(2)
        await pilot.press("f6", *"hem")
        await pilot.pause()
        assert "Only with hem" in deck.text()
        assert "hem-towels" in deck.text()
        assert "tie-knots" not in deck.text()
        assert deck.chat.composer.text == ""
        await pilot.press("escape")
        await pilot.pause()
        assert "tie-knots" in deck.text()
        assert deck.chat.focused is deck.chat.pane
        await pilot.press("escape")
        assert deck.chat.focused is deck.chat.composer


async def test_very_many_skills_are_folded_to_a_line_each_until_space(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(120, 40)) as pilot:
        await deck.ready()
        deck.shelf.put(*(skill(f"skill-{number:03}", f"About {number:03}.") for number in range(100)))
        await deck.seen(2)
        await pilot.press("f6")
        await pilot.pause()
        assert "skill-020" in deck.text()
        assert "About 001." not in deck.text()
        await pilot.press("space")
        await pilot.pause()
        assert "About 001." in deck.text()


async def test_the_hints_fit_what_has_the_focus(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(120, 40)) as pilot:
        await deck.ready()
        assert "/ commands and skills" in deck.text()
        await pilot.press("f6")
        await deck.until(lambda: "Typing narrows" in deck.text(), "the pane's keys")
        await pilot.press("f6")
        await deck.until(lambda: "/ commands and skills" in deck.text(), "the composer's keys")


async def test_the_pane_follows_the_disk_and_says_when(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(120, 40)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem"), skill("tie"))
        await deck.seen(2)
        await pilot.press("f6")
        await deck.until(lambda: "Skills on the disk: 2" in deck.text(), "the pane")
        deck.shelf.put(skill("hem", "Hems."), skill("ash"))
        await deck.until(lambda: "12:00:00 +ash −tie ~hem" in deck.text(), "the change")
