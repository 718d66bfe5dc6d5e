"""A line or two above the composer for what the person should know now; it never covers the draft."""

from __future__ import annotations

from textual import events
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from app.controllers.inert import inert
from app.controllers.text_layout import Line, Role, wrap_text
from app.widgets.role_styles import RoleStyles

MAX_LINES = 6


class NoticeBar(Widget, can_focus=False):
    """Shows one notice, until it is cleared, replaced or clicked away."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.text = ""
        self._role: Role = "text"
        self._lines: list[Line] = []
        self._roles = RoleStyles(self)
        self._timer: Timer | None = None
        self.display = False

    def say(self, text: str, role: Role = "text", seconds: float | None = None) -> None:
        """Shows ``text``; with ``seconds`` it goes by itself."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.text, self._role = text, role
        self.display = bool(text)
        self._layout(self.screen.size.width)
        if text and seconds is not None:
            self._timer = self.set_timer(seconds, self.clear)

    def clear(self) -> None:
        if self.text:
            self.say("")

    def on_resize(self, event: events.Resize) -> None:
        self._layout(event.size.width)

    def on_click(self) -> None:
        self.clear()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._roles.clear()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        if y >= len(self._lines):
            return Strip.blank(width, base)
        return self._roles.strip(self._lines[y], base).adjust_cell_length(width, base)

    def _layout(self, width: int) -> None:
        self._lines = wrap_text(inert(self.text), max(width - 1, 8), self._role, "  ")[:MAX_LINES] if self.text else []
        self.styles.height = max(len(self._lines), 1)
        self.refresh()
