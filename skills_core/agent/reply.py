"""One reply of a model as it comes in: deltas gathered into content blocks, arguments read, identifiers made unique."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from skills_core.agent.model import ModelReply, TextDelta, ThinkingDelta, ToolCallDelta, Usage
from skills_core.agent.secret_text import model_keys, without_secrets_inside
from skills_core.session.event import Block


def read_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """The arguments of a tool call, and the raw text when it is not a JSON object. No text means no arguments."""
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}, text
    if not isinstance(value, dict):
        return {}, text
    return cast("dict[str, Any]", storable(value)), None


def tool_call_block(call_id: str, name: str, arguments: str) -> Block:
    """The block of a tool call; arguments that are no JSON object are kept as they came."""
    value, invalid = read_arguments(arguments)
    block: dict[str, Any] = {"type": "tool_call", "id": call_id, "name": name, "arguments": value}
    if invalid is not None:
        block["invalid_arguments"] = storable(invalid)
    return block


def storable(value: Any) -> Any:
    """The same JSON value with lone surrogates replaced: they are legal in JSON text but in no UTF-8 file."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in cast("list[Any]", value)]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


@dataclass(slots=True)
class _Piece:
    """A block that is still coming in; ``name`` is that of a tool call."""

    kind: str
    name: str = ""
    texts: list[str] = field(default_factory=list[str])

    def block(self) -> Block | None:
        """The block so far; None while it is empty. A tool call without a name counts as empty."""
        text = "".join(self.texts)
        if self.kind == "tool_call":
            return tool_call_block("", self.name, text) if self.name else None
        return {"type": self.kind, "text": text} if text else None


class PartialReply:
    """Gathers the deltas of one reply, so that what arrived can be kept when the rest does not come."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._calls: dict[int, _Piece] = {}
        self.size = 0

    def add(self, item: TextDelta | ThinkingDelta | ToolCallDelta) -> None:
        if isinstance(item, ToolCallDelta):
            piece = self._calls.get(item.index)
            if piece is None:
                piece = self._calls[item.index] = self._begin("tool_call")
            piece.name += item.name or ""
            text = item.arguments
        else:
            kind = "text" if isinstance(item, TextDelta) else "thinking"
            piece = self._pieces[-1] if self._pieces and self._pieces[-1].kind == kind else self._begin(kind)
            text = item.text
        piece.texts.append(text)
        self.size += len(text)

    @property
    def empty(self) -> bool:
        return not self.cut().content

    def cut(self) -> ModelReply:
        """What arrived, as a reply that was cut."""
        blocks = (piece.block() for piece in self._pieces)
        return ModelReply(tuple(block for block in blocks if block is not None), "cut", Usage())

    def _begin(self, kind: str) -> _Piece:
        piece = _Piece(kind)
        self._pieces.append(piece)
        return piece


def tool_calls(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    return tuple(block for block in blocks if block.get("type") == "tool_call")


def normalised(reply: ModelReply, new_id: Callable[[str], str]) -> ModelReply:
    """The reply as it is stored: storable text, no key of a model, an identifier for each tool call that is its own.

    ``new_id`` gets the identifier that the server gave (perhaps empty) and returns one that is free.
    """
    keys = model_keys()
    blocks: list[Block] = []
    for block in reply.content:
        stored = cast("dict[str, Any]", without_secrets_inside(storable(block), keys))
        if stored.get("type") == "tool_call":
            stored["id"] = new_id(str(stored.get("id") or ""))
        blocks.append(stored)
    return ModelReply(tuple(blocks), reply.stop_reason, reply.usage, without_secrets_inside(reply.model, keys))


def assistant_data(reply: ModelReply, model: str) -> dict[str, Any]:
    """The data of the ``assistant/message`` event."""
    data: dict[str, Any] = {
        "content": list(reply.content),
        "model": model,
        "usage": usage_data(reply.usage),
        "stop_reason": reply.stop_reason,
    }
    if reply.model and reply.model != model:
        data["served_model"] = storable(reply.model)
    return data


def usage_data(usage: Usage) -> dict[str, Any] | None:
    """What the server counted, as the log keeps it; None when it counted nothing."""
    counts = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cost": usage.cost,
    }
    return {name: count for name, count in counts.items() if count is not None} or None
