"""The completion popup: one widget that draws its own lines, so that ten thousand choices cost no more than ten."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.widget import Widget

from app.controllers.completion import Completion
from app.controllers.marks import Marks
from app.controllers.popup_lines import (
    MAX_ROWS,
    Detail,
    Window,
    choice_line,
    count_line,
    detail,
    detail_height,
    name_width,
    window,
)
from app.controllers.text_layout import Line
from app.messages import ChoiceClicked, SelectionScrolled
from app.widgets.role_styles import RoleStyles

_SELECTED = "popup--selected"


class CompletionPopup(Widget, can_focus=False):
    """Shows the state of a ``Completion`` above the composer; it never holds the focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {_SELECTED}

    def __init__(self, completion: Completion, marks: Marks, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.completion = completion
        self._marks = marks
        self._first = 0
        self._names: tuple[object, int, int] = (None, 0, 0)
        self._detail: tuple[object, int, int, int] = (None, 0, 0, 0)
        self._roles = RoleStyles(self)
        self._lines: list[tuple[Line, bool]] = []
        self.display = False

    def follow(self, anchor: Region) -> bool:
        """Takes in the completion's state, and stands above ``anchor``. True when its place or size changed."""
        state = self.completion
        if not state.open:
            changed = self.display
            self.display = False
            self._first = 0
            return changed
        width = min(anchor.width, 120)
        room = max(min(MAX_ROWS, anchor.y - 2), 1)
        shown = window(len(state.items), state.index, self._first, room)
        self._first = shown.first
        self._lines = self._draw(shown, width, self._detail_height(width, anchor.y - shown.count - 1))
        height = len(self._lines)
        place = Offset(anchor.x, max(anchor.y - height, 0))
        before = (self.display, self.outer_size.width, self.outer_size.height, self.absolute_offset)
        if before == (True, width, height, place):
            self.refresh()
            return False
        self.styles.width, self.styles.height = width, height
        self.absolute_offset = place
        self.display = True
        self.refresh(layout=True)
        return True

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, base)
        line, selected = self._lines[y]
        if selected:
            base = base + self.get_component_rich_style(_SELECTED, partial=True)
        return self._roles.strip(line, base).adjust_cell_length(width, Style(bgcolor=base.bgcolor))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._roles.clear()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(-3)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        index = self._first + event.y
        rows = min(len(self.completion.items), MAX_ROWS)
        if 0 <= event.y < rows and index < len(self.completion.items):
            self.completion.select(index)
            self.post_message(ChoiceClicked())

    def _scroll(self, rows: int) -> None:
        target = self.completion.index + rows
        self.completion.select(min(max(target, 0), len(self.completion.items) - 1))
        self.post_message(SelectionScrolled())

    def _detail_height(self, width: int, room: int) -> int:
        """Measured once for each list of choices."""
        items = self.completion.items
        if self._detail[0] is not items or self._detail[1:3] != (width, room):
            self._detail = (items, width, room, detail_height(items, width, room))
        return self._detail[3]

    def _draw(self, shown: Window, width: int, detail_room: int) -> list[tuple[Line, bool]]:
        state = self.completion
        if self._names[0] is not state.items or self._names[1] != width:
            self._names = (state.items, width, name_width(state.items, width))
        lines: list[tuple[Line, bool]] = []
        for index in range(shown.first, shown.first + shown.count):
            choice = state.items[index]
            selected = index == shown.selected
            lines.append(
                (
                    choice_line(
                        choice,
                        width,
                        self._names[2],
                        state.positions(choice),
                        selected=selected,
                        marks=self._marks,
                    ),
                    selected,
                )
            )
        above = state.fresh(0, shown.first)
        below = state.fresh(shown.first + shown.count, len(state.items))
        chosen = state.selected
        below_them = Detail(()) if chosen is None else detail(chosen, width, detail_room, state.reading)
        if below_them.first != state.reading:
            state.read_at(below_them.first)
        foot = count_line(
            shown,
            width,
            self._marks,
            above,
            below,
            enter_accepts=state.enter_accepts(),
            reading=below_them.reading,
        )
        lines.extend((line, False) for line in (foot, *below_them.lines))
        return lines
