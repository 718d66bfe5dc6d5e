"""Messages of a session as pydantic-ai's, and its replies as content blocks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from skills_core.agent.model import ModelRequest, ToolSchema
from skills_core.agent.reply import storable, tool_call_block
from skills_core.session.event import Block
from skills_core.session.message import AssistantMessage, ToolResultMessage, UserMessage, message_text

if TYPE_CHECKING:
    from pydantic_ai import messages as pm
    from pydantic_ai.tools import ToolDefinition

_STATE = "provider_state"
_RAW_ARGUMENTS = 2000


def to_history(request: ModelRequest, *, alternates: bool) -> list[pm.ModelMessage]:
    """The request's messages. Equal messages give equal bytes, whatever comes after them.

    ``alternates`` joins neighbouring messages of the user into one, for servers that insist on taking turns.
    """
    from pydantic_ai import messages as pm

    history: list[pm.ModelMessage] = []
    parts: list[pm.ModelRequestPart] = []
    if request.system:
        parts.append(pm.SystemPromptPart(request.system))
    waiting: list[str] = []

    def end_user() -> None:
        if waiting:
            parts.append(pm.UserPromptPart("\n\n".join(waiting)))
            waiting.clear()

    for message in request.messages:
        if isinstance(message, UserMessage):
            text = message_text(message)
            if not text:
                continue
            if not alternates:
                end_user()
            waiting.append(text)
            continue
        end_user()
        if isinstance(message, ToolResultMessage):
            outcome = "failed" if message.is_error else "success"
            parts.append(pm.ToolReturnPart(message.name, message.text, message.call_id, outcome=outcome))
            continue
        reply = _reply_parts(message)
        if reply:
            if parts:
                history.append(pm.ModelRequest(parts))
                parts = []
            history.append(pm.ModelResponse(reply))
    end_user()
    if parts:
        history.append(pm.ModelRequest(parts))
    return history


def to_tools(tools: tuple[ToolSchema, ...]) -> list[ToolDefinition]:
    from pydantic_ai.tools import ToolDefinition

    return [
        ToolDefinition(
            name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters), strict=False
        )
        for tool in tools
    ]


def to_blocks(parts: Any) -> tuple[Block, ...]:
    """The parts of a reply as blocks; what a provider needs back unchanged goes along as its state."""
    from pydantic_ai import messages as pm

    blocks: list[Block] = []
    for part in parts:
        block: dict[str, Any]
        if isinstance(part, pm.TextPart):
            if not part.content:
                continue
            block = {"type": "text", "text": part.content}
        elif isinstance(part, pm.ThinkingPart):
            block = {"type": "thinking", "text": part.content}
        elif isinstance(part, pm.ToolCallPart):
            arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
            block = dict(tool_call_block(part.tool_call_id, part.tool_name, arguments))
        else:
            continue
        state = _state(part)
        if state:
            block[_STATE] = state
        elif block["type"] == "thinking" and not block["text"]:
            continue
        blocks.append(block)
    return tuple(blocks)


def _reply_parts(message: AssistantMessage) -> list[pm.ModelResponsePart]:
    from pydantic_ai import messages as pm

    parts: list[pm.ModelResponsePart] = []
    for block in message.content:
        state = _stored_state(block)
        text = str(block.get("text", ""))
        match block.get("type"):
            case "text" if text:
                parts.append(pm.TextPart(text, **state))
            case "thinking" if state:
                # Without its state a provider would take it for words that were said.
                parts.append(pm.ThinkingPart(text, **state))
            case "tool_call":
                call_id, name = str(block.get("id", "")), str(block.get("name", ""))
                parts.append(pm.ToolCallPart(name, _arguments(block), call_id, **state))
            case _:
                continue
    return parts


def _arguments(block: Block) -> str | dict[str, Any]:
    """Always an object: servers refuse anything else in a history."""
    raw = block.get("invalid_arguments")
    if raw is not None:
        return {"invalid_json": str(raw)[:_RAW_ARGUMENTS]}
    arguments = block.get("arguments")
    return dict(cast("Mapping[str, Any]", arguments)) if isinstance(arguments, Mapping) else {}


def _state(part: Any) -> dict[str, Any]:
    """Identifiers and signatures by which a provider knows its own part again; nothing without the provider's name."""
    if not part.provider_name:
        return {}
    state: dict[str, Any] = {"provider_name": part.provider_name}
    for name in ("id", "signature", "provider_details"):
        value = getattr(part, name, None)
        if value:
            state[name] = json.loads(json.dumps(storable(value), default=str))
    return state


def _stored_state(block: Block) -> dict[str, Any]:
    state = block.get(_STATE)
    if not isinstance(state, Mapping):
        return {}
    known = cast("Mapping[str, Any]", state)
    names = ["provider_name", "id", "provider_details"]
    if block.get("type") == "thinking":
        names.append("signature")
    kept = {name: known[name] for name in names if name in known}
    details = kept.get("provider_details")
    if details is not None and not isinstance(details, Mapping):
        del kept["provider_details"]
    elif details is not None:
        kept["provider_details"] = dict(cast("Mapping[str, Any]", details))
    return kept
