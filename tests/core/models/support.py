"""Real models against loopback servers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import pytest

from skills_core.agent import Agent
from skills_core.agent.model import Model, ModelError, ModelReply, ModelRequest, StreamItem, ToolSchema
from skills_core.agent.models import open_model
from skills_core.agent.models.real import RealModel
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.session import Session
from skills_core.session.event import text_block
from skills_core.session.message import ModelMessage, UserMessage
from tests.core.agent.support import Bench, ProbeTool
from tests.support.model_server import ModelServer, Reply


def has_google() -> bool:
    """Whether the optional package of Google's models is there."""
    try:
        return find_spec("google.genai") is not None
    except ModuleNotFoundError:
        return False


KEY = "sk-test-abcdefghijklmnop"
DIALECTS = ("chat", "responses", "messages")
_NO_GOOGLE = "the package of Google's models is not installed"
GOOGLE = pytest.mark.skipif(not has_google(), reason=_NO_GOOGLE)
FORMATS = (*DIALECTS, pytest.param("gemini", marks=GOOGLE))
TOOLS = (
    ToolSchema(
        "read",
        "Read a file.",
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "offset": {"type": "integer"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    ),
)
FIRST = Reply(
    thinking="Two files.",
    text="I read them.",
    interleaved="Now.",
    calls=(("read", '{"path": "a"}'), ("read", '{"path": "b"}')),
)
SECOND = Reply(text="Again.", calls=(("read", '{"path": '),))
LAST = Reply(text="Both are fine.")


def model_of(server: ModelServer, **options: Any) -> RealModel:
    model = open_model(f"{server.provider}:test-model", base_url=server.base_url, api_key=KEY, **options)
    assert isinstance(model, RealModel)
    return model


def request(*messages: ModelMessage, system: str = "You are helpful.") -> ModelRequest:
    return ModelRequest(system, messages or (UserMessage((text_block("Hello"),)),), TOOLS)


async def collect(model: Model, asked: ModelRequest | None = None) -> tuple[list[StreamItem], ModelReply]:
    items = [item async for item in model.stream(asked or request())]
    reply = items[-1]
    assert isinstance(reply, ModelReply)
    return items[:-1], reply


async def failure(model: Model) -> ModelError:
    with pytest.raises(ModelError) as caught:
        async for _ in model.stream(request()):
            pass
    return caught.value


async def reads(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
    return ToolOutcome(text=f"text of {arguments.get('path')}")


async def agent_for(bench: Bench, server: ModelServer, session: Session | None = None, **options: Any) -> Agent:
    options.setdefault("tools", [ProbeTool("read", reads)])
    return await bench.agent(model=model_of(server), session=session, **options)
