"""A failed request in words, in each format: sentences that end, of a person, and never without a way on."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from typing import Any

import pytest

from skills_core.agent.model import ModelError
from skills_core.agent.models import open_model
from skills_core.agent.models.real.faults import to_model_error
from tests.core.models.support import FORMATS, KEY, failure, model_of
from tests.support.model_server import Answer, Breaks, Ends, ModelServer, Raw, Refusal, Reply, Resets, closed_port

REPLY = Reply(text="A reply of some length, in pieces.")
NO_ONES_WORDS = re.compile(r"Errno|Error|Exception|codec|object has no|\bto The\b|</?\w+>|\{\"|\(char|None|\.\.$|\w$")
ANSWERS: dict[str, Answer] = {
    "401": Refusal(401, ""),
    "403": Refusal(403, ""),
    "404": Refusal(404, "<html><body>Not found</body></html>"),
    "400": Refusal(400, "no JSON"),
    "429": Refusal(429, "Slow down"),
    "500": Refusal(500, "<!doctype html><html></html>"),
    "reset before": Resets(REPLY, -1),
    "reset inside": Resets(REPLY, 300),
    "closed inside": Breaks(REPLY, 300),
    "ended inside": Ends(REPLY, 300),
    "not JSON": Raw(b"data: {not json}\n\n"),
    "not UTF-8": Raw(b"\xff\xfe\x00\x01" * 100),
    "a page": Raw(b"<html></html>", "text/html"),
    "nothing": Raw(b""),
    "a list": Raw(b"data: [1, 2]\n\n"),
    "null": Raw(b"data: null\n\n"),
}


@pytest.mark.parametrize("dialect", FORMATS)
async def test_whatever_comes_is_told_in_sentences(dialect: Any) -> None:
    async with ModelServer(dialect, REPLY) as server:
        model = model_of(server)
        for name, answer in ANSWERS.items():
            server._answers = [answer]
            error = await failure(model)
            for text in (error.message, error.hint):
                assert text, name
                assert not NO_ONES_WORDS.search(text), f"{name}: {text}"
        await model.aclose()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("dialect", FORMATS)
async def test_why_there_is_no_connection(dialect: Any, host: str) -> None:
    async with ModelServer(dialect, REPLY) as server:
        provider = server.provider
    error = await failure(open_model(f"{provider}:m", base_url=f"http://{host}:{closed_port()}/v1", api_key=KEY))
    assert error.message.endswith("/v1: nothing listens there.")
    assert error.hint == "Check the address, and that the server runs."


def told(error: Exception, **facts: Any) -> ModelError:
    values = {"prefix": "openai", "model": "m", "base_url": "https://host/v1", "api_key": KEY, **facts}
    return to_model_error(error, **values)


def caused(cause: Exception) -> Exception:
    from pydantic_ai.exceptions import ModelConnectionError

    error = ModelConnectionError("m", "Connection error.")
    error.__cause__ = cause
    return error


def test_reasons_of_the_system_are_words() -> None:
    unknown = ssl.SSLCertVerificationError(1, "certificate verify failed")
    unknown.verify_message = "self-signed certificate"
    assert told(caused(unknown)).message == (
        "There is no connection to the server at https://host/v1: its certificate is not accepted"
        " (self-signed certificate)."
    )
    assert "no encrypted connection" in told(caused(ssl.SSLError(1, "WRONG_VERSION_NUMBER"))).message
    assert "its name cannot be looked up." in told(caused(socket.gaierror(-2, "Name or service not known"))).message
    assert "the network cannot be reached." in told(caused(OSError(errno.ENETUNREACH, "x"))).message
    lost = told(caused(BrokenPipeError(errno.EPIPE, "Broken pipe")), base_url=None)
    assert lost.message == "The connection to OpenAI was lost: the server reset it."
    assert told(caused(OSError("something of its own"))).message.endswith(": something of its own.")


async def test_where_the_key_comes_from_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "MY_OWN_KEY"):
        monkeypatch.delenv(name, raising=False)
    async with ModelServer("chat", REPLY) as server:

        async def refused(status: int = 401, key: str | None = KEY) -> ModelError:
            server._answers = [Refusal(status, "")]
            return await failure(open_model("openai:m", base_url=server.base_url, api_key=key))

        assert (await refused()).hint == "Check the key that the settings give for it."
        without = await refused(key=None)
        assert without.message == "The server wants a key: status 401."
        assert without.hint == "Set OPENAI_API_KEY in the environment."
        monkeypatch.setenv("MY_OWN_KEY", KEY)
        assert (await refused()).hint == "Check MY_OWN_KEY in the environment."
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert (await refused(key=None)).hint == "Check OPENAI_API_KEY in the environment."
        denied = await refused(403)
        assert denied.message == "The server refused access: status 403."
        assert denied.hint == "See that the account may use this model. Check OPENAI_API_KEY in the environment."
