"""The transcript on the screen: only the rows in sight are laid out, whatever the length of the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from app.controllers.marks import Marks
from app.controllers.row_cache import RowCache
from app.controllers.text_layout import Line
from app.controllers.transcript import RowChanged, RowsAppended, RowsCut, RowsReset, Transcript, TranscriptChange
from app.controllers.transcript_search import spans
from app.messages import RowChosen, RowCopied, RowToggled
from app.widgets.transcript_painter import CURSOR, FOUND, MORE, TranscriptPainter

LIVE_INTERVAL = 0.05
"""Seconds between two paintings of a reply that is coming in."""


class TranscriptView(ScrollView, can_focus=True):
    """Draws a ``Transcript``. It follows the tail unless the person has scrolled up, and then says so.

    ``welcome`` gives the lines for an empty one.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {CURSOR, MORE, FOUND}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Row above", show=False, id="transcript.up"),
        Binding("down", "move(1)", "Row below", show=False, id="transcript.down"),
        Binding("enter,space", "fold", "Open or close", show=False, id="transcript.toggle"),
        Binding("ctrl+y", "copy_row", "Copy the row", show=False, id="transcript.copy"),
        Binding("home", "first", "First row", show=False, id="transcript.home"),
        Binding("end", "last", "Last row", show=False, id="transcript.end"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="transcript.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="transcript.pagedown"),
    ]

    def __init__(
        self, transcript: Transcript, marks: Marks, welcome: Callable[[int], list[Line]], *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.transcript = transcript
        self._cursor: int | None = None
        self._sought = ""
        self.following = True
        self._cache = RowCache(transcript, marks)
        self._painter = TranscriptPainter(self, self._cache, welcome, marks)
        self._settling = False
        self._live_timer: Timer | None = None
        self._changed_rows: set[int] = set()
        transcript.on_change = self.rows_changed

    @property
    def cursor(self) -> int | None:
        """The row that the keys mean; None before the first row, and until the keys come here."""
        return self._cursor

    @cursor.setter
    def cursor(self, index: int | None) -> None:
        if index != self._cursor:
            self._cursor = index
            self.post_message(RowChosen())

    @property
    def cursor_opens(self) -> bool:
        """Whether the row at the cursor can be opened and closed."""
        return self.cursor is not None and self._opens(self.cursor)

    # What the transcript says

    def rows_changed(self, change: TranscriptChange) -> None:
        """Takes in a change of the rows. Growth of a running reply is painted at most every 50 ms."""
        match change:
            case RowsAppended(first):
                self._cache.appended(first)
                self._settle()
            case RowChanged(index):
                self._changed_rows.add(index)
                if self._live_timer is None and self.is_attached:
                    self._live_timer = self.set_timer(LIVE_INTERVAL, self._paint_changed)
            case RowsCut(first):
                self._cache.cut(first)
                self._cache.appended(first)
                self._keep_cursor()
                self._settle()
                self.refresh()
            case RowsReset():
                self._reset()

    def welcome_changed(self) -> None:
        """The words for an empty transcript are others now."""
        self._painter.welcome_changed()
        if not self.transcript.rows:
            self.refresh()

    def show_row(self, index: int) -> None:
        """Brings a row into view and puts the cursor on it."""
        if not 0 <= index < len(self.transcript.rows):
            return
        self.cursor = index
        self._cache.measure(index)
        top, height = self._cache.span(index)
        view = self._view_height
        if top < self.scroll_offset.y or height >= view:
            self._scroll_to_line(top)
        elif top + height > self.scroll_offset.y + view:
            self._scroll_to_line(top + height - view)
        self._settle()
        self.refresh()

    def seek(self, text: str, index: int | None) -> None:
        """Marks the text wherever it stands, and brings it into view in row ``index``."""
        self._sought = text
        if index is not None:
            self._changed_rows.add(index)
            self._paint_changed()
            self.cursor = index
            self._cache.measure(index)
            top, _ = self._cache.span(index)
            lines = self._cache.lines(index)
            line = top + next((at for at, line in enumerate(lines) if spans(line.text, text)), 0)
            if not self.scroll_offset.y <= line < self.scroll_offset.y + self._view_height - 1:
                self.following = False
                self._update_size()
                self._scroll_to_line(line - self._view_height // 3)
            self._settle()
        self.refresh()

    def repaint_row(self, index: int) -> None:
        """Takes in at once that a row opened or closed."""
        self._changed_rows.add(index)
        self._paint_changed()

    # Layout

    def on_mount(self) -> None:
        super().on_mount()
        self._reset()

    def on_resize(self, event: events.Resize) -> None:
        self._layout_width()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.restyle()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and round(old_value) != round(new_value):
            self.following = new_value >= self.max_scroll_y
            self._settle()

    @property
    def _view_height(self) -> int:
        return max(self.scrollable_content_region.height, 1)

    def _layout_width(self) -> None:
        width = self.scrollable_content_region.width
        if width != self._cache.width:
            anchor = self._cache.at(self.scroll_offset.y)
            self._cache.set_width(width)
            self._painter.clear()
            if not self.following:
                self._cache.measure(anchor[0])
                top, height = self._cache.span(anchor[0])
                self._update_size()
                self._scroll_to_line(top + min(anchor[1], max(height - 1, 0)))
        self._settle()

    def _reset(self) -> None:
        self._cache.reset()
        self._painter.clear()
        self._keep_cursor()
        self._settle()
        self.refresh()

    def _keep_cursor(self) -> None:
        last = len(self.transcript.rows) - 1
        self.cursor = None if self.cursor is None or last < 0 else min(self.cursor, last)

    def _paint_changed(self) -> None:
        self._live_timer = None
        rows, self._changed_rows = self._changed_rows, set()
        for index in rows:
            if index < len(self.transcript.rows):
                self._cache.changed(index)
        self._settle()
        self.refresh()

    def _settle(self) -> None:
        """Lays out what is in sight, and scrolls so that nothing in sight jumps."""
        if self._settling or not self.is_attached or self._cache.width <= 0:
            return
        self._settling = True
        try:
            height = self._view_height
            if self.following:
                self._cache.measure_tail(height)
                self._update_size()
                self._scroll_to_line(self._cache.total - height)
            else:
                grown = self._cache.measure_from(self.scroll_offset.y, height)
                self._update_size()
                if grown:
                    self._scroll_to_line(self.scroll_offset.y + grown)
                self.following = self.scroll_offset.y >= self.max_scroll_y
        finally:
            self._settling = False

    def _update_size(self) -> None:
        size = Size(self._cache.width, self._cache.total)
        if size != self.virtual_size:
            self.virtual_size = size
            self.refresh()

    def _scroll_to_line(self, line: int) -> None:
        self.scroll_to(y=max(line, 0), animate=False, force=True, immediate=True)

    # Drawing

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if not self.transcript.rows:
            return self._painter.welcome(y, width)
        below = self.max_scroll_y - self.scroll_offset.y
        if y == self._view_height - 1 and below > 0 and not self.following:
            return self._painter.more(width, int(below))
        at = self.scroll_offset.y + y
        index, offset = self._cache.at(at)
        strip = self._painter.line(index, offset, width) if index < len(self.transcript.rows) else None
        if strip is None:
            return Strip.blank(width, self.rich_style)
        if self._sought:
            strip = self._painter.with_found(strip, self._sought)
        if index == self.cursor and self.has_focus:
            strip = self._painter.with_cursor(strip)
        selection = self.text_selection
        span = selection.get_span(at) if selection is not None else None
        if span is not None:
            strip = self._painter.with_selected(strip, span)
        return strip.apply_offsets(0, at)

    # Selecting and copying

    @property
    def allow_select(self) -> bool:
        return True

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected words, without the layout around them; lines that only the width broke are joined."""
        first = 0 if selection.start is None else selection.start.y
        last = self._cache.total - 1 if selection.end is None else min(selection.end.y, self._cache.total - 1)
        out: list[str] = []
        for y in range(first, last + 1):
            line = self._line(y)
            span = selection.get_span(y)
            if line is None or span is None:
                out.append("\n")
                continue
            start, end = max(span[0], line.indent), len(line.text) if span[1] == -1 else span[1]
            out.append(line.text[start:end].rstrip() + (line.joint if line.soft else "\n"))
        return "".join(out).rstrip("\n"), "\n"

    def _line(self, y: int) -> Line | None:
        index, offset = self._cache.at(y)
        if index >= len(self.transcript.rows):
            return None
        lines = self._cache.lines(index)
        return lines[offset] if offset < len(lines) else None

    # Keys and mouse

    def action_move(self, rows: int) -> None:
        count = len(self.transcript.rows)
        if count:
            current = count - 1 if self.cursor is None else self.cursor + rows
            self.show_row(min(max(current, 0), count - 1))

    def action_first(self) -> None:
        self.following = False
        self.show_row(0)

    def action_last(self) -> None:
        self.cursor = len(self.transcript.rows) - 1 if self.transcript.rows else None
        self.follow_tail()

    def follow_tail(self) -> None:
        """Shows the newest row from now on."""
        self.following = True
        self._settle()
        self.refresh()

    def action_page(self, pages: int) -> None:
        self.scroll_lines(pages * max(self._view_height - 2, 1))

    def scroll_lines(self, lines: int) -> None:
        """Scrolls by lines; up leaves the tail."""
        self._scroll_to_line(self.scroll_offset.y + lines)

    def action_fold(self) -> None:
        if self.cursor is not None:
            self.post_message(RowToggled(self.cursor))

    def action_copy_row(self) -> None:
        if self.cursor is not None:
            self.post_message(RowCopied(self.cursor))

    def on_focus(self) -> None:
        if self.cursor is None and self.transcript.rows:
            self.cursor = self._first_choice()
        self.refresh()

    def _first_choice(self) -> int:
        """The newest row in sight that opens; the newest in sight when none does."""
        top = self.scroll_offset.y
        last = min(self._cache.at(top + self._view_height - 1)[0], len(self.transcript.rows) - 1)
        in_sight = range(last, self._cache.at(top)[0] - 1, -1)
        return next((index for index in in_sight if self._opens(index)), last)

    def _opens(self, index: int) -> bool:
        return index < len(self.transcript.rows) and self.transcript.rows[index].foldable

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        if self.screen.get_selected_text():
            return
        index, offset = self._cache.at(self.scroll_offset.y + event.y)
        if index >= len(self.transcript.rows):
            return
        self.cursor = index
        self.refresh()
        if offset == self._cache.gap(index) and self.transcript.rows[index].foldable:
            self.post_message(RowToggled(index))
