"""The offline model: streams what ``answer`` says."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from skills_core.agent.model import ModelReply, ModelRequest, StreamItem, TextDelta, ToolCallDelta, Usage
from skills_core.session.event import Block, text_block
from skills_core.session.message import AssistantMessage
from skills_core.skill import SKILL_TOOL

if TYPE_CHECKING:
    from skills_core.agent.models.offline.answer import Answer

_PIECE = re.compile(r"\s*\S{1,12}\s*")


class OfflineModel:
    """Routes a request to a skill and, once that is loaded, says what its instructions ask.

    It reads only the request. It needs no key, no network and no file of its own beyond what is installed.
    """

    writes_summaries = False

    @property
    def name(self) -> str:
        return "offline"

    @property
    def context_window(self) -> int | None:
        """None: it has no limit."""
        return None

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Streams one reply in pieces of a word or so, then a tool call when a skill is to be loaded."""
        # A catalog of thousands of skills takes a while to compare the first time.
        reply = await asyncio.to_thread(_answer, request)
        for piece in _pieces(reply.text):
            yield TextDelta(piece)
            await asyncio.sleep(0)
        content: list[Block] = [text_block(reply.text)]
        if reply.load is not None:
            arguments = {"name": reply.load}
            yield ToolCallDelta(0, SKILL_TOOL, json.dumps(arguments))
            content.append({"type": "tool_call", "id": _call_id(request), "name": SKILL_TOOL, "arguments": arguments})
        yield ModelReply(tuple(content), "end" if reply.load is None else "tool_calls", Usage())


def _answer(request: ModelRequest) -> Answer:
    """Runs in a thread, where reading the word lists for the first time holds nobody up."""
    from skills_core.agent.models.offline.answer import answer

    return answer(request)


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that joined are the text again."""
    place = 0
    for match in _PIECE.finditer(text):
        yield text[place : match.end()]
        place = match.end()
    if place < len(text):
        yield text[place:]


def _call_id(request: ModelRequest) -> str:
    """An id that no call of this conversation has: it counts with the log, so a compaction does not reset it."""
    newest = max((message.seq for message in request.messages), default=0)
    taken = {
        block.get("id")
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for block in message.content
    }
    number = newest + 1
    while f"offline-{number}" in taken:
        number += 1
    return f"offline-{number}"
