"""Turns the lines of the transcript into strips with their colours; where they stand is the view's business."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from app.controllers.marks import Marks
from app.controllers.row_cache import RowCache
from app.controllers.text_layout import Line
from app.controllers.transcript_search import spans
from app.widgets.role_styles import RoleStyles, over

CURSOR = "transcript--cursor"
MORE = "transcript--more"
FOUND = "transcript--found"

_KEPT_ROWS = 400
"""Rows whose strips are kept; far more than are ever in sight."""


class TranscriptPainter:
    """Paints for ``widget``, with its styles. ``welcome`` gives the lines for a transcript without rows."""

    def __init__(self, widget: Widget, cache: RowCache, welcome: Callable[[int], list[Line]], marks: Marks) -> None:
        self._widget = widget
        self._cache = cache
        self._welcome = welcome
        self._marks = marks
        self._roles = RoleStyles(widget)
        self._welcome_lines: tuple[int, list[Line]] | None = None
        self._strips: dict[int, tuple[object, list[Strip]]] = {}

    def clear(self) -> None:
        """The rows or the width are others now."""
        self._strips.clear()

    def restyle(self) -> None:
        """The colours are others now."""
        self._roles.clear()
        self._strips.clear()

    def welcome_changed(self) -> None:
        """The words for an empty transcript are others now."""
        self._welcome_lines = None

    def welcome(self, y: int, width: int) -> Strip:
        """Line ``y`` of an empty transcript."""
        if self._welcome_lines is None or self._welcome_lines[0] != width:
            self._welcome_lines = (width, self._welcome(width))
        lines, base = self._welcome_lines[1], self._widget.rich_style
        if y >= len(lines):
            return Strip.blank(width, base)
        return self._roles.strip(lines[y], base).adjust_cell_length(width, base)

    def more(self, width: int, below: int) -> Strip:
        """The line that says how much lies below what is in sight."""
        style = self._widget.rich_style + self._widget.get_component_rich_style(MORE, partial=True)
        said = f" {self._marks.down} {below:,} more lines below {self._marks.separator} End goes there "
        return Strip([Segment(said, style)]).crop(0, width).extend_cell_length(width, style)

    def line(self, index: int, offset: int, width: int) -> Strip | None:
        """Line ``offset`` of row ``index``; None when the row has none there."""
        strips = self._row(index)
        return strips[offset].extend_cell_length(width, self._widget.rich_style) if offset < len(strips) else None

    def with_found(self, strip: Strip, sought: str) -> Strip:
        """The strip with every place that holds the sought text marked."""
        text, style = strip.text, self._widget.get_component_rich_style(FOUND)
        for start, end in spans(text, sought):
            strip = _over_cells(strip, cell_len(text[:start]), cell_len(text[:end]), style)
        return strip

    def with_cursor(self, strip: Strip) -> Strip:
        """The strip on the ground of the row that the keys mean."""
        return over(strip, self._widget.get_component_rich_style(CURSOR, partial=True))

    def with_selected(self, strip: Strip, span: tuple[int, int]) -> Strip:
        """The strip with the code points of ``span`` marked as selected; an end of -1 is the end of the line."""
        text = strip.text
        end = strip.cell_length if span[1] == -1 else cell_len(text[: span[1]])
        style = self._widget.screen.get_component_rich_style("screen--selection")
        return _over_cells(strip, cell_len(text[: span[0]]), end, style)

    def _row(self, index: int) -> list[Strip]:
        lines = self._cache.lines(index)
        kept = self._strips.get(index)
        if kept is not None and kept[0] is lines:
            return kept[1]
        base = self._widget.rich_style
        strips = [self._roles.strip(line, base) for line in lines]
        if len(self._strips) > _KEPT_ROWS:
            self._strips.clear()
        self._strips[index] = (lines, strips)
        return strips


def _over_cells(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """The strip with a style laid over its cells from ``start`` to ``end``."""
    parts = (strip.crop(0, start), over(strip.crop(start, end), style), strip.crop(end, strip.cell_length))
    return Strip.join(parts)
