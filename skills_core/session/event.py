"""The records of a session: one header, then events, and the message sources they carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

FORMAT_VERSION = 1

USER_MESSAGE = "user/message"
ASSISTANT_MESSAGE = "assistant/message"
TOOL_CALL = "tool/call"
TOOL_RESULT = "tool/result"
TURN_START = "turn/start"
TURN_END = "turn/end"
REQUEST_CONTEXT = "request/context"
MODEL_CHANGE = "model/change"
MODEL_RETRY = "model/retry"
APPROVAL = "approval"
COMPACTION = "compaction"
NOTICE = "notice"
TITLE = "title"

SOURCE_USER = "user"
SOURCE_SKILL_CATALOG = "skill-catalog"
SOURCE_SKILL_INVOCATION = "skill-invocation"
SOURCE_AGENT_INSTRUCTIONS = "agent-instructions"
SOURCE_FILE_MENTION = "file-mention"

Block: TypeAlias = Mapping[str, Any]
"""One content block as stored. Known ``type`` values: ``text`` (``text``), ``thinking`` (``text``), ``tool_call``
(``id``, ``name``, ``arguments``, and ``invalid_arguments`` holding the raw text when it was not a JSON object).
Unknown blocks are kept as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader:
    """The first line of a log. ``extra`` holds the keys that this version does not know, as they were read."""

    id: str
    cwd: str
    created: str
    program_version: str
    format_version: int = FORMAT_VERSION
    parent_id: str | None = None
    parent_seq: int | None = None
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One line of a log. ``seq`` counts from 1; ``time`` is RFC 3339 in UTC; ``data`` is plain JSON.

    ``extra`` holds the other keys of the line, which this version does not know, as they were read.
    """

    seq: int
    time: str
    type: str
    data: Mapping[str, Any]
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """An event that has not been appended yet."""

    type: str
    data: Mapping[str, Any]


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def user_message(text: str, source: Mapping[str, Any] | None = None) -> PendingEvent:
    """A message in the user's role; without a source it is the user's own words."""
    return PendingEvent(USER_MESSAGE, {"content": [text_block(text)], "source": source or {"kind": SOURCE_USER}})


def source_kind(data: Mapping[str, Any]) -> str | None:
    """Who produced a message, or None when the record does not say it readably."""
    source = data.get("source")
    if isinstance(source, Mapping):
        kind = source.get("kind")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(kind, str):
            return kind
    return None
