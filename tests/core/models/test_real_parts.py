"""Parts of real models by themselves: what goes back to a server, what an error says, keys, and the end."""

from __future__ import annotations

from typing import Any

import pytest

from skills_core.agent.model import ModelRequest
from skills_core.agent.models import open_model
from skills_core.agent.models.real.faults import to_model_error
from skills_core.agent.models.real.history import to_history
from skills_core.agent.models.real.providers import PROVIDERS
from skills_core.agent.secret_text import secret_values
from skills_core.session.message import AssistantMessage, ToolResultMessage
from tests.core.models.support import FORMATS, collect, model_of
from tests.support.model_server import ModelServer, Reply


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_closed_model_has_closed_its_client(dialect: Any) -> None:
    async with ModelServer(dialect, Reply(text="Hi.")) as server:
        model = model_of(server)
        await collect(model)
        assert model._built is not None
        client: Any = model._built.model.client  # type: ignore[attr-defined]
        own = client._api_client._async_httpx_client if dialect == "gemini" else client._client
        assert not own.is_closed
        await model.aclose()
        assert own.is_closed
        await model.aclose()


def test_arguments_that_were_no_json_go_back_as_an_object() -> None:
    call = {"type": "tool_call", "id": "c", "name": "read", "arguments": {}, "invalid_arguments": '{"path": '}
    messages = (AssistantMessage((call,)), ToolResultMessage("c", "read", (), True))
    history = to_history(ModelRequest("", messages, ()), alternates=False)
    (part,) = history[0].parts
    assert part.args == {"invalid_json": '{"path": '}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "page", ["<!doctype html><p>Bad gateway", "<HTML><BODY>Bad gateway</BODY></HTML>", b"<html>Bad gateway</html>"]
)
def test_a_gateways_page_is_not_shown(page: object) -> None:
    from pydantic_ai.exceptions import ModelHTTPError

    error = to_model_error(
        ModelHTTPError(502, "m", page), prefix="openai", model="m", base_url="http://localhost", api_key="k" * 20
    )
    assert "gateway" not in error.message and "<" not in error.message
    assert error.message.startswith("The server ")


def test_a_key_that_is_given_is_a_secret_from_then_on() -> None:
    key = "sk-test-given-by-hand-0123456789"
    assert key not in secret_values()
    open_model("openai:m", api_key=key)
    assert key in secret_values()


def test_a_key_is_taken_without_the_white_space_around_it() -> None:
    provider = PROVIDERS["google"]
    assert provider.key({"GOOGLE_API_KEY": " \n", "GEMINI_API_KEY": " word-of-mouth\n"}) == "word-of-mouth"
    assert provider.key({}) is None
