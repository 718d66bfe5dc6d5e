"""Requests as an agent makes them: the user's words, catalogs, loaded skills, calls and their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skills_core.agent.model import ModelReply, ModelRequest, StreamItem, ToolSchema
from skills_core.agent.models.offline import OfflineModel
from skills_core.catalog import CatalogEntry, render_catalog
from skills_core.invocation import render_skill_content
from skills_core.session.event import text_block
from skills_core.session.message import AssistantMessage, ModelMessage, ToolResultMessage, UserMessage
from skills_core.skill import DirectoryBase, SkillDefinition

SKILL = ToolSchema("skill", "Loads.", {"type": "object"})
SKILLS = (
    CatalogEntry("chart-maker", "Makes a chart, to be printed."),
    CatalogEntry("draw-charts", "Draw charts from tables: bars, lines and dots."),
    CatalogEntry("hem-towels", "Hem towels & <cloths>."),
)
BODY = """# Charts

Read `references/colours.md` before anything else.

1. Read the table.
2. Run `scripts/draw.py --in x`.
   1. Look at it.

## Afterwards

- Show it, see [more](docs/more.md#top) or https://example.test/page.html
"""


def words(text: str) -> UserMessage:
    return UserMessage((text_block(text),))


def catalog(*entries: CatalogEntry, update: bool = False) -> UserMessage:
    return words(render_catalog(entries, update))


def content(name: str, body: str = BODY) -> str:
    return render_skill_content(
        SkillDefinition(
            name=name,
            description="x",
            source="test",
            provider="memory",
            rank=1,
            resource_base=DirectoryBase("/skills/a & b"),
            content=body,
        )
    )


def said(text: str = "Something.") -> AssistantMessage:
    return AssistantMessage((text_block(text),))


def call(name: str, call_id: str = "c1") -> AssistantMessage:
    block: dict[str, Any] = {"type": "tool_call", "id": call_id, "name": "skill", "arguments": {"name": name}}
    return AssistantMessage((text_block("I load it."), block))


def result(text: str, *, error: bool = False, tool: str = "skill", call_id: str = "c1") -> ToolResultMessage:
    return ToolResultMessage(call_id, tool, text, error)


def request(*messages: ModelMessage, tools: Sequence[ToolSchema] = (SKILL,)) -> ModelRequest:
    return ModelRequest("system", messages, tuple(tools))


async def reply_to(*messages: ModelMessage, tools: Sequence[ToolSchema] = (SKILL,)) -> tuple[str, str | None]:
    """The text of the model's reply, and the name of the skill that it calls."""
    items: list[StreamItem] = [item async for item in OfflineModel().stream(request(*messages, tools=tools))]
    reply = items[-1]
    assert isinstance(reply, ModelReply)
    calls = [block["arguments"]["name"] for block in reply.content if block["type"] == "tool_call"]
    assert len(calls) <= 1 and (reply.stop_reason == "tool_calls") == bool(calls)
    return reply.content[0]["text"], calls[0] if calls else None
