"""Failed requests: sent again visibly and boundedly, or told in one line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import Compacting, Retrying
from skills_core.agent.model import ModelError, ModelReply, ModelRequest, StreamItem, TextDelta, Usage
from skills_core.agent.retry import RetryPolicy, final_error, waiting_time
from skills_core.session.event import PendingEvent, user_message
from skills_core.session.message import message_text
from tests.core.agent.support import Bench, assert_valid, until, within


class PlayedModel:
    """A model whose requests are answered by functions of the test, in turn; the last for all that follow."""

    def __init__(self, *answers: object, window: int | None = None) -> None:
        self._answers = list(answers)
        self._window = window
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return "played"

    @property
    def context_window(self) -> int | None:
        return self._window

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            yield TextDelta(answer)
            yield ModelReply(({"type": "text", "text": answer},), "end", Usage(input_tokens=10, output_tokens=1))
            return
        async for item in answer():  # type: ignore[operator]
            yield item


@pytest.mark.parametrize("kind", ["rate-limit", "overloaded", "connection", "timeout"])
async def test_a_passing_failure_is_tried_again_visibly(bench: Bench, kind: str) -> None:
    agent = await bench.agent({"error": kind}, {"error": kind}, {"text": "Back."})
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "done"
    assert bench.pauses.seconds == [1.0, 2.0]
    retries = bench.data("model/retry")
    assert [(data["attempt"], data["delay"], data["kind"]) for data in retries] == [(1, 1.0, kind), (2, 2.0, kind)]
    shown = bench.live_of(Retrying)
    assert [(item.attempt, item.attempts, item.discarded) for item in shown] == [(1, 5, False), (2, 5, False)]
    assert len(bench.data("assistant/message")) == 1
    assert_valid(bench.session)


@pytest.mark.parametrize(
    "kind", ["authentication", "unknown-model", "bad-response", "refused-request", "script-ended", "other"]
)
async def test_a_lasting_failure_is_told_at_once(bench: Bench, kind: str) -> None:
    agent = await bench.agent({"error": {"kind": kind, "message": "No.", "hint": "Do this."}}, {"text": "Back."})
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert (outcome.reason, outcome.message, outcome.hint) == ("failed", "No.", "Do this.")
    assert bench.data("turn/end")[0] == {"turn": 1, "reason": "failed", "message": "No.", "hint": "Do this."}
    assert bench.pauses.seconds == []
    assert (await within(agent.run_turn(user_message("Again")), "the next turn")).reason == "done"
    assert_valid(bench.session)


async def test_attempts_are_bounded_and_counted(bench: Bench) -> None:
    agent = await bench.agent(*[{"error": "connection"}] * 9)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    assert "(5 attempts)" in outcome.message
    assert bench.pauses.seconds == [1.0, 2.0, 4.0, 8.0]
    assert len(bench.model.requests) == 5


async def test_the_servers_wish_is_respected(bench: Bench) -> None:
    agent = await bench.agent({"error": {"kind": "rate-limit", "retry_after": 7.5}}, {"text": "Back."})
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert bench.pauses.seconds == [7.5]


async def test_a_wish_that_is_too_long_is_told_instead(bench: Bench) -> None:
    agent = await bench.agent({"error": {"kind": "rate-limit", "message": "Slow down.", "retry_after": 3600}})
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    assert "wait 60 minutes" in outcome.hint
    assert bench.pauses.seconds == []


async def test_what_was_streamed_before_a_failure_is_discarded_visibly(bench: Bench) -> None:
    agent = await bench.agent({"text": "Half a", "error": "connection"}, {"text": "Whole."})
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "done"
    assert [item.discarded for item in bench.live_of(Retrying)] == [True]
    assert bench.data("model/retry")[0]["discarded"] is True
    assert [data["content"][0]["text"] for data in bench.data("assistant/message")] == ["Whole."]


async def test_what_was_streamed_before_the_last_failure_is_kept(bench: Bench) -> None:
    retry = RetryPolicy(attempts=2, sleep=bench.pauses)
    agent = await bench.agent(
        {"text": "First", "error": "connection"}, {"text": "Second", "error": "connection"}, {"text": "."}, retry=retry
    )
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    kept = bench.data("assistant/message")
    assert [(data["content"][0]["text"], data["stop_reason"]) for data in kept] == [("Second", "cut")]
    assert_valid(bench.session)


async def test_a_wait_can_be_cancelled(bench: Bench) -> None:
    agent = await bench.agent({"error": "connection"}, retry=RetryPolicy(first_delay=600, longest_delay=600))
    running = asyncio.create_task(agent.run_turn(user_message("Hello")))
    await until(lambda: "model/retry" in bench.types(), "the retry")
    agent.cancel()
    assert (await within(running, "the cancelled turn")).reason == "cancelled"
    assert_valid(bench.session)


def test_delays_grow_to_their_bound_less_a_random_share() -> None:
    error = ModelError("connection", "Lost.")
    policy = RetryPolicy(attempts=9, fraction=lambda: 0.0)
    assert [policy.delay(attempt, error) for attempt in range(1, 9)] == [1, 2, 4, 8, 16, 30, 30, 30]
    assert policy.delay(9, error) is None
    assert RetryPolicy(fraction=lambda: 1.0).delay(1, error) == 0.75
    assert final_error(error, 1).message == "Lost."


async def test_a_model_that_falls_silent_is_a_timeout(bench: Bench) -> None:
    async def silent() -> AsyncIterator[StreamItem]:
        yield TextDelta("Wait")
        await asyncio.Event().wait()

    model = PlayedModel(silent, "Back.")
    agent = await bench.agent(model=model, limits=AgentLimits(reply_idle=0.05))
    assert (await within(agent.run_turn(user_message("Hello")), "the turn")).reason == "done"
    assert bench.data("model/retry")[0]["kind"] == "timeout"


@pytest.mark.parametrize("limits", [AgentLimits(reply_time=0.1), AgentLimits(reply_size=500)])
async def test_a_reply_without_end_is_stopped_and_kept(bench: Bench, limits: AgentLimits) -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[StreamItem]:
        try:
            while True:
                yield TextDelta("more ")
                await asyncio.sleep(0.001)
        finally:
            closed.set()

    agent = await bench.agent(model=PlayedModel(endless), limits=limits)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    assert "The reply was stopped" in outcome.message
    assert closed.is_set()
    assert bench.data("assistant/message")[0]["stop_reason"] == "cut"
    assert bench.data("model/retry") == []
    assert_valid(bench.session)


@pytest.mark.parametrize(
    ("fault", "words"), [(RuntimeError("secret internals"), "RuntimeError"), (None, "without being finished")]
)
async def test_a_model_that_breaks_its_protocol_is_one_clear_error(
    bench: Bench, fault: Exception | None, words: str
) -> None:
    async def nothing() -> AsyncIterator[StreamItem]:
        for item in ():
            yield item

    agent = await bench.agent(model=PlayedModel(fault or nothing))
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    assert words in outcome.message
    assert "secret internals" not in outcome.message
    assert_valid(bench.session)


async def _long_session(bench: Bench) -> None:
    """Enough turns that the older part is worth replacing."""
    bench.session = await bench.store.create(str(bench.cwd))
    for number in range(1, 9):
        reply = {
            "content": [{"type": "text", "text": "answer " * 900}],
            "model": "m",
            "usage": None,
            "stop_reason": "end",
        }
        await bench.session.append(
            PendingEvent("turn/start", {"turn": number}),
            user_message(f"request {number}"),
            PendingEvent("assistant/message", reply),
            PendingEvent("turn/end", {"turn": number, "reason": "done", "message": None, "hint": None}),
        )


async def test_an_overflow_compacts_once_and_goes_on(bench: Bench) -> None:
    await _long_session(bench)
    overflow = ModelError("context-overflow", "Too long.")
    model = PlayedModel(overflow, "The summary.", "Done.")
    agent = await bench.agent(model=model, session=bench.session)
    outcome = await within(agent.run_turn(user_message("Now this")), "the turn")
    assert outcome.reason == "done"
    assert bench.live_of(Compacting) == [Compacting(True)]
    compaction = bench.data("compaction")[0]
    assert compaction["summary"] == "The summary."
    assert compaction["model"] == "played"
    assert compaction["usage"] == {"input_tokens": 10, "output_tokens": 1}
    summary_request, last_request = model.requests[1:]
    assert message_text(summary_request.messages[-1]).startswith("Summarise")
    assert summary_request.messages[0] == model.requests[0].messages[0]
    assert "The summary." in message_text(last_request.messages[0])
    assert message_text(last_request.messages[-1]) == "Now this"
    assert len(last_request.messages) < len(model.requests[0].messages)
    assert_valid(bench.session)


async def test_an_overflow_after_compaction_is_told(bench: Bench) -> None:
    await _long_session(bench)
    overflow = ModelError("context-overflow", "Too long.")
    agent = await bench.agent(model=PlayedModel(overflow, "The summary.", overflow), session=bench.session)
    outcome = await within(agent.run_turn(user_message("Now this")), "the turn")
    assert outcome.reason == "failed"
    assert "even after it was compacted" in outcome.message
    assert outcome.hint
    assert len(bench.data("compaction")) == 1
    assert_valid(bench.session)


async def test_an_overflow_with_nothing_to_compact_is_told(bench: Bench) -> None:
    agent = await bench.agent(model=PlayedModel(ModelError("context-overflow", "Too long.", "Use /compact.")))
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "failed"
    assert "larger window" in outcome.hint
    assert "/compact" not in outcome.hint
    assert outcome.message.startswith("Too long.")
    assert bench.data("compaction") == []


async def test_a_summary_that_fails_is_taken_from_the_log(bench: Bench) -> None:
    await _long_session(bench)
    overflow = ModelError("context-overflow", "Too long.")
    agent = await bench.agent(model=PlayedModel(overflow, overflow, "Done."), session=bench.session)
    outcome = await within(agent.run_turn(user_message("Now this")), "the turn")
    assert outcome.reason == "done"
    assert "request 1" in bench.data("compaction")[0]["summary"]
    assert bench.data("compaction")[0].keys().isdisjoint({"model", "usage"})
    assert "taken from the log" in bench.data("notice")[0]["text"]


async def test_an_empty_summary_is_told_and_what_it_took_is_kept(bench: Bench) -> None:
    await _long_session(bench)
    agent = await bench.agent(model=PlayedModel(" \n"), session=bench.session)
    outcome = await within(agent.compact(), "the compaction")
    assert outcome.compacted
    assert not outcome.by_model
    compaction = bench.data("compaction")[0]
    assert "request 1" in compaction["summary"]
    assert "model" not in compaction
    assert compaction["usage"] == {"input_tokens": 10, "output_tokens": 1}
    assert "it was empty" in bench.data("notice")[0]["text"]


async def test_compaction_comes_by_itself_near_the_window(bench: Bench) -> None:
    await _long_session(bench)
    model = PlayedModel("The summary.", "Done.", "Done again.", window=12_000)
    agent = await bench.agent(model=model, session=bench.session)
    assert (await within(agent.run_turn(user_message("Now this")), "the turn")).reason == "done"
    assert len(bench.data("compaction")) == 1
    assert (await within(agent.run_turn(user_message("And this")), "the next turn")).reason == "done"
    assert len(bench.data("compaction")) == 1
    assert_valid(bench.session)


async def test_the_last_count_of_the_server_decides_about_the_window(bench: Bench) -> None:
    await _long_session(bench)
    reply = {
        "content": [{"type": "text", "text": "short"}],
        "model": "m",
        "usage": {"input_tokens": 100, "output_tokens": 5},
        "stop_reason": "end",
    }
    await bench.session.append(PendingEvent("assistant/message", reply))
    agent = await bench.agent(model=PlayedModel("Done.", window=12_000), session=bench.session)
    await within(agent.run_turn(user_message("Now this")), "the turn")
    assert bench.data("compaction") == []


async def test_compaction_on_request(bench: Bench) -> None:
    await _long_session(bench)
    agent = await bench.agent({"text": "Done."}, session=bench.session)
    outcome = await within(agent.compact(), "the compaction")
    assert outcome.compacted
    assert not outcome.by_model
    assert outcome.tokens_before is not None
    assert outcome.tokens_after is not None
    assert outcome.tokens_after < outcome.tokens_before
    assert bench.live_of(Compacting) == [Compacting(False)]
    again = await within(agent.compact(), "a second compaction")
    assert not again.compacted
    assert "nothing" in again.message
    assert (await within(agent.run_turn(user_message("Go on")), "the turn")).reason == "done"


async def test_a_compaction_can_be_cancelled_and_then_nothing_is_replaced(bench: Bench) -> None:
    await _long_session(bench)

    async def silent() -> AsyncIterator[StreamItem]:
        await asyncio.Event().wait()
        yield TextDelta("never")

    model = PlayedModel(silent)
    agent = await bench.agent(model=model, session=bench.session)
    running = asyncio.create_task(agent.compact())
    await until(lambda: bool(model.requests), "the request for a summary")
    agent.cancel()
    outcome = await within(running, "the cancelled compaction")
    assert not outcome.compacted
    assert bench.data("compaction") == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "1 second"),
        (1, "1 second"),
        (7.2, "8 seconds"),
        (119, "119 seconds"),
        (121, "3 minutes"),
        (86_400, "24 hours"),
    ],
)
def test_a_wait_in_words(seconds: float, words: str) -> None:
    assert waiting_time(seconds) == words


def test_the_attempts_belong_to_the_sentence() -> None:
    told = final_error(ModelError("overloaded", "It is overloaded.", "Later."), 3)
    assert (told.message, told.hint) == ("It is overloaded (3 attempts).", "Later.")
    assert final_error(ModelError("overloaded", "It is overloaded.", "Later."), 1).message == "It is overloaded."
