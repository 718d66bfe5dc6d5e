"""What an agent reads from the end of a log before it goes on: the turn that is open, and what was last sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skills_core.agent.reply import tool_calls
from skills_core.agent.tool_run import INTERRUPTED
from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    REQUEST_CONTEXT,
    TOOL_RESULT,
    TURN_END,
    TURN_START,
    Block,
    PendingEvent,
    SessionEvent,
    text_block,
)
from skills_core.session.plain import items, mapping

_ENDED = "The program ended before this turn did."


def last_turn(events: Sequence[SessionEvent]) -> int:
    """The number of the newest turn; 0 when there was none."""
    for event in reversed(events):
        if event.type == TURN_START:
            number = event.data.get("turn")
            return number if isinstance(number, int) else 0
    return 0


class LastContext:
    """The newest stored request context; looks at each event of a log once."""

    def __init__(self, events: Sequence[SessionEvent]) -> None:
        self._events = events
        self._seen = 0
        self._data: Mapping[str, Any] | None = None

    def is_changed(self, data: Mapping[str, Any]) -> bool:
        """Whether ``data`` differs from it, so that it has to be stored."""
        for at in range(len(self._events) - 1, self._seen - 1, -1):
            if self._events[at].type == REQUEST_CONTEXT:
                self._data = self._events[at].data
                break
        self._seen = len(self._events)
        return data != self._data


def closing_of_open_turn(events: Sequence[SessionEvent]) -> tuple[PendingEvent, ...]:
    """What is missing when the newest turn never ended, as after a crash: results of its open calls, and its end."""
    results: set[str] = set()
    calls: list[Block] = []
    for event in reversed(events):
        if event.type == TURN_END:
            return ()
        if event.type == TOOL_RESULT:
            results.add(str(event.data.get("id", "")))
        elif event.type == ASSISTANT_MESSAGE:
            calls[:0] = tool_calls(tuple(map(mapping, items(event.data.get("content")))))
        elif event.type == TURN_START:
            missing = [_interrupted(call) for call in calls if str(call.get("id", "")) not in results]
            data = {"turn": event.data.get("turn"), "reason": "cancelled", "message": _ENDED, "hint": None}
            return (*missing, PendingEvent(TURN_END, data))
    return ()


def _interrupted(call: Block) -> PendingEvent:
    data = {
        "id": str(call.get("id", "")),
        "name": str(call.get("name", "")),
        "content": [text_block(INTERRUPTED)],
        "is_error": True,
        "details": {"interrupted": True},
    }
    return PendingEvent(TOOL_RESULT, data)
