"""The protocol between the step loop and a model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from skills_core.session.event import Block
from skills_core.session.message import ModelMessage


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model sees it; ``parameters`` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request, and its cost in US dollars; None where the server, or the price list, did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that a model is given, and nothing else."""

    system: str
    messages: tuple[ModelMessage, ...]
    tools: tuple[ToolSchema, ...]


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of tool call number ``index`` of this reply. ``name`` is set in the first piece."""

    index: int
    name: str | None
    arguments: str


StopReason: TypeAlias = Literal["end", "tool_calls", "length", "refused", "cut"]
"""``cut``: the stream ended, or was ended, before the model had finished."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The finished message; the last item of a stream. ``model`` is the name the server gave, if it did."""

    content: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage
    model: str | None = None


StreamItem: TypeAlias = TextDelta | ThinkingDelta | ToolCallDelta | ModelReply

ModelErrorKind: TypeAlias = Literal[
    "authentication",
    "unknown-model",
    "rate-limit",
    "overloaded",
    "connection",
    "timeout",
    "context-overflow",
    "bad-response",
    "refused-request",
    "script-ended",
    "other",
]


class ModelError(Exception):
    """A request failed. ``message`` and ``hint`` are one line each, for a person, without secrets.

    ``retry_after`` is in seconds, when the server said so.
    """

    def __init__(self, kind: ModelErrorKind, message: str, hint: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind: ModelErrorKind = kind
        self.message = message
        self.hint = hint
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        return self.kind in ("rate-limit", "overloaded", "connection", "timeout")


class Model(Protocol):
    """A model by its name as configured (``offline``, ``openai:gpt-5``, ``script:FILE``).

    One that cannot summarise a conversation has an attribute ``writes_summaries`` that is False; the summaries of its
    compactions are taken from the log.
    """

    @property
    def name(self) -> str: ...

    @property
    def context_window(self) -> int | None:
        """In tokens; None when unknown."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Streams one reply, ending with a ModelReply. Raises ModelError. Closing the iterator ends the request."""
        ...
