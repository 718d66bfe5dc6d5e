"""The popup on the screen: painted in the key handler, updated in place, never in the way of the draft."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.app.support import Deck, project_skill, skill


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    return Deck(tmp_path, trust="yes")


async def put(deck: Deck, *names: str) -> None:
    number = deck.chat.session.skill_view.number
    deck.shelf.put(*(skill(name) for name in names))
    await deck.seen(number + 1)


async def press(pilot: Pilot[int], text: str) -> None:
    names = {"/": "slash", ":": "colon", " ": "space", "-": "minus", "\n": "ctrl+j"}
    for character in text:
        await pilot.press(names.get(character, character))


def rows(deck: Deck) -> list[str]:
    return [choice.name for choice in deck.chat.completion.items] if deck.chat.popup.display else []


async def test_a_skill_that_comes_joins_the_open_popup(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        await put(deck, "hem")
        await press(pilot, "/skill:")
        assert rows(deck) == ["hem"]
        await pilot.press("down")
        caret, focused = deck.chat.composer.caret, deck.chat.focused
        await put(deck, "hem", "tie", "ash")
        assert rows(deck) == ["ash", "hem", "tie"]
        assert deck.chat.completion.selected.name == "hem"
        assert (deck.chat.composer.caret, deck.chat.focused) == (caret, focused)
        assert "▌ hem" in deck.text()


async def test_the_last_one_leaving_clears_the_popup_and_a_new_one_opens_it(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        await put(deck, "hem")
        await press(pilot, "/skill:")
        await put(deck)
        assert rows(deck) == []
        await put(deck, "tie")
        assert rows(deck) == ["tie"]
        assert deck.chat.composer.text == "/skill:"


async def test_an_incomplete_view_changes_nothing_that_is_shown(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        await put(deck, "hem")
        await press(pilot, "/skill:")
        deck.shelf.put(complete=False, reason="a folder is locked")
        await deck.until(lambda: deck.chat.session.skill_view.state == "stale", "stale")
        assert rows(deck) == ["hem"]
        assert "stale: a folder is locked" in deck.text()


async def test_tab_accepts_and_never_sends(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        await put(deck, "hem-towels")
        await press(pilot, "please /skill:he")
        await pilot.press("tab")
        assert deck.chat.composer.text == "please /skill:hem-towels "
        assert deck.chat.transcript.rows == []
        assert rows(deck) == []
        await pilot.press("ctrl+z")
        assert deck.chat.composer.text == "please /skill:he"


async def test_enter_accepts_first_and_sends_next(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        await put(deck, "hem-towels")
        await press(pilot, "/skill:he")
        await pilot.press("enter")
        assert deck.chat.composer.text == "/skill:hem-towels "
        assert deck.chat.transcript.rows == []
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.transcript.rows, "a row")
        assert deck.chat.composer.text == ""


async def test_esc_keeps_the_text_and_stays_closed_through_a_change(deck: Deck) -> None:
    async with deck.app.run_test() as pilot:
        await deck.ready()
        await put(deck, "hem")
        await press(pilot, "/skill:h")
        await pilot.press("escape")
        assert rows(deck) == []
        await put(deck, "hem", "hum")
        assert rows(deck) == []
        assert deck.chat.composer.text == "/skill:h"
        await pilot.press("u")
        assert rows(deck) == ["hum"]


async def test_the_popup_is_there_when_the_key_handler_returns(deck: Deck) -> None:
    async with deck.app.run_test():
        await deck.ready()
        await put(deck, "hem", "tie")
        painted: list[str] = []
        deck.chat.app._display = lambda screen, renderable: painted.append(deck.text())  # type: ignore[method-assign]
        deck.chat.composer._replace_via_keyboard("/skill:", (0, 0), (0, 0))
        assert painted and "hem" in painted[-1] and "1 of 2" in painted[-1]


async def test_it_scrolls_and_says_where_it_is(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await put(deck, *(f"s{number:02}" for number in range(27)))
        await press(pilot, "/skill:")
        assert "1 of 27" in deck.text()
        await pilot.press("pagedown", "down")
        assert "12 of 27" in deck.text()
        assert "▌ s11" in deck.text()
        assert " s00 " not in deck.text()
        await pilot.press("up", "pageup")
        await pilot.press("up")
        assert "27 of 27" in deck.text()


async def test_a_click_accepts(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await put(deck, "hem", "tie")
        await press(pilot, "/skill:")
        await pilot.click("#popup", offset=(4, 1))
        assert deck.chat.composer.text == "/skill:tie "
        assert deck.chat.focused is deck.chat.composer


async def test_columns_hold_with_wide_characters(deck: Deck) -> None:
    async with deck.app.run_test(size=(80, 24)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("aa", "整理書架" * 40), skill("bb", "e\u0301" * 200), skill("cc", "👩\u200d🚀" * 60))
        await deck.seen(2)
        await press(pilot, "/skill:")
        for strip in deck.app.screen._compositor.render_strips():
            assert strip.cell_length == 80


async def test_the_argument_hint_is_shown_and_never_inserted(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem", argument_hint="[cloth]"))
        await deck.seen(2)
        await press(pilot, "/skill:hem ")
        assert "/skill:hem [cloth]" in deck.text()
        await pilot.press("right", "end")
        assert deck.chat.composer.text == "/skill:hem "
        await press(pilot, "[")
        assert deck.chat.composer.text.startswith("/skill:hem ")
        assert "[cloth]" not in deck.chat.composer.text


async def test_a_project_skill_that_appears_is_there_at_once_and_marked(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="ask")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await press(pilot, "/skill:")
        deck.shelf.put(project_skill("label-jars"))
        await deck.seen(2)
        assert rows(deck) == ["label-jars"]
        assert "untrusted" in deck.text()
        await deck.until(lambda: deck.chat.desk.current is not None, "the question of trust")
        assert deck.chat.focused is deck.chat.composer


async def test_what_comes_out_of_sight_is_counted(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await put(deck, *(f"skill-{number:02}" for number in range(30)))
        await press(pilot, "/skill:")
        await pilot.press("pagedown", "pagedown")
        number = deck.chat.session.skill_view.number
        deck.shelf.put(skill("a-new-one"), *(skill(f"skill-{number:02}") for number in range(30)))
        await deck.seen(number + 1)
        await deck.until(lambda: "1 new above" in deck.text(), "the count")
        assert deck.chat.completion.selected.name == "skill-20"
        await press(pilot, "a")
        assert "new above" not in deck.text()
