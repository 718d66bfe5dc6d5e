"""Turns: their order of events, their ends, their bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from skills_core.agent.approval import ToolAnswer, ToolQuestion
from skills_core.agent.hooks import Batch, Reject, StepContext
from skills_core.agent.live import QueueChanged, Retrying, StepStarted, ToolFinished, ToolOutput, ToolStarted
from skills_core.agent.loop import Agent, DuplicateToolError
from skills_core.agent.model import ModelReply, ModelRequest, StreamItem, TextDelta, ToolCallDelta, Usage
from skills_core.agent.models.scripted import ScriptedModel
from skills_core.agent.outcome import AgentBusyError
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.session.event import PendingEvent, user_message
from skills_core.session.message import AssistantMessage, ToolResultMessage, UserMessage, message_text
from tests.core.agent.support import Bench, Person, ProbeTool, assert_valid, call, until, within, write_script


class Adds:
    """A hook that adds one message to each step."""

    def __init__(self, text: str, log: list[str] | None = None) -> None:
        self._text = text
        self._log = log if log is not None else []
        self.contexts: list[StepContext] = []

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        self.contexts.append(context)
        self._log.append(self._text)
        return (*batch, user_message(self._text, {"kind": "test"}))


class Rejects:
    def __init__(self, at_step: int = 1) -> None:
        self._at_step = at_step

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        return Reject("no such skill", "try another") if context.step == self._at_step else batch


async def test_a_turn_records_everything_in_order(bench: Bench) -> None:
    probe = ProbeTool("probe")
    agent = await bench.agent({"text": "I look.", "tool_calls": [call("probe", x=1)]}, {"text": "Done."}, tools=[probe])
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "done"
    assert bench.types() == [
        "turn/start",
        "request/context",
        "user/message",
        "assistant/message",
        "tool/call",
        "tool/result",
        "assistant/message",
        "turn/end",
    ]
    assert probe.calls == [{"x": 1}]
    assert bench.data("turn/end") == [{"turn": 1, "reason": "done", "message": None, "hint": None}]
    assert bench.data("tool/call")[0]["title"] == "Use probe"
    assert_valid(bench.session)
    first, second = bench.model.requests
    assert first.system == "You are helpful."
    assert [tool.name for tool in first.tools] == ["probe"]
    assert [message_text(message) for message in first.messages] == ["Hello"]
    assert [type(message) for message in second.messages] == [UserMessage, AssistantMessage, ToolResultMessage]
    assert second.messages[: len(first.messages)] == first.messages


async def test_what_was_recorded_is_read_again_as_the_same_messages(bench: Bench) -> None:
    agent = await bench.agent(
        {"thinking": "Hm.", "text": "I look.", "tool_calls": [call("probe"), call("probe", é="\ud83d")]},
        {"text": "Done."},
        tools=[ProbeTool("probe")],
    )
    await within(agent.run_turn(user_message("Hello")), "the turn")
    before = bench.session.surface.messages()
    await bench.session.aclose()
    again = await bench.store.open(bench.session.id)
    assert again.surface.messages() == before
    await again.aclose()


async def test_subscribers_see_the_reply_as_it_comes(bench: Bench) -> None:
    async def speaks(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        context.report("half way")
        return ToolOutcome(text="end")

    agent = await bench.agent(
        {"text": "x" * 60, "tool_calls": [call("probe")]}, {"text": "Done."}, tools=[ProbeTool("probe", speaks)]
    )

    def faulty(item: object) -> None:
        raise RuntimeError("a subscriber's own fault")

    agent.subscribe(faulty)
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert [item.step for item in bench.live_of(StepStarted)] == [1, 2]
    assert "".join(item.text for item in bench.live_of(TextDelta)) == "x" * 60 + "Done."
    assert len(bench.live_of(TextDelta)) > 2
    assert bench.live_of(ToolCallDelta)[0].name == "probe"
    call_id = bench.data("tool/call")[0]["id"]
    assert bench.live_of(ToolStarted) == [ToolStarted(call_id, "probe", "Use probe")]
    assert bench.live_of(ToolOutput) == [ToolOutput(call_id, "half way")]
    assert bench.live_of(ToolFinished) == [ToolFinished(call_id, False)]
    assert [item.stop_reason for item in bench.live_of(ModelReply)] == ["tool_calls", "end"]


async def test_hooks_run_in_order_before_each_step_and_their_messages_follow_the_users(bench: Bench) -> None:
    log: list[str] = []
    first, second = Adds("one", log), Adds("two", log)
    agent = await bench.agent(
        {"tool_calls": [call("probe")]}, {"text": "Done."}, tools=[ProbeTool("probe")], hooks=[first, second]
    )
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert log == ["one", "two", "one", "two"]
    texts = [[message_text(message) for message in request.messages] for request in bench.model.requests]
    assert texts[0] == ["Hello", "one", "two"]
    assert texts[1] == ["Hello", "one", "two", "", "probe done", "one", "two"]
    assert [len(context.claimed) for context in first.contexts] == [1, 0]
    assert first.contexts[0].cwd == str(bench.cwd)
    assert list(first.contexts[0].tools) == ["probe"]


async def test_a_rejected_first_step_records_nothing_and_gives_the_messages_back(bench: Bench) -> None:
    agent = await bench.agent({"text": "Never."}, hooks=[Adds("one"), Rejects()])
    message = user_message("/skill:none")
    outcome = await within(agent.run_turn(message), "the turn")
    assert (outcome.reason, outcome.message, outcome.hint) == ("rejected", "no such skill", "try another")
    assert outcome.returned == (message,)
    assert bench.types() == []
    assert bench.model.requests == []
    assert not agent.busy


async def test_a_rejected_later_step_ends_the_turn_and_gives_the_queued_message_back(bench: Bench) -> None:
    queued = user_message("/skill:none")

    async def queues(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        agent.queue(queued)
        return ToolOutcome(text="ok")

    agent = await bench.agent(
        {"tool_calls": [call("probe")]}, tools=[ProbeTool("probe", queues)], hooks=[Rejects(at_step=2)]
    )
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "rejected"
    assert outcome.returned == (queued,)
    assert bench.data("turn/end")[0]["reason"] == "rejected"
    assert len(bench.data("user/message")) == 1
    assert_valid(bench.session)


@pytest.mark.parametrize("fault", ["raises", "returns nonsense"])
async def test_a_hook_that_fails_is_one_clear_error(bench: Bench, fault: str) -> None:
    class Faulty:
        async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
            if fault == "raises":
                raise ValueError("bad weather")
            return "nonsense"  # type: ignore[return-value]

    agent = await bench.agent({"text": "Never."}, {"text": "Again."}, hooks=[Faulty()])
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    assert "Faulty failed before the step" in outcome.message
    assert ("bad weather" in outcome.message) == (fault == "raises")
    assert outcome.returned
    assert bench.types() == []


async def test_the_step_limit_ends_a_turn_that_does_not_end(bench: Bench) -> None:
    replies = [{"tool_calls": [call("probe")]} for _ in range(5)]
    agent = await bench.agent(*replies, tools=[ProbeTool("probe")], max_steps=3)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "step-limit"
    assert "3 steps" in outcome.message
    assert len(bench.model.requests) == 3
    assert bench.data("turn/end")[0]["reason"] == "step-limit"
    assert_valid(bench.session)


async def test_a_message_queued_during_a_turn_is_taken_up_at_the_next_step(bench: Bench) -> None:
    async def queues(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        agent.queue(user_message("Also this"))
        return ToolOutcome(text="ok")

    agent = await bench.agent(
        {"tool_calls": [call("probe")]}, {"text": "Both."}, tools=[ProbeTool("probe", queues)], hooks=[Adds("context")]
    )
    await within(agent.run_turn(user_message("Hello")), "the turn")
    texts = [message_text(message) for message in bench.model.requests[1].messages]
    assert texts == ["Hello", "context", "", "ok", "Also this", "context"]
    assert [len(item.queued) for item in bench.live_of(QueueChanged)] == [1, 0]
    assert agent.queued == ()
    assert_valid(bench.session)


async def test_a_message_queued_during_the_last_reply_makes_one_more_step(bench: Bench) -> None:
    agent = await bench.agent({"text": "First."}, {"text": "Second."})

    def queue_once(item: object) -> None:
        if isinstance(item, TextDelta) and item.text == "First.":
            agent.queue(user_message("And now?"))

    agent.subscribe(queue_once)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "done"
    assert [message_text(message) for message in bench.model.requests[1].messages] == ["Hello", "First.", "And now?"]
    assert bench.types().count("turn/start") == 1


async def test_a_turn_takes_up_what_was_queued_while_idle(bench: Bench) -> None:
    agent = await bench.agent({"text": "Both."})
    agent.queue(user_message("Earlier"))
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert [message_text(message) for message in bench.model.requests[0].messages] == ["Hello", "Earlier"]
    assert agent.take_queued() == ()


async def test_the_request_context_is_stored_only_when_it_changed(bench: Bench) -> None:
    agent = await bench.agent({"text": "One."}, {"text": "Two."}, {"text": "Three."}, tools=[ProbeTool("probe")])
    await within(agent.run_turn(user_message("1")), "the first turn")
    await within(agent.run_turn(user_message("2")), "the second turn")
    assert len(bench.data("request/context")) == 1
    assert bench.data("request/context")[0]["tools"][0]["name"] == "probe"
    other = ScriptedModel(write_script(bench.tmp_path, [{"text": "Other."}], "other.jsonl"))
    await agent.set_model(other)
    await within(agent.run_turn(user_message("3")), "the third turn")
    assert [data["model"] for data in bench.data("model/change")] == [other.name]
    assert [data["model"] for data in bench.data("request/context")] == [bench.model.name, other.name]
    assert bench.data("assistant/message")[-1]["model"] == other.name
    assert [data["turn"] for data in bench.data("turn/start")] == [1, 2, 3]


async def test_a_reply_belongs_to_the_model_that_was_asked(bench: Bench) -> None:
    agent = await bench.agent({"text": "word " * 50, "tool_calls": [call("probe")]}, tools=[ProbeTool("probe")])
    first = bench.model
    other = ScriptedModel(write_script(bench.tmp_path, [{"text": "Other."}], "other.jsonl"))
    switching: list[asyncio.Task[None]] = []

    def switch(item: object) -> None:
        if isinstance(item, TextDelta) and not switching:
            switching.append(asyncio.create_task(agent.set_model(other)))

    agent.subscribe(switch)
    await within(agent.run_turn(user_message("Hello")), "the turn")
    await within(switching[0], "the change of the model")
    assert [data["model"] for data in bench.data("assistant/message")] == [first.name, other.name]
    assert [data["model"] for data in bench.data("request/context")] == [first.name, other.name]


async def test_the_model_of_a_repeated_request_is_in_the_log(bench: Bench) -> None:
    agent = await bench.agent({"error": "overloaded"})
    other = ScriptedModel(write_script(bench.tmp_path, [{"text": "Other."}], "other.jsonl"))
    switching: list[asyncio.Task[None]] = []

    def switch(item: object) -> None:
        if isinstance(item, Retrying):
            switching.append(asyncio.create_task(agent.set_model(other)))

    agent.subscribe(switch)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    await within(switching[0], "the change of the model")
    assert outcome.reason == "done"
    assert len(other.requests) == 1
    kinds = [kind for kind in bench.types() if kind in ("request/context", "assistant/message")]
    assert kinds == ["request/context", "request/context", "assistant/message"]
    assert bench.data("request/context")[-1]["model"] == bench.data("assistant/message")[0]["model"] == other.name


async def test_a_time_limit_for_changing_the_model_is_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = await bench.agent({"text": "Never."})
    never = asyncio.Event()
    monkeypatch.setattr(bench.session, "append", lambda *pending: never.wait())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await agent.set_model(bench.model)


async def test_one_turn_at_a_time(bench: Bench) -> None:
    agent = await bench.agent({"text": "Slow.", "delay_ms": 60_000})
    running = asyncio.create_task(agent.run_turn(user_message("Hello")))
    await until(lambda: bool(bench.model.requests), "the request")
    assert agent.busy
    with pytest.raises(AgentBusyError):
        await agent.run_turn(user_message("Me too"))
    with pytest.raises(AgentBusyError):
        await agent.compact()
    agent.cancel()
    assert (await within(running, "the end of the turn")).reason == "cancelled"
    assert not agent.busy


async def test_two_tools_of_one_name_are_refused(bench: Bench) -> None:
    with pytest.raises(DuplicateToolError, match="probe"):
        await bench.agent(tools=[ProbeTool("probe"), ProbeTool("probe")])


async def test_call_identifiers_are_unique_in_the_session(bench: Bench) -> None:
    for name in ("one", "two"):
        script = write_script(bench.tmp_path, [{"tool_calls": [call("probe"), call("probe")]}, {"text": "."}], name)
        agent = await bench.agent(
            model=ScriptedModel(script),
            tools=[ProbeTool("probe")],
            session=bench.session if hasattr(bench, "session") else None,
        )
        await within(agent.run_turn(user_message("Hello")), "the turn")
    ids = [data["id"] for data in bench.data("tool/result")]
    assert len(ids) == len(set(ids)) == 4
    assert_valid(bench.session)


async def test_a_script_that_ended_fails_the_turn_and_the_session_goes_on(bench: Bench) -> None:
    agent = await bench.agent({"text": "Only one."})
    await within(agent.run_turn(user_message("1")), "the first turn")
    outcome = await within(agent.run_turn(user_message("2")), "the second turn")
    assert outcome.reason == "failed"
    assert "has ended" in outcome.message
    assert bench.data("turn/end")[-1]["message"] == outcome.message
    assert_valid(bench.session)
    await agent.set_model(ScriptedModel(write_script(bench.tmp_path, [{"text": "Back."}], "more.jsonl")))
    assert (await within(agent.run_turn(user_message("3")), "the third turn")).reason == "done"


async def test_a_turn_that_a_crash_left_open_is_closed_before_the_next(bench: Bench) -> None:
    session = await bench.store.create(str(bench.cwd))
    blocks = [{"type": "tool_call", "id": "a", "name": "probe", "arguments": {}}]
    await session.append(
        PendingEvent("turn/start", {"turn": 4}),
        user_message("Before the crash"),
        PendingEvent(
            "assistant/message", {"content": blocks, "model": "m", "usage": None, "stop_reason": "tool_calls"}
        ),
        PendingEvent("tool/call", {"id": "a", "name": "probe", "arguments": {}, "title": "Use probe"}),
    )
    agent = await bench.agent({"text": "Back."}, session=session)
    await within(agent.run_turn(user_message("After it")), "the turn")
    assert_valid(session)
    assert [data["turn"] for data in bench.data("turn/start")] == [4, 5]
    assert bench.data("turn/end")[0]["reason"] == "cancelled"
    assert bench.results()[0].startswith("Interrupted")


async def test_a_full_disk_is_an_outcome_and_loses_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    agent: Agent = await bench.agent({"text": "One."}, {"text": "Two."})
    await within(agent.run_turn(user_message("1")), "the first turn")
    before = list(bench.session.events)
    real = bench.session.append

    async def refuse(*events: PendingEvent) -> Any:
        from skills_core.session import SessionError

        raise SessionError("The disk is full.", "Free some space.")

    monkeypatch.setattr(bench.session, "append", refuse)
    message = user_message("2")
    outcome = await within(agent.run_turn(message), "the failing turn")
    assert (outcome.reason, outcome.message, outcome.hint) == ("failed", "The disk is full.", "Free some space.")
    assert outcome.returned == (message,)
    assert list(bench.session.events) == before
    monkeypatch.setattr(bench.session, "append", real)
    assert (await within(agent.run_turn(*outcome.returned), "the turn after it")).reason == "done"
    assert_valid(bench.session)


async def test_an_empty_reply_is_told(bench: Bench) -> None:
    agent = await bench.agent({}, {"text": "Words."})
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert (outcome.reason, outcome.message) == ("done", "The model sent an empty reply.")
    assert (await within(agent.run_turn(user_message("Again")), "the next turn")).message == ""


async def test_pieces_that_no_encoding_has_reach_neither_subscribers_nor_the_log(bench: Bench) -> None:
    agent = await bench.agent({"text": "a\ud83d b"})
    await within(agent.run_turn(user_message("Hello")), "the turn")
    shown = "".join(item.text for item in bench.live_of(TextDelta))
    assert shown == bench.data("assistant/message")[0]["content"][0]["text"] == "a\ufffd b"


@pytest.mark.parametrize("where", ["hook", "approver"])
async def test_a_cancellation_from_inside_is_not_the_persons(bench: Bench, where: str) -> None:
    class Hook:
        async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
            if where == "hook":
                raise asyncio.CancelledError
            return batch

    class Withdrawn(Person):
        async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
            raise asyncio.CancelledError

    agent = await bench.agent(
        {"tool_calls": [call("probe")]},
        {"text": "Done."},
        tools=[ProbeTool("probe", asks=True)],
        hooks=[Hook()],
        person=Withdrawn(),
    )
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    if where == "hook":
        assert (outcome.reason, outcome.message) == (
            "failed",
            "Hook failed before the step: it was cancelled from inside",
        )
    else:
        assert outcome.reason == "done"
        assert bench.results()[0].startswith("The person declined")


async def test_calls_of_a_refused_reply_are_not_run(bench: Bench) -> None:
    class Refuses:
        name = "refuses"
        context_window = None

        async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
            block = {"type": "tool_call", "id": "functions.probe:0", "name": "probe", "arguments": {}}
            yield ModelReply((block,), "refused", Usage())

    probe = ProbeTool("probe")
    agent = await bench.agent(model=Refuses(), tools=[probe])
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert (outcome.reason, outcome.message) == ("done", "The model refused to answer.")
    assert probe.calls == []
    assert bench.data("tool/result")[0]["id"] == "functions_probe_0"
    assert_valid(bench.session)
