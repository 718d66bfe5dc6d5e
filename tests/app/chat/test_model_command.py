"""`/model` and `/why` on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.screens.picker import PickerScreen
from skills_core.agent.model import Model
from skills_core.agent.models import open_model
from skills_core.session.event import MODEL_CHANGE
from tests.app.support import Deck, skill
from tests.core.models.support import KEY
from tests.support.model_server import ModelServer, Reply

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*KEYS, "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def at(deck: Deck, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def opened(name: str | None = None) -> Model:
        if name in (None, "offline"):
            return open_model("offline")
        return open_model(name, base_url=server.base_url)  # type: ignore[arg-type]

    monkeypatch.setattr(deck.runtime, "open_model", opened)


async def enter(deck: Deck, pilot: Any, text: str) -> None:
    deck.chat.composer.insert(text)
    await pilot.press("escape")
    await pilot.press("enter")


async def test_what_a_server_offers_is_listed_and_can_be_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with ModelServer("chat", Reply(text="Hello there."), models=("gpt-next", "gpt-old")) as server:
        at(deck, server, monkeypatch)
        async with deck.app.run_test(size=(100, 30)) as pilot:
            await deck.ready()
            await enter(deck, pilot, "/model")
            await deck.until(lambda: isinstance(deck.app.screen, PickerScreen), "the list")
            assert "offline" in deck.text()
            await deck.until(lambda: "openai:gpt-next" in deck.text(), "what the server offers", 20)
            assert "offered by OpenAI" in deck.text()
            assert KEY not in deck.text()
            await pilot.press(*"old", "enter")
            await deck.until(lambda: deck.chat.session.model_name == "openai:gpt-old", "the other model")
            conversation = deck.chat.session.conversation
            assert conversation is not None
            assert conversation.session is not None
            changes = [event.data for event in conversation.session.events if event.type == MODEL_CHANGE]
            assert changes == [{"model": "openai:gpt-old"}]
            deck.chat.composer.insert("hello")
            await pilot.press("enter")
            await deck.until(lambda: "150 tokens" in deck.text(), "the tokens", 20)
        assert server.requests[0].json["model"] == "gpt-old"


async def test_a_server_that_refuses_is_told_in_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with ModelServer("chat", Reply(text="x")) as server:
        server.refuse_listing = f"[/b] Bad key {KEY}"
        at(deck, server, monkeypatch)
        async with deck.app.run_test(size=(160, 30)) as pilot:
            await deck.ready()
            await enter(deck, pilot, "/model")
            await deck.until(lambda: "does not say what it offers" in deck.text(), "the refusal", 20)
            assert KEY not in deck.text()
            await pilot.press("escape")
            assert deck.app.screen is deck.chat


async def test_a_model_that_cannot_be_opened_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with ModelServer("chat", Reply(text="x")) as server:
        at(deck, server, monkeypatch)
        async with deck.app.run_test(size=(160, 30)) as pilot:
            await deck.ready()
            before = deck.chat.session.model_name
            await enter(deck, pilot, "/model anthropic:")
            await deck.until(lambda: "names no model" in deck.text(), "the refusal")
            assert deck.chat.session.model_name == before


async def test_why_shows_the_verdict_and_the_scores(tmp_path: Path) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=(120, 30)) as pilot:
        await deck.ready()
        deck.runtime.shelf.put(skill("hem", "Hems shirts and towels."), skill("iron", "Irons collars."))
        await deck.until(lambda: deck.chat.session.skill_view.skill_count == 2, "the skills")
        await enter(deck, pilot, "/why hem my towels")
        await deck.until(lambda: "Of 2 skills, hem fits best." in deck.text(), "the verdict")
        assert "A skill fits from 0.60" in deck.text()
