"""What goes wrong on the wire is one clear error of the right kind, without secrets."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from skills_core.agent.model import ModelError
from skills_core.agent.models import open_model
from tests.core.models.support import FORMATS, GOOGLE, KEY, failure, model_of, request
from tests.support.model_server import (
    Breaks,
    Endless,
    Ends,
    ModelServer,
    Raw,
    Refusal,
    Reply,
    Resets,
    closed_port,
)

REPLY = Reply(text="A reply of some length, in pieces.", calls=(("read", '{"path": "a.txt"}'),))


async def fault(dialect: Any, make: Any) -> ModelError:
    async with ModelServer(dialect, REPLY) as server:
        server._answers = [make(server)]
        model = model_of(server)
        error = await asyncio.wait_for(failure(model), 30)
        assert len(server.requests) == 1, "requests are repeated by the agent alone"
        await model.aclose()
    for text in (error.message, error.hint):
        assert "\n" not in text
        assert KEY not in text
    assert error.message
    return error


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_wrong_key(dialect: Any) -> None:
    words = f"Incorrect API key provided: {KEY}."
    error = await fault(dialect, lambda s: s.error(401, words, "invalid_api_key", "authentication_error"))
    assert error.kind == "authentication"
    assert not error.retryable
    assert "[secret]" in error.message
    assert "Check the key" in error.hint


@pytest.mark.parametrize("dialect", FORMATS)
async def test_an_unknown_model(dialect: Any) -> None:
    error = await fault(dialect, lambda s: s.error(404, "No such model.", "model_not_found", "not_found_error"))
    assert error.kind == "unknown-model"
    assert "`test-model`" in error.message
    assert "Check the model's name" in error.hint


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize(("headers", "wish"), [({}, None), ({"retry_after": "7"}, 7.0)])
async def test_a_rate_limit_with_and_without_a_wish(dialect: Any, headers: dict[str, str], wish: float | None) -> None:
    error = await fault(dialect, lambda s: s.error(429, "Slow down.", None, "rate_limit_error", **headers))
    assert (error.kind, error.retry_after, error.retryable) == ("rate-limit", wish, True)


async def test_an_exhausted_quota_is_not_tried_again() -> None:
    error = await fault("chat", lambda s: s.error(429, "No credit.", "insufficient_quota", "insufficient_quota"))
    assert (error.kind, error.retryable) == ("refused-request", False)


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("status", [500, 502, 503, 529])
async def test_a_server_in_trouble(dialect: Any, status: int) -> None:
    error = await fault(dialect, lambda s: Refusal(status, "<html><body>Bad gateway</body></html>"))
    assert (error.kind, error.retryable) == ("overloaded", True)
    assert "<html" not in error.message


@pytest.mark.parametrize(
    ("dialect", "words", "code"),
    [
        ("chat", "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        ("chat", "the request exceeds the available context size (4096 tokens)", None),
        ("responses", "Your input exceeds the context window of this model.", "context_length_exceeded"),
        ("messages", "prompt is too long: 210000 tokens > 200000 maximum", None),
    ],
)
async def test_a_context_overflow(dialect: Any, words: str, code: str | None) -> None:
    error = await fault(dialect, lambda s: s.error(400, words, code, "invalid_request_error"))
    assert error.kind == "context-overflow"
    assert "/compact" in error.hint


@pytest.mark.parametrize("dialect", FORMATS)
async def test_another_refusal(dialect: Any) -> None:
    error = await fault(dialect, lambda s: s.error(400, "Unsupported parameter.", None, "invalid_request_error"))
    assert error.kind == "refused-request"
    assert "Unsupported parameter." in error.message


@pytest.mark.parametrize("dialect", FORMATS)
async def test_nobody_listens(dialect: Any) -> None:
    async with ModelServer(dialect, REPLY) as server:
        address = f"http://127.0.0.1:{closed_port()}"
        model = open_model(f"{server.provider}:test-model", base_url=address, api_key=KEY)
        error = await asyncio.wait_for(failure(model), 30)
    assert (error.kind, error.retryable) == ("connection", True)
    assert address in error.message


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize(
    ("way", "after"),
    [(Resets, -1), *((way, after) for way in (Resets, Breaks) for after in (0, 300, 900))],
)
async def test_a_connection_that_breaks(dialect: Any, way: Any, after: int) -> None:
    error = await fault(dialect, lambda s: way(REPLY, after))
    assert (error.kind, error.retryable) == ("connection", True)


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.8])
async def test_a_stream_that_ends_too_early_is_no_whole_reply(dialect: Any, part: float) -> None:
    error = await fault(dialect, lambda s: Ends(REPLY, int(s.size(REPLY) * part)))
    assert error.kind in ("connection", "bad-response")
    if part > 0.2:
        assert error.kind == "connection"
        assert "broke off" in error.message


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize(
    "data",
    [
        b"data: {not json}\n\n",
        b"data: \xff\xfe\xff\n\n",
        b"\xff\xfe\x00\x01" * 100,
        b"<html><body>Welcome to the hotel's network</body></html>",
        b"",
        b'data: {"choices": "x"}\n\n',
        b"data: [1, 2]\n\n",
        b"data: null\n\n",
    ],
)
async def test_content_that_is_no_reply(dialect: Any, data: bytes) -> None:
    error = await fault(dialect, lambda s: Raw(data))
    assert error.kind in ("bad-response", "connection", "other")
    assert "\ufffd" not in error.message or len(error.message) < 500


@pytest.mark.parametrize("dialect", FORMATS)
async def test_an_error_inside_the_stream(dialect: Any) -> None:
    events = {
        "chat": b'data: {"error": {"message": "Overloaded", "type": "server_error", "code": "server_error"}}\n\n',
        "responses": b'event: error\ndata: {"type": "error", "code": "server_error", "message": "Overloaded",'
        b' "param": null, "sequence_number": 1}\n\n',
        "gemini": b'data: {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}\n\n',
        "messages": b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error",'
        b' "message": "Overloaded"}}\n\n',
    }
    error = await fault(dialect, lambda s: Raw(events[dialect]))
    assert (error.kind, error.retryable) == ("overloaded", True)


@GOOGLE
@pytest.mark.parametrize(
    ("stop", "said"),
    [
        ("MALFORMED_FUNCTION_CALL", "call of a tool was malformed"),
        ("UNEXPECTED_TOOL_CALL", "call of a tool was malformed"),
        ("LANGUAGE", "gave the reply up (LANGUAGE)"),
    ],
)
async def test_a_reply_that_the_server_itself_gave_up_is_no_whole_one(stop: str, said: str) -> None:
    error = await fault("gemini", lambda s: Reply(text="I read it.", stop=stop))
    assert (error.kind, error.retryable) == ("bad-response", False)
    assert said in error.message
    assert "Ask again" in error.hint


async def test_a_response_that_failed_without_a_word_is_no_whole_one() -> None:
    failed = {"id": "r", "object": "response", "created_at": 1, "status": "failed", "error": None, "model": "m"}
    failed |= {"output": [], "tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
    data = json.dumps({"type": "response.failed", "sequence_number": 1, "response": failed})
    error = await fault("responses", lambda s: Raw(f"event: response.failed\ndata: {data}\n\n".encode()))
    assert (error.kind, error.retryable) == ("bad-response", False)
    assert "gave the reply up (failed)" in error.message


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_stream_without_end_can_be_left(dialect: Any) -> None:
    async with ModelServer(dialect, Endless()) as server:
        model = model_of(server)
        stream = model.stream(request())
        for _ in range(20):
            await asyncio.wait_for(anext(stream), 20)
        await asyncio.wait_for(stream.aclose(), 5)  # type: ignore[attr-defined]
        await asyncio.wait_for(server.gone.wait(), 20)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_the_key_is_in_no_log_record(dialect: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await fault(dialect, lambda s: s.error(401, f"Bad key {KEY}", "invalid_api_key", "authentication_error"))
    ours = [record for record in caplog.records if record.name.startswith(("skills_core", "app"))]
    assert not any(KEY in record.getMessage() for record in ours)


async def test_a_password_in_an_address_is_not_told() -> None:
    address = f"http://ada:canary-password@127.0.0.1:{closed_port()}/v1"
    error = await asyncio.wait_for(failure(open_model("openai:m", base_url=address, api_key=KEY)), 30)
    assert error.kind == "connection"
    assert "127.0.0.1" in error.message
    assert "canary" not in error.message + error.hint
    with pytest.raises(ModelError) as caught:
        open_model("openai:m", base_url="ftp://ada:canary-password@host/x", api_key=KEY)
    assert "canary" not in caught.value.message
