"""The parts of a request that are no messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import Tool


def tool_schemas(tools: Mapping[str, Tool]) -> tuple[ToolSchema, ...]:
    """In the agent's own order, which does not change from step to step."""
    return tuple(tool.schema for tool in tools.values())


def context_data(system: str, tools: Iterable[ToolSchema], model: str) -> dict[str, Any]:
    """The data of the ``request/context`` event: all of a request that is not a message."""
    return {
        "system": system,
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in tools
        ],
        "model": model,
    }
