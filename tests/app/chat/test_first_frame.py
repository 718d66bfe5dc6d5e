"""The order of a start: the first frame, then the runtime, then the skills; no step is waited for by the one before."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from skills_core.registry import Lookup
from skills_core.registry.provider import ProviderListing
from tests.app.support import Deck, skill


class Start:
    """What happened while a deck started, in order: ``frame`` once the composer was painted, ``open``, ``list``."""

    def __init__(self, deck: Deck, monkeypatch: pytest.MonkeyPatch) -> None:
        self.order: list[str] = []
        self.may_open = asyncio.Event()
        self.may_list = asyncio.Event()
        open_runtime, listed = deck.app._open_runtime, deck.shelf.list
        display = deck.app._display

        async def held_open() -> Any:
            # Before the frame nothing is held: the app under test would never run, and the order tells it anyway.
            if "frame" in self.order:
                self.order.append("open")
                await self.may_open.wait()
            else:
                self.order.append("open")
            return await open_runtime()

        async def held_list(lookup: Lookup) -> ProviderListing:
            self.order.append("list")
            await self.may_list.wait()
            return await listed(lookup)

        def painting(screen: Any, renderable: Any) -> None:
            display(screen, renderable)
            if "frame" not in self.order and renderable is not None and "Ask for something" in deck.text():
                self.order.append("frame")

        monkeypatch.setattr(deck.app, "_open_runtime", held_open)
        monkeypatch.setattr(deck.shelf, "list", held_list)
        monkeypatch.setattr(deck.app, "_display", painting)


async def test_the_frame_is_painted_before_the_runtime_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = Deck(tmp_path)
    start = Start(deck, monkeypatch)
    async with deck.app.run_test(size=(100, 30)):
        await deck.until(lambda: "open" in start.order, "the opening")
        assert start.order == ["frame", "open"]
        start.may_open.set()
        start.may_list.set()
        await deck.ready()


async def test_the_frame_and_the_keys_are_there_while_the_skills_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = Deck(tmp_path, trust="yes")
    deck.shelf.put(skill("hem-towels"))
    start = Start(deck, monkeypatch)
    start.may_open.set()
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.until(lambda: "list" in start.order, "the look for skills")
        assert start.order[:3] == ["frame", "open", "list"]
        await pilot.press("slash", *"skill", "colon")
        assert "/skill:" in deck.text() and "starting" in deck.text()
        session = deck.chat.session
        await deck.until(lambda: session.conversation and session.conversation.agent, "the session, without any skill")
        assert session.skill_view.snapshot is None, "the provider was not waited for"
        start.may_list.set()
        await deck.until(lambda: "hem-towels" in deck.text(), "the skill in the popup")
