"""What lets a tool run, and what is told of one that was stopped when it had done its work."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from skills_core.agent.approval import ToolAnswer, ToolQuestion, TrustQuestion
from skills_core.agent.live import ToolStarted
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.session.event import user_message
from tests.core.agent.support import Bench, ProbeTool, assert_valid, call, within


class Mumbling:
    """Answers with something that is no answer."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
        return self._answer

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        return None


@pytest.mark.parametrize("answer", [None, "", "yes", "Once", True, "always"])
async def test_an_answer_that_is_none_of_the_three_is_a_no(bench: Bench, answer: object) -> None:
    probe = ProbeTool("probe", asks=True)
    agent = await bench.agent(
        {"tool_calls": [call("probe")]}, {"text": "Done."}, tools=[probe], person=Mumbling(answer)
    )
    assert (await within(agent.run_turn(user_message("Hello")), "the turn")).reason == "done"
    assert probe.calls == []
    assert bench.data("approval")[0]["answer"] == "no"
    assert bench.results() == ["The person declined this call. It was not run."]


async def test_what_a_tool_had_done_when_the_turn_was_stopped_is_told(bench: Bench) -> None:
    """A file was written all the same: the model must not take it for one that was not."""

    async def completes(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ToolOutcome(text="written")
        raise AssertionError

    agent = await bench.agent({"tool_calls": [call("probe")]}, tools=[ProbeTool("probe", completes)])

    def stop(item: object) -> None:
        if isinstance(item, ToolStarted):
            # In the tool's own step it has not begun yet.
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, loop.call_soon, agent.cancel)

    agent.subscribe(stop)
    outcome = await within(agent.run_turn(user_message("Hello")), "the stopped turn")
    assert outcome.reason == "cancelled"
    assert bench.results() == ["written"]
    assert bench.data("tool/result")[0]["is_error"] is False
    assert_valid(bench.session)
