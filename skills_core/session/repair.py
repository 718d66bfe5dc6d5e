"""Model messages from the events that the model still sees, in an order that every provider accepts.

A provider refuses a history in which a tool call has no result, a result has no call, or anything stands between the
two. A crash, a cancelled turn, a fork in the middle of a turn and a compaction can each leave one, so the messages are
mended while they are derived; the log itself is never changed for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills_core.session.event import ASSISTANT_MESSAGE, COMPACTION, TOOL_RESULT, Block, SessionEvent, text_block
from skills_core.session.message import AssistantMessage, ModelMessage, ToolResultMessage, UserMessage
from skills_core.session.plain import content_text, items, mapping, text

INTERRUPTED_TEXT = "Error: interrupted; this call has no result"


class MessageBuilder:
    """Takes visible events in order and gives the messages. Finished messages keep their identity between calls."""

    def __init__(self) -> None:
        self._settled: list[ModelMessage] = []
        self._open: _OpenCalls | None = None
        self._cached: tuple[ModelMessage, ...] | None = ()

    def add(self, event: SessionEvent) -> None:
        self._cached = None
        if event.type == TOOL_RESULT:
            if self._open is not None:
                self._open.answer(event)
                self._settle_if_answered()
        elif event.type == ASSISTANT_MESSAGE:
            self._settle()
            self._begin(event)
        else:
            message = _user_message(event)
            if message is None:
                return
            if self._open is None:
                self._settled.append(message)
            else:
                self._open.later.append(message)

    def messages(self) -> tuple[ModelMessage, ...]:
        """All messages so far; calls that have no result yet get one that says so."""
        if self._cached is None:
            unsettled = self._open.messages() if self._open is not None else ()
            self._cached = (*self._settled, *unsettled)
        return self._cached

    def _begin(self, event: SessionEvent) -> None:
        content = _known_blocks(event.data.get("content"))
        if not content:
            return
        self._settled.append(AssistantMessage(content, event.seq))
        calls = {str(block["id"]): str(block["name"]) for block in content if block["type"] == "tool_call"}
        if calls:
            self._open = _OpenCalls(calls, event.seq)

    def _settle_if_answered(self) -> None:
        if self._open is not None and self._open.answered:
            self._settle()

    def _settle(self) -> None:
        if self._open is not None:
            self._settled.extend(self._open.messages())
            self._open = None


class _OpenCalls:
    """The calls of the newest reply, until each has its result; what came in between waits behind them."""

    def __init__(self, calls: Mapping[str, str], seq: int) -> None:
        self._calls = calls
        self._seq = seq
        self._results: dict[str, ToolResultMessage] = {}
        self.later: list[ModelMessage] = []

    @property
    def answered(self) -> bool:
        return len(self._results) == len(self._calls)

    def answer(self, event: SessionEvent) -> None:
        """Takes a result if it belongs here and is the first for its call."""
        call_id = event.data.get("id")
        if not isinstance(call_id, str) or call_id not in self._calls or call_id in self._results:
            return
        answer = content_text(event.data.get("content"))
        self._results[call_id] = ToolResultMessage(
            call_id, self._calls[call_id], answer, event.data.get("is_error") is True, event.seq
        )

    def messages(self) -> list[ModelMessage]:
        results: list[ModelMessage] = [
            self._results.get(call_id) or ToolResultMessage(call_id, name, INTERRUPTED_TEXT, True, self._seq)
            for call_id, name in self._calls.items()
        ]
        return results + self.later


def _user_message(event: SessionEvent) -> UserMessage | None:
    content = _known_blocks(event.data.get("content"), user=True)
    if not content and event.type == COMPACTION:
        summary = text(event.data.get("summary"))
        content = (text_block(summary),) if summary else ()
    return UserMessage(content, event.seq) if content else None


def _known_blocks(content: object, *, user: bool = False) -> tuple[Block, ...]:
    """The blocks that this version can give to a model. Others stay in the log and are nothing to the model."""
    known: list[Block] = []
    call_ids: set[str] = set()
    for fields in map(mapping, items(content)):
        kind = fields.get("type")
        if kind == "text" or (kind == "thinking" and not user):
            # Providers refuse an empty text block.
            if isinstance(fields.get("text"), str) and (fields["text"] or kind == "thinking"):
                known.append(fields)
        elif kind == "tool_call" and not user and _is_call(fields) and fields["id"] not in call_ids:
            # A second call of the same id in one reply could not be told from the first.
            call_ids.add(fields["id"])
            known.append(fields)
    return tuple(known)


def _is_call(block: Mapping[str, Any]) -> bool:
    call_id, name = block.get("id"), block.get("name")
    has_arguments = isinstance(block.get("arguments"), Mapping) or isinstance(block.get("invalid_arguments"), str)
    return isinstance(call_id, str) and bool(call_id) and isinstance(name, str) and has_arguments
