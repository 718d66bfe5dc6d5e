"""Turns on the screen: streaming, queueing, stopping, questions, and what failed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.model import ModelError
from tests.app.held_model import HeldModel, deck_with
from tests.app.support import Deck, project_skill, skill


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


async def test_a_long_session_is_smooth_and_follows_its_tail(tmp_path: Path) -> None:
    from tests.app.controllers.events import reply, user

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
    from tests.app.controllers.events import user

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
        marked = [
            segment.text for segment in deck.app.screen._compositor.render_strips()[y] if _reads(segment, "#e9b65b")
        ]
        assert marked == ["word17"]
        await pilot.press(*"x")
        await deck.until(lambda: "none" in deck.text(), "that there is nothing")
        await pilot.press("escape")
        assert deck.chat.focused is deck.chat.composer


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


async def test_answers_rows_and_code_are_copied(tmp_path: Path) -> None:
    from tests.app.controllers.events import reply, user

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


async def test_the_output_of_a_running_tool_is_seen_without_opening(tmp_path: Path) -> None:
    from skills_core.agent.live import ToolOutput
    from tests.app.controllers.events import event

    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)):
        await deck.ready()
        deck.chat.transcript.event(event(1, "tool/call", id="1", name="shell", arguments={}, title="$ make"))
        deck.chat.transcript.live(ToolOutput("1", "".join(f"line {n}\n" for n in range(9))))
        await deck.until(lambda: "line 8" in deck.text(), "the output")
        assert "line 5" in deck.text() and "line 4" not in deck.text()


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


async def test_a_picker_narrows_and_takes(tmp_path: Path) -> None:
    from app.screens.picker import PickerScreen, PickItem

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


def _reads(segment: Any, ground: str) -> bool:
    """Whether the segment has this ground."""
    color = segment.style.bgcolor if segment.style else None
    return color is not None and color.triplet is not None and color.triplet.hex == ground


async def test_a_search_opens_the_closed_row_that_holds_the_words(tmp_path: Path) -> None:
    from tests.app.controllers.events import catalog

    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.transcript.load([catalog(1, *((f"skill-{n}", f"Word{n} here.") for n in range(60)))])
        await pilot.press("ctrl+f", *"word57 here", "enter")
        await deck.until(lambda: "Word57 here." in deck.text(), "the words")
        assert deck.chat.transcript.rows[0].expanded


async def test_the_chosen_line_of_a_picker_is_seen_by_its_mark_and_its_ground(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.composer.insert("/theme")
        deck.chat.completion.dismiss()
        await pilot.press("enter")
        await deck.until(lambda: "▌ skilldeck-dark" in deck.text(), "the mark")
        y = next(y for y, text in enumerate(deck.text().split("\n")) if "▌ skilldeck-dark" in text)
        assert any(_reads(segment, "#2b3a57") for segment in deck.app.screen._compositor.render_strips()[y])


async def test_the_row_of_the_cursor_is_seen_by_its_ground(tmp_path: Path) -> None:
    from tests.app.controllers.events import catalog

    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        deck.chat.transcript.load([catalog(1, ("hem", "Hem."))])
        deck.chat.view.focus()
        await pilot.pause()
        strip = deck.app.screen._compositor.render_strips()[0]
        assert any(_reads(segment, "#1f2937") and "Skill catalog" in segment.text for segment in strip)
