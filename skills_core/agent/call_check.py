"""Whether a tool call of a model can be run at all, and what the model is told when it cannot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from skills_core.agent.tool import Tool
from skills_core.session.event import Block

_SHOWN_NAME = 80


def call_fault(call: Block, tools: Mapping[str, Tool]) -> str | None:
    """The text of the error result, or None when name and arguments are usable."""
    name = str(call.get("name", ""))
    if name not in tools:
        return _unknown(name, tools)
    raw = call.get("invalid_arguments")
    if raw is not None:
        return f"Error: the arguments of `{name}` must be one JSON object: {_json_fault(str(raw))}"
    if not isinstance(call.get("arguments"), Mapping):
        return f"Error: the arguments of `{name}` must be one JSON object."
    return None


def call_arguments(call: Block) -> Mapping[str, Any]:
    arguments = call.get("arguments")
    return cast("Mapping[str, Any]", arguments) if isinstance(arguments, Mapping) else {}


def _unknown(name: str, tools: Mapping[str, Tool]) -> str:
    shown = name if len(name) <= _SHOWN_NAME else name[:_SHOWN_NAME] + "..."
    available = ", ".join(f"`{tool}`" for tool in tools) or "none"
    if _is_fused(name, tools):
        return f"Error: `{shown}` is two tool names in one. Send each call by itself. Available tools: {available}."
    return f"Error: there is no tool `{shown}`. Available tools: {available}."


def _is_fused(name: str, tools: Mapping[str, Tool]) -> bool:
    """Some servers repeat the index of a call in a stream, so that two calls arrive as one with a joined name."""
    return any(name.startswith(first) and (name[len(first) :] in tools) for first in tools)


def _json_fault(raw: str) -> str:
    try:
        value = json.loads(raw)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return f"there is more text after the first value, at character {error.pos + 1}."
        return f"{error.msg} at character {error.pos + 1}."
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}."
    return f"this is {_kind(value)}."


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "a text"
    return "null" if value is None else "a single value"
