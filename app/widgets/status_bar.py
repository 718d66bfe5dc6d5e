"""The one line at the bottom."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.controllers.marks import Marks
from app.controllers.status_line import StatusFacts, status_line
from app.widgets.role_styles import RoleStyles


class StatusBar(Widget, can_focus=False):
    """Shows ``facts``; set them and it repaints."""

    facts: reactive[StatusFacts | None] = reactive[StatusFacts | None](None)

    def __init__(self, marks: Marks, home: str | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marks = marks
        self._home = home
        self._roles = RoleStyles(self)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._roles.clear()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        base = self.rich_style
        if y or self.facts is None:
            return Strip.blank(width, base)
        line = status_line(self.facts, width, self._marks, self._home)
        return self._roles.strip(line, base).adjust_cell_length(width, base)
