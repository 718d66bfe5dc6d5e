"""The rows of a session: grown from its log, and from what an agent tells while a turn runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from app.controllers.context_source import read_catalog_form
from app.controllers.row_body import joined_text
from app.controllers.transcript_row import LIVE_OUTPUT_LIMIT, Row, has_words, tool_requests
from app.controllers.transcript_search import in_title, matching_rows, next_match
from skills_core.session import event as kinds
from skills_core.session.collection import collection_paused
from skills_core.session.event import SessionEvent, source_kind

if TYPE_CHECKING:
    from skills_core.agent.live import LiveItem

_HIDDEN = {kinds.TURN_START, kinds.TITLE}


@dataclass(frozen=True, slots=True)
class RowsAppended:
    """Rows came at the end, from ``first`` on."""

    first: int


@dataclass(frozen=True, slots=True)
class RowChanged:
    """The row at ``index`` says something else now."""

    index: int


@dataclass(frozen=True, slots=True)
class RowsCut:
    """The rows from ``first`` on are gone, or are others now."""

    first: int


@dataclass(frozen=True, slots=True)
class RowsReset:
    """All rows are others now."""


TranscriptChange: TypeAlias = RowsAppended | RowChanged | RowsCut | RowsReset


class Transcript:
    """Joins each tool call with its result, and a streamed reply with the message that it becomes."""

    def __init__(self, on_change: Callable[[TranscriptChange], None] | None = None) -> None:
        self.rows: list[Row] = []
        self.on_change: Callable[[TranscriptChange], None] = on_change or _ignore
        self._open_calls: dict[str, int] = {}
        self._catalog: SessionEvent | None = None
        self._requests: dict[str, Mapping[str, Any]] = {}
        self._live: int | None = None
        self._pending: list[Row] = []

    @classmethod
    def of(cls, events: Iterable[SessionEvent]) -> Transcript:
        """The rows of a session, with their sizes known. For a thread: a long session takes a second."""
        made = cls()
        with collection_paused():
            made.load(events)
            for row in made.rows:
                row.size()
        return made

    def adopt(self, other: Transcript) -> None:
        """Shows what another transcript holds, which is given up."""
        self.rows[:] = other.rows
        self._open_calls, self._catalog = other._open_calls, other._catalog
        self._requests, self._live = other._requests, other._live
        self._pending = []
        self.on_change(RowsReset())

    def load(self, events: Iterable[SessionEvent]) -> None:
        """Shows another session from its start."""
        self.rows.clear()
        self._open_calls.clear()
        self._requests.clear()
        self._catalog = None
        self._live = None
        self._pending.clear()
        report, self.on_change = self.on_change, _ignore
        try:
            for event in events:
                self.event(event)
        finally:
            self.on_change = report
        self.on_change(RowsReset())

    def pend(self, text: str) -> None:
        """Shows the person's words at the end until the log has them."""
        self._put_pending([*self._pending, Row("user", live_text=[text])])

    def unpend(self, text: str | None = None) -> None:
        """Takes back words that wait for the log: those that equal ``text``, or all."""
        if self._pending:
            self._put_pending([] if text is None else _without_first(self._pending, text))

    @property
    def pending(self) -> tuple[str, ...]:
        """The words that wait for the log."""
        return tuple(row.text() for row in self._pending)

    def event(self, event: SessionEvent) -> None:
        """Takes in one record of the log."""
        data = event.data
        if event.type in _HIDDEN:
            return
        if event.type == kinds.USER_MESSAGE:
            self._user_message(event)
        elif event.type == kinds.ASSISTANT_MESSAGE:
            self._reply(event)
        elif event.type == kinds.TOOL_CALL:
            call = data.get("id")
            index = self._append(Row("tool", event))
            if isinstance(call, str):
                self._requests.pop(call, None)
                self._open_calls[call] = index
        elif event.type == kinds.TOOL_RESULT:
            call = data.get("id")
            index = self._open_calls.pop(call, None) if isinstance(call, str) else None
            if index is None:
                request = self._requests.pop(call, None) if isinstance(call, str) else None
                self._append(Row("tool", event, result=event, request=request))
            else:
                self.rows[index].result = event
                self.rows[index].live_text.clear()
                self._changed(index)
        elif event.type == kinds.TURN_END:
            self._drop_live()
            if data.get("reason") != "done":
                self._append(Row("note", event))
        else:
            self._append(Row("note", event))

    def live(self, item: LiveItem) -> None:
        """Takes in what the agent tells while a turn runs; none of it lasts."""
        from skills_core.agent.live import Retrying, ToolOutput
        from skills_core.agent.model import TextDelta, ThinkingDelta

        if isinstance(item, TextDelta):
            row = self._live_row()
            self.rows[row].live_text.append(item.text)
            self._changed(row)
        elif isinstance(item, ThinkingDelta):
            row = self._live_row()
            self.rows[row].live_thinking.append(item.text)
            self._changed(row)
        elif isinstance(item, ToolOutput):
            index = self._open_calls.get(item.call_id)
            if index is not None:
                kept = "".join((*self.rows[index].live_text, item.text))
                self.rows[index].live_text[:] = [kept[-LIVE_OUTPUT_LIMIT:]]
                self._changed(index)
        elif isinstance(item, Retrying) and item.discarded:
            self._drop_live()

    def toggle(self, index: int) -> None:
        """Opens or closes a row that folds."""
        row = self.rows[index]
        if row.foldable or row.kind == "assistant":
            row.expanded = not row.expanded
            self._changed(index)

    def toggle_all(self) -> None:
        """Opens every row that folds; closes them when all are open."""
        rows = [row for row in self.rows if row.kind in ("tool", "context")]
        opened = not all(row.expanded for row in rows)
        for row in rows:
            row.expanded = opened
        self.on_change(RowsReset())

    def find(self, text: str, current: int | None, step: int) -> tuple[list[int], int | None]:
        """Every row that holds the text, and the one to go to from ``current``; closed rows open for it."""
        found = matching_rows(self.rows, text) if text else []
        index = next_match(found, current, step)
        row = self.rows[index] if index is not None else None
        if index is not None and row is not None and row.foldable and not row.expanded and not in_title(row, text):
            self.toggle(index)
        return found, index

    def last_reply(self) -> Row | None:
        """The newest answer with words in it."""
        return next((row for row in reversed(self.rows) if row.kind == "assistant" and row.text().strip()), None)

    def _user_message(self, event: SessionEvent) -> None:
        if source_kind(event.data) == kinds.SOURCE_USER:
            if self._pending:
                self.unpend(joined_text(event.data.get("content")))
            self._append(Row("user", event))
            return
        row = Row("context", event)
        if read_catalog_form(event.data) is not None:
            row.before, self._catalog = self._catalog, event
        self._append(row)

    def _reply(self, event: SessionEvent) -> None:
        self._requests = tool_requests(event.data) if event.data.get("stop_reason") != "end" else {}
        index, self._live = self._live, None
        if index is not None and not has_words(event.data):
            self._remove(index)
        elif index is not None:
            row = self.rows[index]
            row.event = event
            row.live_text.clear()
            row.live_thinking.clear()
            self._changed(index)
        elif has_words(event.data):
            self._append(Row("assistant", event))

    def _live_row(self) -> int:
        if self._live is None:
            self._live = self._append(Row("assistant"))
        return self._live

    def _drop_live(self) -> None:
        index, self._live = self._live, None
        if index is not None:
            self._remove(index)

    def _put_pending(self, rows: list[Row]) -> None:
        """The words that wait stand behind all else."""
        first = len(self.rows) - len(self._pending)
        if self._pending:
            del self.rows[first:]
            self.on_change(RowsCut(first))
        self._pending = rows
        if rows:
            self.rows.extend(rows)
            self.on_change(RowsAppended(len(self.rows) - len(rows)))

    def _remove(self, index: int) -> None:
        del self.rows[index]
        self._open_calls = {call: at - (at > index) for call, at in self._open_calls.items()}
        self.on_change(RowsCut(index))

    def _append(self, row: Row) -> int:
        """Puts a row at the end, ahead of the words that wait; returns its index."""
        waiting = self._pending
        if waiting:
            self._put_pending([])
        self.rows.append(row)
        index = len(self.rows) - 1
        self.on_change(RowsAppended(index))
        if waiting:
            self._put_pending(waiting)
        return index

    def _changed(self, index: int) -> None:
        self.rows[index].version += 1
        self.on_change(RowChanged(index))


def _without_first(rows: list[Row], text: str) -> list[Row]:
    """The rows but the first one that says ``text``."""
    found = next((row for row in rows if row.text() == text), None)
    return [row for row in rows if row is not found]


def _ignore(change: TranscriptChange) -> None:
    """Nobody is shown the rows yet."""
