"""The surface: which events of a log the model still sees, in which order, and the messages they come to."""

from __future__ import annotations

from collections.abc import Sequence

from skills_core.session.event import ASSISTANT_MESSAGE, COMPACTION, TOOL_RESULT, USER_MESSAGE, SessionEvent
from skills_core.session.message import ModelMessage
from skills_core.session.repair import MessageBuilder

SURFACE_TYPES = frozenset({USER_MESSAGE, ASSISTANT_MESSAGE, TOOL_RESULT, COMPACTION})
"""The events that can be on the surface; the rest of a log is for people and for the program."""


class Surface:
    """Messages append to it; a compaction takes the place of a range of it. It is only ever fed from the log."""

    def __init__(self) -> None:
        self._visible: list[SessionEvent] = []
        self._visible_seqs: set[int] = set()
        self._builder = MessageBuilder()
        self._built = 0

    @property
    def visible(self) -> Sequence[SessionEvent]:
        """What the model sees, in its order. A compaction stands where the range that it replaced stood."""
        return self._visible

    def is_visible(self, seq: int) -> bool:
        """Whether the model still sees event ``seq``."""
        return seq in self._visible_seqs

    def messages(self) -> tuple[ModelMessage, ...]:
        """The model's messages: each tool call with exactly one result, directly behind it. Cheap when repeated."""
        for event in self._visible[self._built :]:
            self._builder.add(event)
        self._built = len(self._visible)
        return self._builder.messages()

    def take(self, event: SessionEvent) -> None:
        """Applies the next event of the log."""
        if event.type not in SURFACE_TYPES:
            return
        if event.type == COMPACTION:
            self._replace(event)
        else:
            self._visible.append(event)
            self._visible_seqs.add(event.seq)

    def _replace(self, compaction: SessionEvent) -> None:
        place = self._range(compaction.data.get("first"), compaction.data.get("last"))
        if place is None:
            # Nothing left to stand for: without a range the summary would repeat what is still visible.
            return
        start, stop = place
        self._visible_seqs.difference_update(event.seq for event in self._visible[start:stop])
        self._visible[start:stop] = [compaction]
        self._visible_seqs.add(compaction.seq)
        self._builder = MessageBuilder()
        self._built = 0

    def _range(self, first: object, last: object) -> tuple[int, int] | None:
        """Where in the visible events the range from seq ``first`` to seq ``last`` begins and ends.

        An end whose own event is not visible (its line was damaged) is moved inwards to the nearest seq that is.
        """
        if type(first) is not int or type(last) is not int:
            return None
        seqs = [event.seq for event in self._visible]
        try:
            start = seqs.index(first)
        except ValueError:
            start = next((at for at, seq in enumerate(seqs) if seq >= first), len(seqs))
        try:
            stop = seqs.index(last) + 1
        except ValueError:
            stop = next((at + 1 for at in range(len(seqs) - 1, -1, -1) if seqs[at] <= last), 0)
        return (start, stop) if start < stop else None
