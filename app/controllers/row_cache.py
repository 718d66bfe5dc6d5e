"""The laid out rows of a transcript: kept while they are near, estimated while they were never in sight."""

from __future__ import annotations

from collections import OrderedDict

from app.controllers.marks import Marks
from app.controllers.row_heights import RowHeights
from app.controllers.row_lines import LiveLines, estimated_height, gap_before, row_lines
from app.controllers.text_layout import Line
from app.controllers.transcript import Transcript
from app.controllers.transcript_row import Row

KEPT_ROWS = 400


class RowCache:
    """Lines and heights of rows at one width. A row's lines include the gap above it."""

    def __init__(self, transcript: Transcript, marks: Marks) -> None:
        self.width = 0
        self._transcript = transcript
        self._marks = marks
        self._heights = RowHeights()
        self._measured: list[bool] = []
        self._kept: OrderedDict[Row, tuple[tuple[int, bool, bool, int], list[Line]]] = OrderedDict()
        self._live = LiveLines()

    @property
    def total(self) -> int:
        return self._heights.total

    def reset(self) -> None:
        """Estimates every row anew."""
        rows = self._transcript.rows
        self._measured = [False] * len(rows)
        heights: list[int] = []
        previous: Row | None = None
        for row in rows:
            heights.append(estimated_height(row, self.width) + gap_before(row, previous))
            previous = row
        self._heights.reset(heights)

    def set_width(self, width: int) -> None:
        self.width = width
        self._kept.clear()
        self.reset()

    def appended(self, first: int) -> None:
        for index in range(first, len(self._transcript.rows)):
            self._heights.append(estimated_height(self._transcript.rows[index], self.width) + self.gap(index))
            self._measured.append(False)

    def cut(self, count: int) -> None:
        """Forgets all but the first ``count`` rows."""
        self._heights.cut(count)
        del self._measured[count:]

    def changed(self, index: int) -> None:
        self._measured[index] = False

    def gap(self, index: int) -> int:
        rows = self._transcript.rows
        return gap_before(rows[index], rows[index - 1] if index else None)

    def at(self, line: int) -> tuple[int, int]:
        """The row at a line of the transcript, and the offset in it."""
        return self._heights.at(line)

    def span(self, index: int) -> tuple[int, int]:
        """The line where a row begins, and its height."""
        return self._heights.before(index), self._heights[index]

    def lines(self, index: int) -> list[Line]:
        """The row's lines; the same list object while nothing changed."""
        row = self._transcript.rows[index]
        key = (row.version, row.expanded, row.live, self.gap(index))
        kept = self._kept.get(row)
        if kept is not None and kept[0] == key:
            self._kept.move_to_end(row)
            return kept[1]
        if row.live and row.kind == "assistant":
            body = self._live.lines(row, self.width)
        else:
            body = row_lines(row, self.width, self._marks)
        lines = [*([Line()] * key[3]), *body]
        self._kept[row] = (key, lines)
        if len(self._kept) > KEPT_ROWS:
            self._kept.popitem(last=False)
        return lines

    def measure(self, index: int) -> int:
        """Lays a row out if it was only estimated; returns by how many lines it grew."""
        if index >= len(self._measured) or self._measured[index]:
            return 0
        self._measured[index] = True
        return self._heights.set(index, len(self.lines(index)))

    def measure_tail(self, height: int) -> None:
        """Lays out as many of the last rows as ``height`` lines show."""
        left = height
        for index in range(len(self._measured) - 1, -1, -1):
            self.measure(index)
            left -= self._heights[index]
            if left <= 0:
                return

    def measure_from(self, top: int, height: int) -> int:
        """Lays out the rows from line ``top`` on; returns by how much what lies above that line grew."""
        index, offset = self._heights.at(top)
        above = self.measure(index) if offset else 0
        bottom = top + above + height
        if not offset:
            self.measure(index)
        index += 1
        while index < len(self._measured) and self._heights.before(index) < bottom:
            self.measure(index)
            index += 1
        return above
