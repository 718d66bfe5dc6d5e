"""A server that sends requests on: to itself it may, to no other, and a key in the new address is told nowhere."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

import pytest

from app.crash import short_words, write_story
from skills_core.agent import secret_text
from skills_core.agent.model import ModelError
from skills_core.session.event import text_block
from skills_core.session.message import UserMessage
from tests.core.models.conftest import one_authority
from tests.core.models.support import FORMATS, collect, failure, request
from tests.security.echo_server import KEY, EchoServer, Says, assert_untold, on_disk, says
from tests.security.support import DEADLINE, Machine
from tests.support.model_server import Reply

__all__ = ["one_authority"]

WORDS = "the words of the conversation"
ASKED = request(UserMessage((text_block(WORDS),)))
FINE = Reply(text="Fine.")


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_text, "_remembered", set())


async def refused(machine: Machine, server: EchoServer, *, listing: bool = False) -> ModelError:
    model = server.model()
    try:
        async with asyncio.timeout(DEADLINE):
            if listing:
                with pytest.raises(ModelError) as caught:
                    await model.offered()
                error = caught.value
            else:
                error = await failure(model)
    finally:
        await model.aclose()
    told = f"{error.message} {error.hint} {short_words(error)} {short_words(error.__cause__ or error)}"
    write_story(machine.state, error)
    for secret in (KEY, quote(KEY, safe=""), KEY.lower()):
        assert_untold(told, secret)
        assert_untold(on_disk(machine.state), secret)
    return error


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("listing", [False, True])
async def test_another_server_gets_nothing(machine: Machine, dialect: Any, status: int, listing: bool) -> None:
    async with EchoServer(dialect, says(dialect, FINE)) as other:
        there = f"http://127.0.0.1:{other.port}/v1/{{key}}?key={{key}}"
        async with EchoServer(dialect, Says(status=status, headers={"location": there})) as server:
            error = await refused(machine, server, listing=listing)
            assert len(server.requests) == 1
            assert KEY in server.requests[0]
        assert other.requests == []
    assert (error.kind, error.retryable) == ("refused-request", False)
    assert there.partition("/v1")[0] + ";" in error.message
    assert "base_url" in error.hint


@pytest.mark.parametrize("dialect", ["chat", "messages"])
@pytest.mark.parametrize(
    "location",
    [
        "http://{key}.localhost/v1",
        "http://ada:{key}@localhost:1/",
        "//localhost:1/{key}",
        "http://{key}@127.0.0.1:1/?{key}#{key}",
        "https://127.0.0.1:1/{key}",
        "ftp://localhost/{key}",
    ],
)
async def test_no_address_of_another_server_says_the_key(machine: Machine, dialect: Any, location: str) -> None:
    # As a server has to write it where the slash of the key would end the name.
    location = location.replace("{key}", KEY.replace("/", "-").replace("+", "-"))
    async with EchoServer(dialect, Says(status=307, headers={"location": location})) as server:
        model = server.model(KEY.replace("/", "-").replace("+", "-"))
        error = await asyncio.wait_for(failure(model), DEADLINE)
        await model.aclose()
        assert len(server.requests) == 1
    assert not error.retryable
    assert "another server" in error.message
    for secret in (KEY.replace("/", "-").replace("+", "-"), KEY.replace("/", "-").replace("+", "-").lower()):
        assert_untold(f"{error.message} {error.hint}", secret)


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("key", ["{key}", quote(KEY, safe="")])
async def test_the_same_server_may_send_a_request_on_within_it(machine: Machine, dialect: Any, key: str) -> None:
    onward = Says(status=307, headers={"location": f"/elsewhere/{key}?key={key}"})
    async with EchoServer(dialect, onward, says(dialect, FINE), onward) as server:
        model = server.model()
        async with asyncio.timeout(DEADLINE):
            _, reply = await collect(model, ASKED)
        assert [block["text"] for block in reply.content] == ["Fine."]
        assert len(server.requests) == 2
        assert "/elsewhere/" in server.requests[1].partition("\r\n")[0]
        assert WORDS in server.requests[1]
        await model.aclose()
        error = await refused(machine, server)
        assert len(server.requests) > 10, "it was sent on again and again"
    assert error.message


@pytest.mark.parametrize("dialect", ["chat", "messages"])
@pytest.mark.parametrize("location", ["http://[::{key}", "http://127.0.0.1:{key}/", "\x01{key}"])
async def test_a_new_address_that_is_none(machine: Machine, dialect: Any, location: str) -> None:
    async with EchoServer(dialect, Says(status=307, headers={"location": location})) as server:
        await refused(machine, server)
        assert len(server.requests) == 1
