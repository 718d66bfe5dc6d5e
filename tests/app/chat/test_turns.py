"""Turns on the screen: streaming, queueing, stopping, and what failed."""

from __future__ import annotations

from pathlib import Path

from skills_core.agent.live import ToolOutput
from skills_core.agent.model import ModelError
from tests.app.controllers.events import event
from tests.app.held_model import HeldModel, deck_with
from tests.app.support import Deck


async def test_a_reply_is_shown_while_it_comes_and_frozen_after(tmp_path: Path) -> None:
    model = HeldModel("**Bold** ", "words")
    deck = deck_with(tmp_path, model)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("hello")
        await pilot.press("enter")
        await deck.until(lambda: "Bold words" in deck.text(), "the streamed words")
        assert deck.chat.transcript.rows[-1].live
        assert "Answering" in deck.text()
        model.go.set()
        await deck.until(lambda: not deck.chat.session.busy, "the end of the turn")
        assert not deck.chat.transcript.rows[-1].live
        await deck.until(lambda: "15 tokens" in deck.text(), "the tokens")


async def test_a_message_typed_meanwhile_is_queued_and_sent(tmp_path: Path) -> None:
    model = HeldModel("first")
    deck = deck_with(tmp_path, model)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("one")
        await pilot.press("enter")
        await deck.until(lambda: model.requests, "the first request")
        deck.chat.composer.insert("two [/b]")
        await pilot.press("enter")
        await deck.until(lambda: "1 queued" in deck.text(), "the queue")
        assert "Queued: two [/b]" in deck.text()
        model.go.set()
        await deck.until(lambda: len(model.requests) == 2, "the second request")
        await deck.until(lambda: not deck.chat.session.busy, "the end")
        assert [row.text() for row in deck.chat.transcript.rows if row.kind == "user"] == ["one", "two [/b]"]


async def test_what_was_queued_comes_back_when_the_turn_is_stopped(tmp_path: Path) -> None:
    model = HeldModel("first")
    deck = deck_with(tmp_path, model)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("one")
        await pilot.press("enter")
        await deck.until(lambda: "first" in deck.text(), "the words")
        deck.chat.composer.insert("two")
        await pilot.press("enter")
        await deck.until(lambda: "1 queued" in deck.text(), "the queue")
        deck.chat.composer.insert("three")
        await pilot.press("escape")
        await deck.until(lambda: deck.chat.composer.text == "two\nthree", "both in the draft")
        assert len(model.requests) == 1


async def test_esc_stops_the_turn_and_keeps_what_came(tmp_path: Path) -> None:
    deck = deck_with(tmp_path, HeldModel("half an answer"))
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("one")
        await pilot.press("enter")
        await deck.until(lambda: "half an answer" in deck.text(), "the words")
        await pilot.press("escape")
        await deck.until(lambda: not deck.chat.session.busy, "the end")
        await deck.until(lambda: "Stopped" in deck.text(), "the note")
        assert "half an answer" in deck.text()


async def test_a_failure_is_one_line_and_the_session_goes_on(tmp_path: Path) -> None:
    error = ModelError("authentication", "The key was refused.", "Set OPENAI_API_KEY.")
    deck = deck_with(tmp_path, HeldModel(error=error))
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("one")
        await pilot.press("enter")
        await deck.until(lambda: "The key was refused." in deck.text(), "the failure")
        assert not deck.chat.session.busy
        deck.chat.composer.insert("still here")
        assert deck.chat.composer.text == "still here"


async def test_a_named_file_goes_with_the_message(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "towels.md").write_text("Twelve towels.\n")
    deck = Deck(tmp_path, cwd=str(project), trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("h", "i", "space", "at", "t", "o", "w")
        await deck.until(lambda: "▌ towels.md" in deck.text(), "the file in the popup")
        await pilot.press("tab")
        assert deck.chat.composer.text == "hi @towels.md "
        await pilot.press("enter")
        await deck.until(lambda: "File · towels.md" in deck.text(), "the file's row")
        row = next(row for row in deck.chat.transcript.rows if row.kind == "context")
        assert "Twelve towels." in row.text()


async def test_the_output_of_a_running_tool_is_seen_without_opening(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        deck.chat.transcript.event(event(1, "tool/call", id="1", name="shell", arguments={}, title="$ make"))
        deck.chat.transcript.live(ToolOutput("1", "".join(f"line {n}\n" for n in range(9))))
        await deck.until(lambda: "line 8" in deck.text(), "the output")
        assert "line 5" in deck.text() and "line 4" not in deck.text()


async def test_new_and_resume(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("remember this")
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.transcript.rows and not deck.chat.session.busy, "a turn")
        first = deck.chat.session.conversation.session.id
        deck.chat.composer.insert("/new")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.transcript.rows == [], "an empty session")
        deck.chat.composer.insert(f"/resume {first}")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: "remember this" in deck.text(), "the session")
        assert deck.chat.session.conversation.session.id == first
