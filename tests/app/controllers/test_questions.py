"""Answers to questions: one key press never answers a question that nobody has read."""

from __future__ import annotations

import asyncio

import pytest

from app.controllers.questions import QUIET_SECONDS, QuestionDesk
from skills_core.agent.approval import ToolQuestion, TrustQuestion


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def tool(name: str) -> ToolQuestion:
    return ToolQuestion(tool=name, summary=name, detail=name, arguments={})


async def asked(desk: QuestionDesk, *questions: ToolQuestion | TrustQuestion) -> list[asyncio.Task[object]]:
    tasks: list[asyncio.Task[object]] = []
    for question in questions:
        asking = desk.approve_trust(question) if isinstance(question, TrustQuestion) else desk.approve_tool(question)
        tasks.append(asyncio.create_task(asking))
        await asyncio.sleep(0)
    return tasks


@pytest.mark.parametrize("allowing", ["once", "session", "yes"])
async def test_a_key_that_is_held_down_allows_one_thing(allowing: str) -> None:
    clock = Clock()
    desk = QuestionDesk(clock=clock)
    after = TrustQuestion(project_root="/p") if allowing == "yes" else tool("shell")
    first, second = await asked(desk, tool("edit"), after)
    assert desk.answer("once")
    for _ in range(40):
        clock.now += 0.03
        assert not desk.answer(allowing)
    await asyncio.sleep(0)
    assert first.done()
    assert not second.done()
    clock.now += QUIET_SECONDS
    assert desk.quiet
    assert desk.answer(allowing)
    assert await second == (True if allowing == "yes" else allowing)


async def test_a_key_for_a_question_that_was_taken_back_does_not_allow_the_next() -> None:
    clock = Clock()
    desk = QuestionDesk(clock=clock)
    first, second, third = await asked(desk, tool("edit"), tool("shell"), tool("write"))
    clock.now += 60
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    clock.now += 0.05
    assert not desk.answer("once")
    assert not second.done()
    clock.now += QUIET_SECONDS
    third.cancel()
    await asyncio.gather(third, return_exceptions=True)
    assert desk.answer("once"), "what waited behind it changes nothing on the screen"
    assert await second == "once"


async def test_a_refusal_counts_at_once() -> None:
    desk = QuestionDesk(clock=Clock())
    first, second, third = await asked(desk, tool("edit"), tool("shell"), TrustQuestion(project_root="/p"))
    assert desk.answer("once")
    assert desk.answer("no")
    assert desk.answer("no")
    assert [await first, await second, await third] == ["once", "no", False]


async def test_the_first_answer_needs_no_pause_and_an_unknown_one_is_none() -> None:
    desk = QuestionDesk(clock=Clock())
    assert not desk.answer("once")
    (only,) = await asked(desk, tool("edit"))
    assert not desk.answer("yes")
    assert desk.answer("once")
    assert await only == "once"
