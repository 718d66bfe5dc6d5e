"""Whole turns with real client libraries: the same conversation in each format, and faults on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import Retrying, ToolStarted
from skills_core.agent.model import TextDelta
from skills_core.agent.models import open_model
from skills_core.agent.retry import RetryPolicy
from skills_core.session.event import user_message
from tests.core.agent.support import Bench, assert_valid, until, within
from tests.core.models.support import (
    DIALECTS,
    FIRST,
    FORMATS,
    GOOGLE,
    KEY,
    LAST,
    SECOND,
    agent_for,
    has_google,
    model_of,
)
from tests.support.model_server import (
    Answer,
    Breaks,
    Endless,
    Ends,
    Hangs,
    KeepsAlive,
    ModelServer,
    Raw,
    Refusal,
    Reply,
    Resets,
    closed_port,
)


def transcript(bench: Bench) -> list[Any]:
    """What a person sees, without what differs from provider to provider: names, identifiers, their own states."""
    rows: list[Any] = []
    for event in bench.session.events:
        data = event.data
        match event.type:
            case "assistant/message":
                blocks = [
                    {
                        key: block[key]
                        for key in ("type", "text", "name", "arguments", "invalid_arguments")
                        if key in block
                    }
                    for block in data["content"]
                ]
                rows.append((event.type, blocks, data["stop_reason"], data["usage"]["input_tokens"]))
            case "tool/result":
                rows.append((event.type, data["name"], data["content"], data["is_error"]))
            case "tool/call":
                rows.append((event.type, data["name"], data["arguments"], data["title"]))
            case "user/message" | "turn/start" | "turn/end":
                rows.append((event.type, data))
            case _:
                rows.append(event.type)
    return rows


async def test_the_same_conversation_through_each_format_gives_the_same_transcript(tmp_path: Path) -> None:
    # Google's format has no broken JSON in a call: there the same conversation goes without it.
    answers: dict[str, tuple[Reply, ...]] = dict.fromkeys(DIALECTS, (FIRST, SECOND, LAST))
    seen = await transcripts(tmp_path / "all", answers)
    assert said_in(seen["chat"]) == [
        ("thinking", FIRST.thinking),
        ("text", FIRST.text),
        ("thinking", FIRST.interleaved),
        ("read", {"path": "a"}),
        ("read", {"path": "b"}),
        ("text", SECOND.text),
        ("read", '{"path": '),
        ("text", LAST.text),
    ]
    results = [row for row in seen["chat"] if row[0] == "tool/result"]
    assert [(row[2][0]["text"], row[3]) for row in results[:2]] == [("text of a", False), ("text of b", False)]
    assert "must be one JSON object" in results[2][2][0]["text"]
    assert results[2][3]
    assert len(results) == 3
    assert len([row for row in seen["chat"] if row[0] == "tool/call"]) == 2, "a call that cannot be read must not run"
    if has_google():
        seen = await transcripts(tmp_path / "google", {"chat": (FIRST, LAST), "gemini": (FIRST, LAST)})
        assert len(said_in(seen["gemini"])) == 6


def said_in(rows: list[Any]) -> list[tuple[str, Any]]:
    """What the model said and called, in order."""
    blocks = [block for row in rows if row[0] == "assistant/message" for block in row[1]]
    return [
        (block["name"], block.get("invalid_arguments", block["arguments"]))
        if block["type"] == "tool_call"
        else (block["type"], block["text"])
        for block in blocks
    ]


@GOOGLE
async def test_a_malformed_call_of_google_is_told_and_the_session_goes_on(bench: Bench) -> None:
    """Its format has no broken arguments: the reply ends with a reason instead of the call."""
    async with ModelServer("gemini", Reply(text="I read it.", stop="MALFORMED_FUNCTION_CALL"), LAST) as server:
        agent = await agent_for(bench, server)
        outcome = await within(agent.run_turn(user_message("Read a")), "the turn")
        assert outcome.reason == "failed"
        assert "malformed" in outcome.message
        kept = bench.data("assistant/message")[0]
        assert (kept["stop_reason"], kept["content"][0]["text"]) == ("cut", "I read it.")
        assert (await within(agent.run_turn(user_message("Again")), "the next turn")).reason == "done"
    assert "I read it." in server.requests[1].body.decode()
    assert_valid(bench.session)


async def transcripts(folder: Path, answers: Mapping[str, tuple[Reply, ...]]) -> dict[str, list[Any]]:
    seen: dict[str, list[Any]] = {}
    for dialect, replies in answers.items():
        bench = Bench(folder / dialect)
        async with ModelServer(dialect, *replies) as server:  # type: ignore[arg-type]
            agent = await agent_for(bench, server)
            outcome = await within(agent.run_turn(user_message("Read a and b")), "the turn")
        assert outcome.reason == "done", outcome
        assert_valid(bench.session)
        seen[dialect] = transcript(bench)
        await bench.session.aclose()
    for dialect, rows in seen.items():
        assert rows == seen["chat"], dialect
    return seen


FAULTS: dict[str, tuple[Answer, bool]] = {
    "wrong key": (Refusal(401, {"error": {"message": f"Bad key {KEY}", "type": "authentication_error"}}), False),
    "unknown model": (Refusal(404, {"error": {"message": "No such model", "type": "not_found_error"}}), False),
    "rate limit": (Refusal(429, {"error": {"message": "Slow down", "type": "rate_limit_error"}}), True),
    "rate limit with a wish": (
        Refusal(429, {"error": {"message": "Slow down", "type": "rate_limit_error"}}, {"retry-after": "3"}),
        True,
    ),
    "server error": (Refusal(500, {"error": {"message": "Oops", "type": "api_error"}}), True),
    "reset at once": (Resets(LAST, -1), True),
    "reset in the middle": (Resets(FIRST, 700), True),
    "broken off": (Breaks(FIRST, 700), True),
    "ended too early": (Ends(FIRST, 700), True),
    "not UTF-8": (Raw(b"data: \xff\xfe\n\n"), False),
    "not JSON": (Raw(b"data: {oops\n\n"), False),
}


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_visible_and_bounded_and_the_session_goes_on(bench: Bench, dialect: Any, name: str) -> None:
    answer, passing = FAULTS[name]
    async with ModelServer(dialect, answer, LAST) as server:
        agent = await agent_for(bench, server)
        outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
        if passing:
            assert outcome.reason == "done", outcome
            assert len(bench.data("model/retry")) == len(bench.live_of(Retrying)) == 1
            assert bench.pauses.seconds == [3.0 if "wish" in name else 1.0]
        else:
            assert outcome.reason == "failed", outcome
            assert outcome.message
            assert bench.pauses.seconds == []
            assert (await within(agent.run_turn(user_message("Again")), "the next turn")).reason == "done"
    assert_valid(bench.session)
    assert bench.session.path is not None
    stored = bench.session.path.read_text()
    assert KEY not in stored
    assert KEY not in outcome.message + outcome.hint
    assert not any(KEY in repr(item) for item in bench.live)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_nobody_listening_is_told_after_bounded_attempts(bench: Bench, dialect: Any) -> None:
    async with ModelServer(dialect, LAST) as server:
        model = open_model(f"{server.provider}:m", base_url=f"http://127.0.0.1:{closed_port()}", api_key=KEY)
        agent = await bench.agent(model=model, retry=RetryPolicy(attempts=3, sleep=bench.pauses))
        outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
        assert outcome.reason == "failed"
        assert "no connection" in outcome.message
        assert "(3 attempts)" in outcome.message
        await agent.set_model(model_of(server))
        assert (await within(agent.run_turn(user_message("Again")), "the next turn")).reason == "done"


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_stream_that_never_ends_is_bounded(bench: Bench, dialect: Any) -> None:
    async with ModelServer(dialect, Endless(), LAST) as server:
        agent = await agent_for(bench, server, limits=AgentLimits(reply_size=500))
        outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
        assert outcome.reason == "failed"
        assert "stopped at 500 characters" in outcome.message
        await within(server.gone.wait(), "the end of the connection")
        assert (await within(agent.run_turn(user_message("Again")), "the next turn")).reason == "done"
    assert bench.data("assistant/message")[0]["stop_reason"] == "cut"
    assert_valid(bench.session)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_stream_that_falls_silent_is_a_timeout(bench: Bench, dialect: Any) -> None:
    async with ModelServer(dialect, LAST) as server:
        agent = await agent_for(bench, server)
        # The first request imports the libraries, which takes longer than the silence that is played.
        await within(agent.run_turn(user_message("Warm up")), "the first turn")
        server._answers = [Hangs(FIRST, 700), LAST]
        agent = await agent_for(bench, server, bench.session, limits=AgentLimits(reply_idle=0.4))
        outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
        assert outcome.reason == "done", outcome
    assert [data["kind"] for data in bench.data("model/retry")] == ["timeout"]


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_server_that_only_keeps_the_connection_alive_is_a_timeout(bench: Bench, dialect: Any) -> None:
    async with ModelServer(dialect, LAST) as server:
        agent = await agent_for(bench, server)
        await within(agent.run_turn(user_message("Warm up")), "the first turn")
        server._answers = [KeepsAlive(), KeepsAlive(), LAST]
        agent = await agent_for(bench, server, bench.session, limits=AgentLimits(reply_idle=0.3))
        outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
        assert outcome.reason == "done", outcome
    assert [data["kind"] for data in bench.data("model/retry")] == ["timeout", "timeout"]
    assert_valid(bench.session)


SLOW: dict[str, Answer] = {
    "silent": Hangs(LAST, 0),
    "kept alive": KeepsAlive(),
    "endless": Endless(),
    "stopped in mid-stream": Hangs(FIRST, 700),
}


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("name", SLOW)
async def test_a_slow_server_is_left_at_once(bench: Bench, dialect: Any, name: str) -> None:
    """Within 100 ms of the cancellation; the best of three, since a busy machine only ever adds to it."""
    loop = asyncio.get_running_loop()
    took: list[float] = []
    async with ModelServer(dialect, LAST) as server:
        agent = await agent_for(bench, server)
        await within(agent.run_turn(user_message("Warm up")), "the first turn")
        for number in range(3):
            asked = len(server.requests)
            server._answers = [SLOW[name], LAST]
            running = asyncio.create_task(agent.run_turn(user_message(f"Hello {number}")))
            await until(lambda asked=asked: len(server.requests) > asked, "the request")  # type: ignore[misc]
            start = loop.time()
            agent.cancel()
            assert (await within(running, "the cancelled turn")).reason == "cancelled"
            took.append(loop.time() - start)
        server._answers = [LAST]
        assert (await within(agent.run_turn(user_message("Go on")), "the next turn")).reason == "done"
    assert min(took) < 0.1, took
    assert_valid(bench.session)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_turn_cancelled_in_mid_stream_keeps_what_came(bench: Bench, dialect: Any) -> None:
    async with ModelServer(dialect, Hangs(FIRST, -100), LAST) as server:
        agent = await agent_for(bench, server)
        running = asyncio.create_task(agent.run_turn(user_message("Hello")))
        await until(lambda: "".join(item.text for item in bench.live_of(TextDelta)) == FIRST.text, "the text")
        agent.cancel()
        assert (await within(running, "the cancelled turn")).reason == "cancelled"
        await within(server.gone.wait(), "the end of the connection", 2)
        kept = bench.data("assistant/message")[0]
        assert kept["stop_reason"] == "cut"
        assert [block["text"] for block in kept["content"] if block["type"] == "text"] == [FIRST.text]
        assert_valid(bench.session)
        assert (await within(agent.run_turn(user_message("Go on")), "the next turn")).reason == "done"
    assert bench.live_of(ToolStarted) == []
    wire = server.requests[1].body.decode()
    assert FIRST.text in wire
    assert "Interrupted" in wire or "tool" not in "".join(block["type"] for block in kept["content"])


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_context_overflow_compacts_once(bench: Bench, dialect: Any) -> None:
    long = Reply(text="word " * 3000, piece=2000)
    words = {"messages": "prompt is too long: 9 tokens > 8 maximum"}.get(dialect, "maximum context length is 8 tokens")
    async with ModelServer(dialect, long) as server:
        agent = await agent_for(bench, server)
        for number in range(3):
            await within(agent.run_turn(user_message(f"Request {number}")), "a long turn")
        overflow = server.error(400, words, None, "invalid_request_error")
        server._answers = [overflow, Reply(text="What was said: words."), LAST]
        outcome = await within(agent.run_turn(user_message("Now this")), "the turn")
        assert outcome.reason == "done", outcome
        assert bench.data("compaction")[0]["summary"] == "What was said: words."
        assert "What was said: words." in server.requests[-1].body.decode()
        server._answers = [overflow]
        outcome = await within(agent.run_turn(user_message("And this")), "the turn that does not fit")
        assert outcome.reason == "failed"
        server._answers = [LAST]
        assert (await within(agent.run_turn(user_message("Go on")), "the last turn")).reason == "done"
    assert_valid(bench.session)


async def test_models_can_be_switched_in_mid_session(bench: Bench) -> None:
    async with (
        ModelServer("messages", FIRST, LAST) as one,
        ModelServer("responses", FIRST, LAST) as two,
        ModelServer("chat", LAST) as three,
    ):
        agent = await agent_for(bench, one)
        await within(agent.run_turn(user_message("First")), "the first turn")
        await agent.set_model(model_of(two))
        await within(agent.run_turn(user_message("Second")), "the second turn")
        await agent.set_model(model_of(three))
        outcome = await within(agent.run_turn(user_message("Third")), "the third turn")
    assert outcome.reason == "done", outcome
    wire = three.requests[0].body.decode()
    assert [text in wire for text in ("First", "Second", "Third", "text of a")] == [True] * 4
    assert "sig-0" not in two.requests[0].body.decode()
    assert len(bench.data("model/change")) == 2
    assert_valid(bench.session)
