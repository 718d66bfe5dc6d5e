"""The screen beside a source of skills that hangs, floods or raises: it stays usable, and says what is wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from skills_core.registry import Lookup, ProviderListing
from tests.app.support import Deck, Shelf, skill


class FaultyShelf(Shelf):
    """Answers as its elder does until ``fault`` is set."""

    fault: str = ""

    async def list(self, lookup: Lookup) -> ProviderListing:
        while self.fault == "hang":
            await asyncio.sleep(0.01)
        if self.fault == "raise":
            raise RuntimeError("the shelf [/b] fell down")
        if self.fault == "flood":
            self.control.invalidate()
        return await super().list(lookup)


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deck:
    monkeypatch.setattr("tests.app.support.Shelf", FaultyShelf)
    return Deck(tmp_path, trust="yes")


@pytest.mark.parametrize(
    ("fault", "said"),
    [("hang", "still being looked for"), ("raise", "the shelf [/b] fell down"), ("flood", "kept changing")],
)
async def test_the_screen_stays_usable_and_says_what_is_stale(deck: Deck, fault: str, said: str) -> None:
    async with deck.app.run_test(size=(140, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem-towels"), skill("label-jars"))
        await deck.seen(2)
        shelf = deck.shelf
        assert isinstance(shelf, FaultyShelf)
        shelf.fault = fault
        shelf.put(skill("tie-knots"))
        await deck.until(lambda: "stale: " in deck.text() and said in deck.text(), f"{said!r} in the status bar")
        await pilot.press("slash", *"hem")
        assert [choice.name for choice in deck.chat.completion.items][:1] == ["hem-towels"]
        await pilot.press("tab")
        assert deck.chat.composer.text == "/hem-towels "
        deck.chat.composer.clear()
        shelf.fault = ""
        shelf.put(skill("tie-knots"))
        await deck.until(lambda: "stale" not in deck.text() and "1 skill" in deck.text(), "the end of the fault")


async def test_a_hanging_source_does_not_hold_up_leaving(deck: Deck) -> None:
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        assert isinstance(deck.shelf, FaultyShelf)
        deck.shelf.fault = "hang"
        deck.shelf.put(skill("tie-knots"))
        await asyncio.sleep(0)
        async with asyncio.timeout(3):
            await deck.app.leave(0)
