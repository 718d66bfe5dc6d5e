"""What a model is given: messages derived from the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from skills_core.session.event import Block


@dataclass(frozen=True, slots=True)
class UserMessage:
    """The user's words, or context that was injected in the user's role. ``seq`` is the event it came from."""

    content: tuple[Block, ...]
    seq: int = 0


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """A finished (or cut) reply: text, thinking and tool calls in order."""

    content: tuple[Block, ...]
    seq: int = 0


@dataclass(frozen=True, slots=True)
class ToolResultMessage:
    """The answer to one tool call."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    seq: int = 0


ModelMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage


def message_text(message: ModelMessage) -> str:
    """The plain text of a message: adjacent text blocks joined with no separator."""
    if isinstance(message, ToolResultMessage):
        return message.text
    return "".join(str(block.get("text", "")) for block in message.content if block.get("type") == "text")
