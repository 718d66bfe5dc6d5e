"""Cancelling a turn at any moment leaves a log that the next turn can go on from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from skills_core.agent.approval import ToolAnswer, ToolQuestion
from skills_core.agent.hooks import Batch, Reject, StepContext
from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import ToolOutput, ToolStarted
from skills_core.agent.loop import Agent
from skills_core.agent.model import TextDelta, ToolCallDelta
from skills_core.agent.models.scripted import ScriptedModel
from skills_core.agent.outcome import TurnOutcome
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.agent.uninterrupted import uninterrupted
from skills_core.session import Session
from skills_core.session.event import PendingEvent, user_message
from skills_core.session.message import message_text
from tests.core.agent.support import Bench, Person, ProbeTool, assert_valid, call, until, within, write_script


async def waits_for_ever(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
    context.report("so far")
    await asyncio.Event().wait()
    raise AssertionError


async def cancelled_when(agent: Agent, kind: type) -> TurnOutcome:
    """Runs a turn and cancels it at the first live item of a kind."""

    def stop(item: object) -> None:
        if isinstance(item, kind):
            agent.cancel()

    agent.subscribe(stop)
    return await within(agent.run_turn(user_message("Hello")), "the cancelled turn")


async def test_the_part_that_arrived_is_kept_and_marked_as_cut(bench: Bench) -> None:
    agent = await bench.agent({"text": "word " * 100}, {"text": "Back."})
    outcome = await cancelled_when(agent, TextDelta)
    assert outcome.reason == "cancelled"
    assert outcome.returned == ()
    kept = bench.data("assistant/message")[0]
    assert kept["stop_reason"] == "cut"
    assert kept["usage"] is None
    assert ("word " * 100).startswith(kept["content"][0]["text"])
    assert len(kept["content"][0]["text"]) < 500
    assert bench.data("turn/end")[0]["reason"] == "cancelled"
    assert_valid(bench.session)


async def test_a_tool_call_that_was_cut_has_a_result(bench: Bench) -> None:
    probe = ProbeTool("probe")
    agent = await bench.agent({"text": "I", "tool_calls": [call("probe", text="y" * 200)]}, tools=[probe])

    def stop(item: object) -> None:
        if isinstance(item, ToolCallDelta) and item.arguments:
            agent.cancel()

    agent.subscribe(stop)
    outcome = await within(agent.run_turn(user_message("Hello")), "the cancelled turn")
    assert outcome.reason == "cancelled"
    block = bench.data("assistant/message")[0]["content"][1]
    assert block["name"] == "probe"
    assert block["invalid_arguments"].startswith('{"text"')
    assert bench.results() == ["Interrupted: the turn was stopped before this call began."]
    assert probe.calls == []
    assert_valid(bench.session)


async def test_running_and_waiting_tools_are_answered_as_interrupted(bench: Bench) -> None:
    agent = await bench.agent(
        {"tool_calls": [call("quick"), call("slow"), call("quick")]},
        tools=[ProbeTool("quick"), ProbeTool("slow", waits_for_ever)],
    )

    def stop(item: object) -> None:
        if isinstance(item, ToolOutput):
            agent.cancel()

    agent.subscribe(stop)
    outcome = await within(agent.run_turn(user_message("Hello")), "the cancelled turn")
    assert outcome.reason == "cancelled"
    done, interrupted, never = bench.results()
    assert done == "quick done"
    assert interrupted.startswith("Interrupted: the call was stopped before it had finished.")
    assert interrupted.endswith("so far")
    assert never == "Interrupted: the turn was stopped before this call began."
    assert [data["details"] for data in bench.data("tool/result")][1:] == [{"interrupted": True}] * 2
    assert_valid(bench.session)


async def test_a_tool_that_ignores_its_cancellation_is_left_behind(bench: Bench) -> None:
    release = asyncio.Event()

    async def stubborn(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        while not release.is_set():
            try:
                await asyncio.wait_for(asyncio.shield(release.wait()), 60)
            except asyncio.CancelledError:
                continue
        return ToolOutcome(text="late")

    agent = await bench.agent(
        {"tool_calls": [call("probe")]},
        {"text": "Back."},
        tools=[ProbeTool("probe", stubborn)],
        limits=AgentLimits(tool_grace=0.1),
    )
    outcome = await cancelled_when(agent, ToolStarted)
    assert outcome.reason == "cancelled"
    assert_valid(bench.session)
    assert (await within(agent.run_turn(user_message("Go on")), "the next turn")).reason == "done"
    release.set()
    await within(agent.aclose(), "closing")


async def test_a_turn_is_cancelled_also_while_a_tool_whose_time_is_over_cleans_up(bench: Bench) -> None:
    stopping, cleaned = asyncio.Event(), asyncio.Event()

    async def slow_to_stop(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        finally:
            stopping.set()
            await cleaned.wait()
        raise AssertionError

    agent = await bench.agent(
        {"tool_calls": [call("probe")]},
        {"text": "Never asked for."},
        tools=[ProbeTool("probe", slow_to_stop)],
        limits=AgentLimits(tool_time=0.01),
    )
    running = asyncio.create_task(agent.run_turn(user_message("Hello")))
    await within(stopping.wait(), "the end of the tool's time")
    agent.cancel()
    await asyncio.sleep(0)
    cleaned.set()
    assert (await within(running, "the cancelled turn")).reason == "cancelled"
    assert len(bench.model.requests) == 1
    assert_valid(bench.session)


async def test_a_result_that_comes_as_the_time_is_over_is_kept(bench: Bench) -> None:
    async def completes(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ToolOutcome(text="written")
        raise AssertionError

    agent = await bench.agent(
        {"tool_calls": [call("probe")]},
        {"text": "Good."},
        tools=[ProbeTool("probe", completes)],
        limits=AgentLimits(tool_time=0.01),
    )
    assert (await within(agent.run_turn(user_message("Hello")), "the turn")).reason == "done"
    assert bench.results() == ["written"]


async def test_work_that_a_cancellation_does_not_tear_is_cancelled_once() -> None:
    release = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def held() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await uninterrupted(release.wait())
                await asyncio.sleep(0)
        await asyncio.sleep(0)

    task = asyncio.create_task(held())
    loop.call_later(0.05, release.set)
    await within(task, "the work with its time limit")


async def test_cancelling_while_the_hooks_run_records_nothing(bench: Bench) -> None:
    entered = asyncio.Event()

    class Slow:
        async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
            entered.set()
            await asyncio.Event().wait()
            return batch

    agent = await bench.agent({"text": "Never."}, hooks=[Slow()])
    message = user_message("Hello")
    running = asyncio.create_task(agent.run_turn(message))
    await within(entered.wait(), "the hook")
    agent.cancel()
    outcome = await within(running, "the cancelled turn")
    assert (outcome.reason, outcome.returned) == ("cancelled", (message,))
    assert bench.types() == []


async def test_cancelling_takes_an_open_question_back(bench: Bench) -> None:
    asked, withdrawn = asyncio.Event(), asyncio.Event()

    class Undecided(Person):
        async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                withdrawn.set()
            return "once"

    probe = ProbeTool("probe", asks=True)
    agent = await bench.agent({"tool_calls": [call("probe")]}, tools=[probe], person=Undecided())
    running = asyncio.create_task(agent.run_turn(user_message("Hello")))
    await within(asked.wait(), "the question")
    agent.cancel()
    assert (await within(running, "the cancelled turn")).reason == "cancelled"
    assert withdrawn.is_set()
    assert probe.calls == []
    assert_valid(bench.session)


async def test_cancelling_the_waiting_task_closes_the_turn_and_then_raises(bench: Bench) -> None:
    agent = await bench.agent({"text": "Slow.", "delay_ms": 60_000})
    running = asyncio.create_task(agent.run_turn(user_message("Hello")))
    await until(lambda: bool(bench.model.requests), "the request")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(running, "the cancelled task")
    assert bench.data("turn/end")[0]["reason"] == "cancelled"
    assert not agent.busy
    assert_valid(bench.session)


async def test_cancelling_twice_is_cancelling_once(bench: Bench) -> None:
    agent = await bench.agent({"tool_calls": [call("slow")]}, tools=[ProbeTool("slow", waits_for_ever)])

    def stop(item: object) -> None:
        if isinstance(item, ToolStarted):
            for delay in (0.0, 0.001, 0.002, 0.01):
                asyncio.get_running_loop().call_later(delay, agent.cancel)

    agent.subscribe(stop)
    assert (await within(agent.run_turn(user_message("Hello")), "the turn")).reason == "cancelled"
    assert bench.types().count("turn/end") == 1
    assert_valid(bench.session)
    agent.cancel()


async def test_queued_messages_survive_a_cancelled_turn(bench: Bench) -> None:
    agent = await bench.agent({"text": "Slow.", "delay_ms": 60_000}, {"text": "Back."})
    running = asyncio.create_task(agent.run_turn(user_message("Hello")))
    await until(lambda: bool(bench.model.requests), "the request")
    agent.queue(user_message("Later"))
    agent.cancel()
    await within(running, "the cancelled turn")
    assert len(agent.queued) == 1
    assert (await within(agent.run_turn(), "the next turn")).reason == "done"
    assert [message_text(message) for message in bench.model.requests[1].messages] == ["Hello", "Later"]


async def test_a_turn_cancelled_at_any_moment_leaves_a_valid_log(bench: Bench) -> None:
    """Cancels the same turn at every point of the loop in turn, until one gets through whole."""
    replies = [
        {"thinking": "Hm.", "text": "I look.", "tool_calls": [call("asks"), call("reads"), call("reads")]},
        {"tool_calls": [call("none"), {"name": "asks", "arguments": "{"}]},
        {"text": "Done."},
    ]
    script = write_script(bench.tmp_path, replies)
    reasons: list[str] = []

    class Hook:
        async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
            await asyncio.sleep(0)
            return (*batch, user_message("context", {"kind": "test"}))

    async def steps(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        for _ in range(3):
            await asyncio.sleep(0)
        return ToolOutcome(text="ok")

    for ticks in range(1, 5000):
        agent = await bench.agent(
            session=Session.in_memory(str(bench.cwd), "0.0.0"),
            model=ScriptedModel(script),
            tools=[ProbeTool("asks", steps, asks=True), ProbeTool("reads", steps, read_only=True)],
            hooks=[Hook()],
        )
        running = asyncio.create_task(agent.run_turn(user_message("Hello")))
        for _ in range(ticks):
            if running.done():
                break
            await asyncio.sleep(0)
        agent.cancel()
        outcome = await within(running, f"the turn cancelled after {ticks} ticks")
        reasons.append(outcome.reason)
        assert_valid(bench.session)
        if outcome.returned:
            assert bench.types() == []
        elif bench.types():
            assert bench.types()[-1] == "turn/end"
            assert bench.data("turn/end")[-1]["reason"] == outcome.reason
        await bench.session.aclose()
        if outcome.reason == "done":
            break
    assert reasons[-1] == "done"
    assert reasons.count("cancelled") > 20


async def test_the_log_of_a_cancelled_turn_serves_the_next_request(bench: Bench) -> None:
    agent = await bench.agent(
        {"tool_calls": [call("slow")]}, {"text": "Back."}, tools=[ProbeTool("slow", waits_for_ever)]
    )
    await cancelled_when(agent, ToolStarted)
    outcome = await within(agent.run_turn(user_message("Go on")), "the next turn")
    assert outcome.reason == "done"
    kinds = [type(message).__name__ for message in bench.model.requests[1].messages]
    assert kinds == ["UserMessage", "AssistantMessage", "ToolResultMessage", "UserMessage"]


async def test_a_failing_write_at_the_end_of_a_cancelled_turn_is_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skills_core.session import SessionError

    agent = await bench.agent({"text": "word " * 100}, {"text": "Back."})

    async def refuse(*events: PendingEvent) -> Any:
        raise SessionError("The disk is full.", "Free some space.")

    real = bench.session.append

    def stop(item: object) -> None:
        if isinstance(item, TextDelta):
            monkeypatch.setattr(bench.session, "append", refuse)
            agent.cancel()

    unsubscribe = agent.subscribe(stop)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert (outcome.reason, outcome.message) == ("failed", "The disk is full.")
    unsubscribe()
    monkeypatch.setattr(bench.session, "append", real)
    assert (await within(agent.run_turn(user_message("Go on")), "the next turn")).reason == "done"
    assert_valid(bench.session)
