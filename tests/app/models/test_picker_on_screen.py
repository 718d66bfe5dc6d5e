"""The list of `/model` is there at once and usable whatever the servers do; their late answers move nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.controllers.model_choices import ask_offered
from app.screens import model_picker
from app.screens.picker import PickerScreen
from app.widgets.lines_view import LinesView
from skills_core.agent.model import Model
from skills_core.agent.models import open_model
from tests.app.models.support import PATIENCE, Beside, HeldServer, beside
from tests.core.models.support import KEY

CONFIGURED = "openai:gpt-mine"
MANY = tuple(f"gpt-{number:02}" for number in range(60))


@asynccontextmanager
async def listing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    offered: tuple[str, ...] = ("gpt-late", "gpt-mine"),
    seconds: float = 60.0,
) -> AsyncIterator[tuple[Beside, HeldServer]]:
    """The list of `/model`, open, beside two servers that have not said yet what they offer.

    They may take ``seconds``.
    """
    monkeypatch.setattr(model_picker, "ask_offered", partial(ask_offered, seconds=seconds))
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    async with beside(tmp_path, model=CONFIGURED) as at, HeldServer(models=("qwen",)) as second:
        await second.listen()
        at.server.offers(*offered)

        async def opened(name: str | None = None) -> Model:
            if name is None or name == "offline":
                return open_model("offline")
            address = second.base_url if name.startswith("ollama:") else at.server.base_url
            return open_model(name, base_url=address)

        monkeypatch.setattr(at.deck.runtime, "open_model", opened)
        at.deck.chat.composer.insert("/model")
        at.deck.chat.completion.dismiss()
        await at.strike("enter")
        await at.deck.until(lambda: isinstance(at.deck.app.screen, PickerScreen), "the list", PATIENCE)
        await at.see("Asking openai, ollama …")
        await at.deck.until(lambda: at.server.listings and second.listings, "both servers to be asked", PATIENCE)
        yield at, second


def choices(at: Beside) -> LinesView:
    return at.deck.app.screen.query_one("#choices", LinesView)


def cursor(at: Beside) -> tuple[str, int]:
    """The name that the cursor is on, and the line of the screen on which it is seen."""
    target: Any = choices(at).target
    lines = at.deck.text().split("\n")
    return target.value, next((y for y, line in enumerate(lines) if f"▌ {target.value}" in line), -1)


async def on(at: Beside, name: str) -> None:
    try:
        await at.deck.until(lambda: cursor(at)[0] == name and cursor(at)[1] >= 0, "the cursor", PATIENCE)
    except AssertionError as error:
        raise AssertionError(f"the cursor is at {cursor(at)} and not on {name}:\n{at.deck.text()}") from error


async def test_it_lists_what_is_configured_and_takes_a_choice_of_a_server_that_never_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listing(tmp_path, monkeypatch) as (at, _):
        assert "openai:test-model in use" in at.shown()
        assert f"{CONFIGURED} configured" in at.shown()
        assert "offline no key, no network" in at.shown()
        await on(at, "openai:test-model")
        await at.strike("down")
        await on(at, CONFIGURED)
        await at.strike("down", "down", "up")
        await on(at, CONFIGURED)
        await at.strike("enter")
        await at.deck.until(lambda: at.deck.chat.session.model_name == CONFIGURED, "the other model", PATIENCE)
        assert at.deck.app.screen is at.deck.chat
        await at.write("hello")
        await at.goes_on()
        assert at.server.requests[-1].model == "gpt-mine"


async def test_esc_leaves_it_and_the_draft_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listing(tmp_path, monkeypatch) as (at, _):
        await at.strike("escape")
        await at.deck.until(lambda: at.deck.app.screen is at.deck.chat, "the chat", PATIENCE)
        assert at.deck.chat.session.model_name == "openai:test-model"
        await at.write("hello")
        # What the servers say now reaches no list that is gone.
        at.server.list_now.set()
        await at.goes_on()
        assert "gpt-late" not in at.shown()


async def test_a_late_answer_leaves_the_cursor_where_the_person_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listing(tmp_path, monkeypatch) as (at, second):
        await at.strike("down")
        await on(at, CONFIGURED)
        before = cursor(at)
        at.server.list_now.set()
        await at.see("openai:gpt-late offered by OpenAI")
        await at.see("Asking ollama …")
        assert f"{CONFIGURED} configured, offered" in at.shown()
        assert cursor(at) == before
        second.list_now.set()
        await at.see("ollama:qwen offered by Ollama")
        assert "Asking" not in at.shown()
        await at.drawn(choices(at))
        assert cursor(at) == before
        await at.strike("enter")
        await at.deck.until(lambda: at.deck.chat.session.model_name == CONFIGURED, "what the cursor was on", PATIENCE)


async def test_a_late_answer_moves_no_line_of_a_long_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listing(tmp_path, monkeypatch, MANY) as (at, second):
        at.server.list_now.set()
        await at.see("Asking ollama …")
        await at.drawn(choices(at))
        await at.strike(*["down"] * 33, *["up"] * 2)
        await on(at, "openai:gpt-28")
        await at.drawn(choices(at))
        before = cursor(at)
        second.list_now.set()
        await at.deck.until(lambda: "Asking" not in at.shown(), "the late answer", PATIENCE)
        await at.drawn(choices(at))
        assert cursor(at) == before


async def test_a_late_answer_is_narrowed_by_what_the_person_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listing(tmp_path, monkeypatch, ("mine-too", "other")) as (at, second):
        await at.strike(*"mine")
        await on(at, CONFIGURED)
        at.server.list_now.set()
        second.list_now.set()
        await at.see("openai:mine-too")
        assert "openai:other" not in at.shown()
        assert "qwen" not in at.shown()
        assert cursor(at)[0] == CONFIGURED
        await at.strike("enter")
        await at.deck.until(lambda: at.deck.chat.session.model_name == CONFIGURED, "what the cursor was on", PATIENCE)


async def test_a_server_that_never_answers_is_told_and_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listing(tmp_path, monkeypatch, seconds=2.0) as (at, second):
        second.list_now.set()
        await at.see("ollama:qwen offered by Ollama")
        assert "Asking openai …" in at.shown()
        await at.see("OpenAI did not say within 2 seconds what it offers.")
        await at.strike("down", "down", "down")
        await on(at, "ollama:qwen")
        await at.strike("enter")
        await at.deck.until(lambda: at.deck.chat.session.model_name == "ollama:qwen", "the choice", PATIENCE)
