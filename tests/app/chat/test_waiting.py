"""What the person sent is seen at once, whatever it waits for; and a question and the popup do not hide each other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.controllers.marks import UNICODE
from skills_core.agent.approval import ToolQuestion
from tests.app.support import Deck, project_skill, skill


def users(deck: Deck) -> list[str]:
    return [row.text() for row in deck.chat.transcript.rows if row.kind == "user"]


async def test_words_are_seen_while_the_question_of_trust_waits_and_it_is_asked_once(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="ask")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(project_skill("hem-towels", "Hem towels."))
        await deck.until(lambda: "Trust this project?" in deck.text(), "the question")
        deck.chat.composer.insert("/skill:hem-towels for me")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: f"{UNICODE.user} /skill:hem-towels for me" in deck.text(), "the words")
        await deck.until(lambda: "Your message waits for the answer" in deck.text(), "what waits")
        assert "Waiting for your answer" in deck.text()
        assert "more after this" not in deck.text()
        await pilot.press("f2")
        await deck.until(lambda: deck.chat.desk.current is None, "no second question")
        await deck.until(lambda: not deck.chat.session.busy, "the end")
        assert users(deck) == ["/skill:hem-towels for me"]
        assert "Skill loaded" in deck.text()
        assert deck.runtime.access.trust_of("/home/shop") is True


async def test_words_of_a_refused_message_come_back_and_leave_no_row(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="ask")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(project_skill("hem-towels", "Hem towels."))
        await deck.until(lambda: deck.chat.desk.current is not None, "the question")
        deck.chat.composer.insert("/skill:hem-towels please")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.desk.blocking, "the question of the turn")
        await pilot.press("f3")
        await deck.until(lambda: not deck.chat.session.busy, "the end")
        await deck.until(lambda: deck.chat.composer.text == "/skill:hem-towels please", "the draft")
        assert users(deck) == []


async def test_words_sent_before_the_program_has_started_are_seen(tmp_path: Path) -> None:
    deck = Deck(tmp_path)
    opened = asyncio.Event()

    async def slow() -> object:
        await opened.wait()
        return deck.runtime

    deck.app._open_runtime = slow
    async with deck.app.run_test(size=(100, 30)) as pilot:
        deck.chat.composer.insert("early words")
        await pilot.press("enter")
        await deck.until(lambda: users(deck) == ["early words"], "the words")
        opened.set()
        await deck.ready()
        await deck.until(lambda: any(row.kind == "assistant" for row in deck.chat.transcript.rows), "the answer")
        assert users(deck) == ["early words"]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (60, 16)])
async def test_the_popup_and_a_question_are_both_usable(tmp_path: Path, size: tuple[int, int]) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=size) as pilot:
        await deck.ready()
        deck.shelf.put(*(skill(f"skill-{letter}") for letter in "abcdefghijkl"))
        await deck.seen(2)
        detail = "\n".join(f"+ line {number}" for number in range(30))
        asked = ToolQuestion(tool="write", summary="Write notes.md", detail=detail, arguments={})
        answer = asyncio.create_task(deck.chat.desk.approve_tool(asked))
        await deck.until(lambda: "Write notes.md" in deck.text(), "the question")
        await pilot.press("slash", *"skill", "colon")
        await deck.until(lambda: "▌ skill-a" in deck.text(), "the popup")
        assert "Write notes.md" in deck.text()
        assert "F2 Allow once" in deck.text()
        deck.chat.say("A notice comes in between.")
        await pilot.pause()
        assert "Write notes.md" in deck.text()
        assert "▌ skill-a" in deck.text()
        await pilot.press("f2")
        assert await answer == "once"
        await deck.until(lambda: "Write notes.md" not in deck.text(), "the question to go")
        assert deck.chat.popup.region.bottom == deck.chat.composer.region.y
        await pilot.press("tab")
        assert deck.chat.composer.text == "/skill:skill-a "
