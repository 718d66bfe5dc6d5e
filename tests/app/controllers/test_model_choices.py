"""Which models can be chosen, and what real servers say they offer."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from app.controllers import model_choices as choices_module
from app.controllers.model_choices import (
    ModelChoice,
    Offer,
    ask_offered,
    model_choices,
    provider_states,
    providers_to_ask,
    readiness_words,
    with_offers,
)
from skills_core.agent.model import Model
from skills_core.agent.models import open_model
from tests.core.models.support import FORMATS, KEY
from tests.support.model_server import ModelServer, Reply, closed_port

ENVIRONMENT = {"OPENAI_API_KEY": KEY, "GEMINI_API_KEY": " ", "HOME": "/"}


@pytest.fixture
def all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices_module, "missing_package", lambda provider: None)


@pytest.mark.usefixtures("all_installed")
def test_providers_by_their_keys_without_showing_them() -> None:
    states = {state.prefix: state for state in provider_states({"deepseek": "SKILLDECK_API_KEY"}, ENVIRONMENT)}
    assert (states["openai"].readiness, states["openai"].key) == ("ready", "OPENAI_API_KEY")
    assert (states["google"].readiness, states["google"].note) == ("no-key", "GOOGLE_API_KEY is not set")
    assert (states["ollama"].readiness, states["ollama"].key) == ("ready", None)
    assert states["deepseek"].key == "SKILLDECK_API_KEY"
    assert KEY not in repr(states)
    assert readiness_words(states.values()) == (
        "ready: openai (OPENAI_API_KEY), openai-responses (OPENAI_API_KEY), ollama, deepseek (SKILLDECK_API_KEY);"
        " without a key: anthropic, google, openrouter"
    )
    assert providers_to_ask(states.values(), ["ollama:qwen3"], has_address=False) == ("openai", "ollama", "deepseek")
    assert providers_to_ask(provider_states({}, {}), ["offline"], has_address=True) == ("openai",)
    assert providers_to_ask(provider_states({}, {}), ["offline"], has_address=False) == ()


def test_a_missing_package_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices_module, "missing_package", lambda provider: provider.package)
    state = provider_states({}, ENVIRONMENT)[0]
    assert (state.readiness, state.key) == ("not-installed", None)
    assert "[openai]" in state.note
    assert providers_to_ask([state], ["openai:m"], has_address=True) == ()


@pytest.mark.usefixtures("all_installed")
def test_what_is_configured_and_in_use() -> None:
    states = provider_states({}, ENVIRONMENT)
    found = model_choices("openai:gpt-5", "anthropic:x", ["openai:gpt-5", "ollama:q", "anthropic:x"], states)
    assert found == (
        ModelChoice("openai:gpt-5", "in use"),
        ModelChoice("anthropic:x", "configured, ANTHROPIC_API_KEY is not set", ready=False),
        ModelChoice("ollama:q", "used in this session"),
        ModelChoice("offline", "no key, no network"),
    )
    found = model_choices("offline", "offline", [], states)
    assert found == (ModelChoice("offline", "in use, configured, no key, no network"),)


def test_offers_come_behind_and_mark_what_is_there() -> None:
    offers = [Offer("openai", ("openai:a", "openai:gpt-5")), Offer("ollama", error="no")]
    found = with_offers([ModelChoice("openai:gpt-5", "in use")], offers)
    assert found == (ModelChoice("openai:gpt-5", "in use, offered"), ModelChoice("openai:a", "offered by OpenAI"))


def opener(server: ModelServer | None, address: str = "") -> Any:
    async def opened(name: str) -> Model:
        return open_model(name, base_url=server.base_url if server else address, api_key=KEY)

    return opened


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_server_is_asked_and_nothing_is_generated(dialect: Any) -> None:
    async with ModelServer(dialect, Reply(text="x"), models=("b", "a\x1b[2J")) as server:
        (offer,) = await ask_offered([server.provider], opener(server), 20)
    assert offer == Offer(server.provider, (f"{server.provider}:a␛[2J", f"{server.provider}:b"))
    assert server.requests == []


async def test_a_server_that_does_not_answer_is_bounded_and_told() -> None:
    taken: list[asyncio.StreamWriter] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(writer)
        await reader.read()

    # The client's library is imported by the first request, which takes longer than the server is given.
    await ask_offered(["openai"], opener(None, f"http://127.0.0.1:{closed_port()}/v1"), 20)
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        start = time.monotonic()
        (offer,) = await ask_offered(["openai"], opener(None, f"http://127.0.0.1:{port}/v1"), 0.5)
        assert time.monotonic() - start < 5
        assert taken
    finally:
        server.close()
        for writer in taken:
            writer.close()
    assert offer == Offer("openai", error="OpenAI did not say within 0.5 seconds what it offers.")


async def test_a_refused_key_is_told_without_the_key() -> None:
    async with ModelServer("chat", Reply(text="x")) as server:
        server.refuse_listing = f"Bad key {KEY}"
        (offer,) = await ask_offered(["openai"], opener(server), 20)
    assert offer.names == ()
    assert "does not say what it offers" in offer.error
    assert KEY not in offer.error
    (offer,) = await ask_offered(["openai"], opener(None, f"http://127.0.0.1:{closed_port()}/v1"), 20)
    assert "no connection" in offer.error
