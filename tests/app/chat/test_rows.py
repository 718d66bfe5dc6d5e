"""Rows of the transcript on the screen: opening, scrolling, searching, copying."""

from __future__ import annotations

from pathlib import Path

from tests.app.controllers.events import catalog, reply, user
from tests.app.support import Deck, skill


async def test_catalogs_are_rows_that_open_to_the_exact_text(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 40)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem-towels", "Hem towels."))
        await deck.seen(2)
        deck.chat.composer.insert("hem towels")
        await pilot.press("enter")
        await deck.until(lambda: "Skill catalog · 1 skill · " in deck.text(), "the catalog")
        await deck.until(lambda: not deck.chat.session.busy, "the end")
        row = next(index for index, row in enumerate(deck.chat.transcript.rows) if row.kind == "context")
        deck.chat.view.focus()
        deck.chat.view.show_row(row)
        await pilot.press("enter")
        await deck.until(lambda: "- `hem-towels`: Hem towels." in deck.text(), "the exact text")
        await pilot.press("enter")
        await deck.until(lambda: "- `hem-towels`" not in deck.text(), "the closed row")


async def test_a_long_session_is_smooth_and_follows_its_tail(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        events = [user(n, f"ask {n}") if n % 2 else reply(n, f"answer {n} " * 30) for n in range(1, 10_001)]
        deck.chat.transcript.load(events)
        await pilot.pause()
        assert "answer 10000" in deck.text()
        deck.chat.view.scroll_lines(-200)
        await pilot.pause()
        assert not deck.chat.view.following
        assert "more lines below" in deck.text()
        top = deck.text().splitlines()[:20]
        deck.chat.transcript.event(user(10_001, "new at the tail"))
        await pilot.pause()
        assert deck.text().splitlines()[:20] == top
        await pilot.press("ctrl+end")
        await pilot.pause()
        assert "new at the tail" in deck.text()
        deck.chat.view.focus()
        await pilot.press("home")
        await pilot.pause()
        assert "ask 1" in deck.text()
        measured = sum(deck.chat.view._cache._measured)
        assert measured < 500


async def test_search_finds_and_shows(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.transcript.load([user(n, f"word{n} here") for n in range(1, 200)])
        await pilot.press("ctrl+f", *"word17", "enter")
        await deck.until(lambda: "word179" in deck.text(), "the newest hit")
        assert "11 of 11 rows" in deck.text()
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.view.cursor == 177, "the one before")
        await deck.until(lambda: "10 of 11 rows" in deck.text(), "the place")
        assert "Esc leaves" in deck.text()
        y = next(y for y, text in enumerate(deck.text().split("\n")) if "word178" in text)
        assert deck.on_ground(y, "#e9b65b") == ["word17"]
        await pilot.press(*"x")
        await deck.until(lambda: "none" in deck.text(), "that there is nothing")
        await pilot.press("escape")
        assert deck.chat.focused is deck.chat.composer


async def test_a_search_opens_the_closed_row_that_holds_the_words(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.transcript.load([catalog(1, *((f"skill-{n}", f"Word{n} here.") for n in range(60)))])
        await pilot.press("ctrl+f", *"word57 here", "enter")
        await deck.until(lambda: "Word57 here." in deck.text(), "the words")
        assert deck.chat.transcript.rows[0].expanded


async def test_the_row_of_the_cursor_is_seen_by_its_ground(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.transcript.load([catalog(1, ("hem", "Hem."))])
        deck.chat.view.focus()
        await pilot.pause()
        assert any("Skill catalog" in text for text in deck.on_ground(0, "#1f2937"))


async def test_answers_rows_and_code_are_copied(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.transcript.load([user(1, "ask"), reply(2, "See:\n\n```py\nx = 1\n```\n\nDone.")])

        async def command(words: str) -> str:
            deck.chat.composer.insert(words)
            deck.chat.completion.dismiss()
            await pilot.press("enter")
            await deck.until(lambda: deck.chat.composer.text == "", "the command")
            return deck.app.clipboard

        assert await command("/copy code") == "x = 1"
        assert (await command("/copy")).startswith("See:")
        deck.chat.view.focus()
        deck.chat.view.show_row(0)
        await pilot.press("ctrl+y")
        await deck.until(lambda: deck.app.clipboard == "ask", "the row")
