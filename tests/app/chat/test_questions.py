"""Questions above the composer: of a tool, and of trust."""

from __future__ import annotations

import asyncio
from pathlib import Path

from skills_core.agent.approval import ToolQuestion
from tests.app.support import Deck, project_skill, skill


async def test_a_tool_question_leaves_the_draft_its_keys(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        asked = ToolQuestion(tool="write", summary="Write [x].md", detail="+ [/b] line", arguments={})
        answer = asyncio.create_task(deck.chat.desk.approve_tool(asked))
        await deck.until(lambda: "Write [x].md" in deck.text(), "the question")
        await pilot.press("y", "n")
        assert deck.chat.composer.text == "yn"
        assert "+ [/b] line" in deck.text()
        await pilot.press("f3")
        assert await answer == "session"
        await deck.until(lambda: "Write [x].md" not in deck.text(), "the question to go")


async def test_a_question_can_be_chosen_with_arrows_and_taken_back(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        asked = ToolQuestion(tool="shell", summary="Run make", detail="make", arguments={})
        answer = asyncio.create_task(deck.chat.desk.approve_tool(asked))
        await deck.until(lambda: deck.chat.desk.current is not None, "the question")
        await pilot.press("shift+tab", "left", "enter")
        assert await answer == "no"
        assert deck.chat.focused is deck.chat.composer
        gone = asyncio.create_task(deck.chat.desk.approve_tool(asked))
        await deck.until(lambda: deck.chat.desk.current is not None, "the second question")
        gone.cancel()
        await deck.until(lambda: deck.chat.desk.current is None, "no question")


async def test_trust_is_asked_once_and_the_answer_holds(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="ask")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.shelf.put(project_skill("label-jars"))
        await deck.until(lambda: "Trust this project?" in deck.text(), "the question")
        deck.shelf.put(project_skill("label-jars"), skill("hem"))
        await deck.seen(3)
        assert deck.chat.desk.waiting == 1
        await pilot.press("f2")
        await deck.until(lambda: deck.runtime.access.trust_of("/home/shop") is True, "the answer")
        await deck.until(lambda: deck.chat.completion.skills[0].marks == (), "no mark")


async def test_instructions_alone_raise_the_question_and_typing_goes_on(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    deck = Deck(tmp_path / "state", cwd=str(project), trust="ask")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        await pilot.press("h", "e")
        (project / "AGENTS.md").write_text("Be kind.\n")
        await deck.until(lambda: "Trust this project?  It brings 1 file of instructions" in deck.text(), "the question")
        assert "AGENTS.md  9 bytes" in deck.text()
        await pilot.press("l", "l", "o")
        assert deck.chat.composer.text == "hello"
        assert deck.chat.focused is deck.chat.composer
        await pilot.press("f3")
        await deck.until(lambda: deck.runtime.access.trust_of(str(project)) is False, "the answer")
        await deck.until(lambda: "skills and instructions stay away" in deck.text(), "what that means")
        # Asked for, the question comes again, and the answer may be another one.
        deck.chat.composer.clear()
        deck.chat.composer.insert("/trust")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: deck.chat.desk.current is not None, "the question again")
        await deck.until(lambda: deck.chat.desk.quiet, "the pause after an answer")
        await pilot.press("f2")
        await deck.until(lambda: deck.runtime.access.trust_of(str(project)) is True, "the other answer")
