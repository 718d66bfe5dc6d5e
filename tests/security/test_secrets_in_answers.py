"""A server that says the key back, wherever in its answer: neither the log, nor the screen, nor an error says it on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from app.crash import short_words, write_story
from skills_core.agent import Agent, secret_text
from skills_core.agent.live import LiveItem, Retrying
from skills_core.agent.model import ModelError, ModelReply, TextDelta, ThinkingDelta, ToolCallDelta
from skills_core.agent.retry import RetryPolicy
from skills_core.session import Session
from skills_core.session.event import user_message
from tests.core.models.conftest import one_authority
from tests.core.models.support import FORMATS, failure
from tests.security.echo_server import (
    KEY,
    VARIABLES,
    EchoServer,
    Says,
    assert_untold,
    fails_midway,
    on_disk,
    says,
    stops_before,
)
from tests.security.support import DEADLINE, Machine, skill
from tests.support.model_server import Reply

__all__ = ["one_authority"]

ECHO = Reply(
    thinking=f"They gave me {KEY}.",
    text=f"Your key is {KEY}, is it not?",
    calls=(("list", json.dumps({"path": KEY})), (KEY, "{}")),
    piece=9,
)
HEADERS = {
    "x_request_id": "{key}",
    "request_id": "{key}",
    "retry_after": "0",
    "www_authenticate": "Bearer {key}",
    "set_cookie": "key={key}",
    "x_ratelimit_reset_requests": "{key}",
    "openai_organization": "{key}",
    "server": "{key}",
}


class Talk:
    """A conversation with a server: the agent, and everything that it told its subscribers."""

    def __init__(self, agent: Agent, session: Session) -> None:
        self.agent = agent
        self.session = session
        self.items: list[LiveItem] = []
        agent.subscribe(self.items.append)

    async def say(self, text: str = "hello") -> str:
        outcome = await asyncio.wait_for(self.agent.run_turn(user_message(text)), DEADLINE)
        assert_untold(f"{outcome.message} {outcome.hint}")
        return outcome.reason

    def told(self, kind: type[TextDelta] | type[ThinkingDelta]) -> str:
        return "".join(item.text for item in self.items if isinstance(item, kind))


@asynccontextmanager
async def talk(machine: Machine, server: EchoServer) -> AsyncIterator[Talk]:
    async with machine.runtime() as runtime:
        session = await runtime.store.create(runtime.cwd)
        model = server.model()
        agent = runtime.agent_for(session, machine.person, model)
        agent._ports = _soon(agent._ports)
        talk = Talk(agent, session)
        try:
            yield talk
        finally:
            await agent.aclose()
            await model.aclose()
            await session.aclose()
    assert any(KEY in request for request in server.requests), "the server was given the key"
    assert_untold(on_disk(machine.state))
    assert_untold(repr(talk.items))


def _soon(ports: Any) -> Any:
    return replace(ports, retry=RetryPolicy(first_delay=0.0))


@pytest.fixture(autouse=True)
def keys_of_the_environment(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_text, "_remembered", set())
    for name in VARIABLES:
        monkeypatch.setenv(name, KEY)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_reply_that_says_the_key_in_pieces(machine: Machine, dialect: Any) -> None:
    whole = Reply(text=f"All of it: {KEY}", piece=999)
    async with EchoServer(dialect, says(dialect, ECHO, **HEADERS), says(dialect, whole, **HEADERS)) as server:
        async with talk(machine, server) as told:
            assert await told.say(f"Is {KEY} my key?") == "done"
        assert told.told(TextDelta) == "Your key is [secret], is it not?All of it: [secret]"
        assert told.told(ThinkingDelta) == "They gave me [secret]."
        assert_untold("".join(item.arguments for item in told.items if isinstance(item, ToolCallDelta)))
        replies = [item for item in told.items if isinstance(item, ModelReply)]
        calls = [block for block in replies[0].content if block["type"] == "tool_call"]
        assert [call["name"] for call in calls] == ["list", "[secret]"]
        assert calls[0]["arguments"] == {"path": "[secret]"}
        # What the model gets back is what is in the log, and what the person pasted went nowhere either.
        bodies = [request.partition("\r\n\r\n")[2] for request in server.requests]
        assert "Is [secret] my key?" in bodies[0]
        assert "Your key is [secret], is it not?" in bodies[1]
        assert_untold("".join(bodies))


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_stream_that_breaks_off_in_the_key(machine: Machine, dialect: Any) -> None:
    reply = Reply(text=f"The key is {KEY}", piece=len(KEY))
    async with EchoServer(dialect, stops_before(dialect, reply, KEY[-11:])) as server, talk(machine, server) as told:
        assert await told.say() == "failed"
    assert "The key is [secret]" in told.told(TextDelta)
    assert KEY[:6] not in told.told(TextDelta) + on_disk(machine.state)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_an_error_in_the_middle_of_a_stream(machine: Machine, dialect: Any) -> None:
    words = "the key {key} (Bearer {key}) is no good"
    broken = fails_midway(dialect, Reply(text="A reply of some length.", piece=5), words)
    async with EchoServer(dialect, broken) as server:
        async with talk(machine, server) as told:
            assert await told.say() == "failed"
        retries = [item.message for item in told.items if isinstance(item, Retrying)]
        assert retries
        assert all("[secret]" in message for message in retries)


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_an_error_with_the_key_in_headers_and_body(machine: Machine, dialect: Any, status: int) -> None:
    said = {"type": "error", "message": "key {key} refused", "code": "{key}", "param": "{key}", "status": "{key}"}
    named = {name.replace("_", "-"): value for name, value in HEADERS.items()}
    body = json.dumps({"type": "error", "error": said}).encode()
    answer = Says(body, status, {**named, "content-type": "application/json"})
    async with EchoServer(dialect, answer) as server:
        model = server.model()
        error = await failure(model)
        with pytest.raises(ModelError) as listing:
            await model.offered()
        await model.aclose()
        assert any(KEY in request for request in server.requests)
    for each in (error, listing.value):
        assert_untold(f"{each.message} {each.hint} {short_words(each)} {short_words(each.__cause__ or each)}")
        write_story(machine.state, each)
    assert "[secret]" in error.message
    assert "Traceback" in on_disk(machine.state)
    assert_untold(on_disk(machine.state))


@pytest.mark.parametrize("dialect", FORMATS)
async def test_the_names_of_models_that_a_server_offers(dialect: Any) -> None:
    entry = {"id": "one-{key}", "object": "model", "type": "model", "display_name": "{key}", "created": 1}
    names = {"object": "list", "data": [entry], "models": [{"name": "models/one-{key}"}], "has_more": False}
    listing = Says(json.dumps(names).encode(), headers={"content-type": "application/json"})
    async with EchoServer(dialect, listing) as server:
        model = server.model()
        assert await model.offered() == ("one-[secret]",)
        await model.aclose()


async def test_a_skill_that_names_the_key_is_published_once(machine: Machine) -> None:
    skill(machine.user_skills, "spender", f"Spends {KEY}.")
    async with EchoServer("chat", says("chat", Reply(text="Fine."))) as server, machine.runtime() as runtime:
        session = await runtime.store.create(runtime.cwd)
        model = server.model()
        told = Talk(runtime.agent_for(session, machine.person, model), session)
        assert [await told.say("one"), await told.say("two")] == ["done", "done"]
        assert len(session.of_source("skill-catalog")) == 1
        await told.agent.aclose()
        await model.aclose()
        await session.aclose()
