"""What bounds a turn and what begins it: steps, the size of a reply, the window, the queue, and summaries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from skills_core.agent.limits import AgentLimits
from skills_core.agent.model import (
    ModelError,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    Usage,
)
from skills_core.agent.window import context_tokens
from skills_core.session import Session
from skills_core.session.compaction import event_tokens
from skills_core.session.event import COMPACTION, PendingEvent, user_message
from skills_core.session.message import message_text
from skills_core.tokens import estimate_tokens
from tests.core.agent.support import Bench, ProbeTool, assert_valid, within

Streamed = Callable[[], AsyncIterator[StreamItem]]


class AnsweringModel:
    """Answers each request by the next function, the last one for all that follow. An exception is raised."""

    writes_summaries = False

    def __init__(self, *answers: Streamed | ModelError, window: int | None = None) -> None:
        self._answers = list(answers)
        self._window = window
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return "answering"

    @property
    def context_window(self) -> int | None:
        return self._window

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, ModelError):
            raise answer
        async for item in answer():
            yield item


async def says_done() -> AsyncIterator[StreamItem]:
    yield ModelReply(({"type": "text", "text": "Done."},), "end", Usage())


async def calls_probe() -> AsyncIterator[StreamItem]:
    yield ModelReply(({"type": "tool_call", "id": "c", "name": "probe", "arguments": {}},), "tool_calls", Usage())


async def breaks_off_behind_a_call() -> AsyncIterator[StreamItem]:
    yield ModelReply(({"type": "tool_call", "id": "c", "name": "probe", "arguments": {"path": "a"}},), "cut", Usage())


async def stored_turns(bench: Bench, count: int, words: int) -> Session:
    session = await bench.store.create(str(bench.cwd))
    for number in range(1, count + 1):
        content = [{"type": "text", "text": "answer " * words}]
        await session.append(
            PendingEvent("turn/start", {"turn": number}),
            user_message(f"request {number}"),
            PendingEvent("assistant/message", {"content": content, "model": "m", "usage": None, "stop_reason": "end"}),
            PendingEvent("turn/end", {"turn": number, "reason": "done", "message": None, "hint": None}),
        )
    return session


async def test_calls_of_a_reply_that_broke_off_are_not_run(bench: Bench) -> None:
    probe = ProbeTool("probe")
    agent = await bench.agent(model=AnsweringModel(breaks_off_behind_a_call, says_done), tools=[probe])
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert (outcome.reason, outcome.message) == ("failed", "The reply broke off.")
    assert probe.calls == []
    assert bench.data("tool/result")[0]["is_error"] is True
    assert_valid(bench.session)


async def test_a_step_that_was_compacted_and_begun_anew_counts_once(bench: Bench) -> None:
    session = await stored_turns(bench, 8, 900)
    probe = ProbeTool("probe")
    model = AnsweringModel(ModelError("context-overflow", "Too long."), calls_probe, says_done)
    agent = await bench.agent(model=model, tools=[probe], session=session, max_steps=2)
    outcome = await within(agent.run_turn(user_message("Now this")), "the turn")
    assert (outcome.reason, outcome.message) == ("done", "")
    assert len(probe.calls) == 1
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "piece",
    [TextDelta("x" * 100), ThinkingDelta("x" * 100), ToolCallDelta(0, None, "x" * 100)],
    ids=["text", "thinking", "arguments"],
)
async def test_no_kind_of_piece_floods_the_memory(bench: Bench, piece: StreamItem) -> None:
    sent = 0

    async def floods() -> AsyncIterator[StreamItem]:
        nonlocal sent
        # An end, so that the test ends when the bound does not hold.
        while sent < 100:
            sent += 1
            yield piece
        yield ModelReply((), "end", Usage())

    agent = await bench.agent(model=AnsweringModel(floods), limits=AgentLimits(reply_size=1_000))
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert (outcome.reason, outcome.message) == ("failed", "The reply was stopped at 1,000 characters.")
    assert sent == 11


async def test_after_a_compaction_a_small_window_holds_the_conversation(bench: Bench) -> None:
    session = await stored_turns(bench, 12, 400)
    window = 4_000
    agent = await bench.agent(model=AnsweringModel(says_done, window=window), session=session)
    assert (await within(agent.compact(), "the compaction")).compacted
    kept = sum(event_tokens(event) for event in session.surface.visible if event.type != COMPACTION)
    assert 0 < kept <= window / 4


async def test_counts_of_a_server_from_before_a_compaction_say_nothing(bench: Bench) -> None:
    session = await stored_turns(bench, 8, 100)
    counted = {"input_tokens": 90_000, "output_tokens": 10}
    content = [{"type": "text", "text": "a long one"}]
    await session.append(
        user_message("more"),
        PendingEvent("assistant/message", {"content": content, "model": "m", "usage": counted, "stop_reason": "end"}),
    )
    assert context_tokens(session) == 90_010
    first, last = session.surface.visible[0].seq, session.surface.visible[9].seq
    summary = {"summary": "short", "first": first, "last": last, "content": [], "tokens_before": 1}
    await session.append(PendingEvent(COMPACTION, summary))
    visible = session.surface.visible
    assert visible[0].type == COMPACTION and any(event.data.get("usage") == counted for event in visible)
    assert context_tokens(session) == sum(event_tokens(event, estimate_tokens) for event in visible) < 9_000


async def test_a_conversation_that_cannot_be_made_shorter_is_not_tried_again_in_the_turn(bench: Bench) -> None:
    session = await stored_turns(bench, 1, 10)
    first, last = session.surface.visible[0].seq, session.surface.visible[-1].seq
    content = [{"type": "text", "text": "what came before " * 100}]
    summary = {"summary": "long", "first": first, "last": last, "content": content, "tokens_before": 1}
    await session.append(PendingEvent(COMPACTION, summary))
    model = AnsweringModel(calls_probe, calls_probe, says_done, window=100)
    agent = await bench.agent(model=model, tools=[ProbeTool("probe")], session=session)
    tried: list[str] = []
    compactor = agent._compactor
    compact = compactor.compact

    async def counted(*arguments: object, **options: object) -> object:
        tried.append("once")
        return await compact(*arguments, **options)  # type: ignore[arg-type]

    compactor.compact = counted  # type: ignore[method-assign]
    outcome = await within(agent.run_turn(user_message("Now this")), "the turn")
    assert outcome.reason == "done"
    assert len(model.requests) == 3
    assert tried == ["once"]


async def test_what_was_queued_stands_behind_the_words_that_begin_the_turn(bench: Bench) -> None:
    agent = await bench.agent({"text": "Done."})
    agent.queue(user_message("queued first"))
    assert (await within(agent.run_turn(user_message("the turn's own")), "the turn")).reason == "done"
    assert [message_text(message) for message in bench.model.requests[0].messages] == ["the turn's own", "queued first"]
