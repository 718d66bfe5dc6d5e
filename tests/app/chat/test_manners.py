"""Leaving: by Ctrl+C, by a failure, with what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.controllers.draft_store import DraftStore
from app.crash import CrashReport
from tests.app.support import Deck


async def test_ctrl_c_twice_leaves_and_once_says_how(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("ctrl+c")
        assert "Ctrl+C again leaves" in deck.text()
        assert deck.app.is_running
        await pilot.press("ctrl+c")
        await deck.until(lambda: deck.app.return_code == 0 and not deck.app.is_running, "the end")


async def test_ctrl_c_clears_what_was_typed_since_before_it_leaves(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        for words in ("one", "two"):
            await pilot.press(*words, "ctrl+c")
            assert deck.app.is_running
            assert deck.chat.composer.text == ""
        await pilot.press("ctrl+c")
        await deck.until(lambda: deck.app.return_code == 0 and not deck.app.is_running, "the end")


async def test_ctrl_c_closes_a_page_first(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("f1")
        await pilot.press("ctrl+c")
        assert deck.app.screen is deck.chat
        assert deck.app.is_running


async def test_a_failure_leaves_a_short_message_the_story_and_the_draft(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    crash = CrashReport(tmp_path)
    deck.app._crash = crash
    deck.app._drafts = DraftStore(tmp_path, "/home/shop")

    def fail() -> None:
        raise RuntimeError("a wheel came off \x1b]0;x\x07")

    with pytest.raises(RuntimeError, match="a wheel came off"):
        async with deck.app.run_test(size=(100, 30)):
            await deck.ready()
            deck.chat.composer.insert("half a thought")
            deck.chat.call_later(fail)
            await deck.until(lambda: crash.message, "the message")
            await deck.until(lambda: not deck.app.is_running, "the end")
    assert "RuntimeError: a wheel came off ␛]0;x␇" in crash.message
    assert len(crash.message.splitlines()) == 2
    story = next((tmp_path / "crashes").iterdir())
    assert str(story) in crash.message
    assert "Traceback" in story.read_text()
    assert story.stat().st_mode & 0o077 == 0
    assert DraftStore(tmp_path, "/home/shop").take() == "half a thought"


async def test_the_first_frame_waits_for_nothing(tmp_path: Path) -> None:
    import asyncio

    deck = Deck(tmp_path)
    held = asyncio.Event()
    opened = deck.app._open_runtime

    async def slow() -> object:
        await held.wait()
        return await opened()

    deck.app._open_runtime = slow  # type: ignore[assignment]
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "starting" in deck.text()
        deck.chat.composer.insert("typed before anything was there")
        await pilot.press("enter")
        assert deck.chat.composer.text == ""
        held.set()
        await deck.until(lambda: "typed before anything was there" in deck.text(), "the message")
        await deck.until(lambda: any(row.kind == "assistant" for row in deck.chat.transcript.rows), "the answer")
