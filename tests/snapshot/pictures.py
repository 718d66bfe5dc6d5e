"""The pictures of the screen that are kept: which state, in which size and theme."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from skills_core.problem import SkillProblem
from skills_core.session import SessionEvent, SessionInfo
from tests.app.support import Deck, project_skill, skill, user_only

SHELF = (
    project_skill(
        "code-review", "Review a change before it is merged: correctness, names, tests. Use for pull requests."
    ),
    project_skill("label-jars", "Label jars and tins in Chinese and English: 標籤 and labels, with dates."),
    skill("hem-towels", "Hem towels and other flat cloth with mitred corners.", argument_hint="[cloth]"),
    skill("draw-charts", "Draw charts from tables. Use when numbers should be seen."),
    user_only("send-invoices", "Send the invoices of the month."),
    skill(
        "write-a-skill",
        "Guides writing an Agent Skill.",
        source="bundled",
        rank=600,
        path="/app/skills/write-a-skill/SKILL.md",
    ),
)
PROBLEM = SkillProblem(
    code="yaml.unquoted-colon",
    severity="error",
    path="/home/shop/.agents/skills/draft/SKILL.md",
    line=3,
    column=18,
    message="A colon followed by a space begins a new key in YAML.",
    hint='Put the description in quotes: description: "…"',
)

Scene = Callable[[Deck, Pilot[int]], Awaitable[None]]


def deck(state: Path, theme: str, **settings: object) -> Deck:
    return Deck(state, theme=theme, trust="yes", **settings)


async def shelf(deck: Deck, pilot: Pilot[int]) -> None:
    await deck.ready()
    deck.shelf.put(*SHELF)
    await deck.seen(2)


async def write(deck: Deck, text: str) -> None:
    composer = deck.chat.composer
    composer.insert(text)
    deck.chat.surroundings.show_popup()


async def turn(deck: Deck, pilot: Pilot[int], text: str) -> None:
    """A turn with the offline model, to its end and its painting."""
    await write(deck, text)
    deck.chat.completion.dismiss()
    await pilot.press("enter")
    await deck.until(
        lambda: any(row.kind == "assistant" and not row.live for row in deck.chat.transcript.rows), "a reply"
    )
    await deck.until(lambda: not deck.chat.session.busy, "the end of the turn")
    await painted(deck, pilot)


async def painted(deck: Deck, pilot: Pilot[int]) -> None:
    await deck.until(lambda: deck.chat.view._live_timer is None and not deck.chat.view._changed_rows, "the painting")
    await pilot.pause()


async def start(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)


async def popup(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)
    await write(deck, "/skill:e")
    await pilot.press("down")


async def commands(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)
    await write(deck, "/")


async def main(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)
    await turn(deck, pilot, "Please hem my towels")


async def catalog_row(deck: Deck, pilot: Pilot[int]) -> None:
    await main(deck, pilot)
    deck.shelf.put(*SHELF[1:], skill("tie-knots", "Tie knots that hold."))
    await deck.seen(3)
    await turn(deck, pilot, "And tie a knot")
    replaced = [
        i for i, row in enumerate(deck.chat.transcript.rows) if row.kind == "context" and row.before is not None
    ]
    deck.chat.transcript.toggle(replaced[0])
    deck.chat.view.repaint_row(replaced[0])
    deck.chat.view.focus()
    deck.chat.view.show_row(replaced[0])
    await painted(deck, pilot)


async def pane(deck: Deck, pilot: Pilot[int]) -> None:
    await main(deck, pilot)
    deck.shelf.put(*SHELF[1:], skill("tie-knots", "Tie knots that hold."), problems=[PROBLEM])
    await deck.seen(3)
    await pilot.press("f6")


async def question(deck: Deck, pilot: Pilot[int]) -> None:
    import asyncio

    from skills_core.agent.approval import ToolQuestion

    await shelf(deck, pilot)
    await write(deck, "a draft that stays")
    asked = ToolQuestion(
        tool="write",
        summary="Write notes/today.md (3 lines)",
        detail="+ # Today\n+ [stage] done\n+ two towels",
        arguments={},
    )
    task = asyncio.create_task(deck.chat.desk.approve_tool(asked))
    await deck.until(lambda: deck.chat.desk.current is not None, "the question")
    deck.asking = task  # type: ignore[attr-defined]


async def help_page(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)
    await pilot.press("f1")


async def theme_picker(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)
    await write(deck, "/theme")
    deck.chat.completion.dismiss()
    await pilot.press("enter")
    await deck.until(lambda: deck.app.screen is not deck.chat, "the picker")


async def sessions_picker(deck: Deck, pilot: Pilot[int]) -> None:
    from skills_core.session.event import PendingEvent, user_message

    await shelf(deck, pilot)
    for words in ("Hem the towels", "Label the jars [/x]"):
        session = await deck.runtime.store.create("/home/shop")
        answer = {"content": [{"type": "text", "text": f"Done: {words}"}], "model": "offline", "usage": None}
        await session.append(
            user_message(words),
            PendingEvent("title", {"title": words}),
            PendingEvent("assistant/message", {**answer, "stop_reason": "end"}),
        )
        await session.aclose()
    infos = {info.title: info for info in await deck.runtime.store.list("/home/shop")}
    stored = [
        replace(infos[title], id=f"20260101-1{number}0000-abcdef0{number}", updated=f"2026-01-01T1{number}:30:00Z")
        for number, title in enumerate(sorted(infos))
    ]
    real = {each.id: infos[each.title].id for each in stored}

    async def listed(cwd: str | None = None) -> list[SessionInfo]:
        return stored

    recent = deck.runtime.store.recent

    async def recent_of(id: str, count: int = 500) -> tuple[SessionEvent, ...]:
        return await recent(real[id], count)

    deck.runtime.store.list = listed  # type: ignore[method-assign]
    deck.runtime.store.recent = recent_of  # type: ignore[method-assign]
    await write(deck, "/resume")
    deck.chat.completion.dismiss()
    await pilot.press("enter")
    await deck.until(lambda: "Done:" in deck.text(), "the last words")


async def model_picker(deck: Deck, pilot: Pilot[int]) -> None:
    from app.screens.picker import PickerScreen, PickItem

    await shelf(deck, pilot)
    items = [
        PickItem("offline", "offline", "in use, no key, no network"),
        PickItem("openai:gpt-5", "openai:gpt-5", "offered by OpenAI"),
        PickItem("anthropic:claude-sonnet-4-5", "anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY is not set"),
    ]
    picker = PickerScreen("Choose a model", items, current="offline", free="Enter uses the name as written")
    await deck.app.push_screen(picker)
    await deck.until(lambda: "▌ offline" in deck.text(), "the picker")
    await pilot.pause()


async def search(deck: Deck, pilot: Pilot[int]) -> None:
    await main(deck, pilot)
    await pilot.press("ctrl+f", *"hem", "enter")
    await deck.until(lambda: " of " in deck.text() and "row" in deck.text(), "how it went")


async def question_with_popup(deck: Deck, pilot: Pilot[int]) -> None:
    await trust_question(deck, pilot)
    await write(deck, "/skill:")
    await deck.until(lambda: "F2 Trust" in deck.text() and "▌" in deck.text(), "both")


async def trust_question(deck: Deck, pilot: Pilot[int]) -> None:
    deck.runtime.access.set_trust("/home/shop", None)
    await shelf(deck, pilot)
    await deck.until(lambda: deck.chat.desk.current is not None, "the question")


async def too_small(deck: Deck, pilot: Pilot[int]) -> None:
    await shelf(deck, pilot)


async def inert_text(deck: Deck, pilot: Pilot[int]) -> None:
    await deck.ready()
    nasty = "[/tmp/x] [b + 3 [0] [stage] [@click=app.quit]hi[/] [/ \x1b]52;c;x\x07 a\u202eb\u200b"
    deck.shelf.put(skill("nasty", nasty))
    await deck.seen(2)
    await turn(deck, pilot, nasty)
    await write(deck, "/skill:")


SCENES: dict[str, Scene] = {
    "start": start,
    "popup": popup,
    "commands": commands,
    "main": main,
    "catalog-row": catalog_row,
    "pane": pane,
    "question": question,
    "trust": trust_question,
    "help": help_page,
    "theme-picker": theme_picker,
    "sessions-picker": sessions_picker,
    "model-picker": model_picker,
    "search": search,
    "question-with-popup": question_with_popup,
    "inert": inert_text,
}
