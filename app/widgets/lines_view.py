"""Lines that are laid out anew for each width, scrolled, and (where some of them lead somewhere) chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from app.controllers.text_layout import Line
from app.widgets.role_styles import RoleStyles, over

_CURSOR = "lines--cursor"


@dataclass(frozen=True, slots=True)
class Page:
    """Lines, and what the choosable ones lead to, by line number."""

    lines: list[Line]
    targets: Mapping[int, object] = field(default_factory=dict[int, object])


class LinesView(ScrollView, can_focus=True):
    """Draws what ``layout`` makes of the width. ``always_cursor`` shows the chosen line without the focus too.

    ``mark`` is the character that stands before it. ``typed`` gets a character, or the name of a key that writes
    nothing, and says whether it took it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {_CURSOR}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "Up", show=False, id="lines.up"),
        Binding("down", "step(1)", "Down", show=False, id="lines.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="lines.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="lines.pagedown"),
        Binding("home", "edge(-1)", "Start", show=False, id="lines.home"),
        Binding("end", "edge(1)", "End", show=False, id="lines.end"),
        Binding("enter", "choose", "Choose", show=False, id="lines.choose"),
    ]

    class Chosen(Message):
        """The person chose a line that leads somewhere."""

        def __init__(self, view: LinesView, target: object) -> None:
            super().__init__()
            self.view = view
            self.target = target

        @property
        def control(self) -> LinesView:
            return self.view

    def __init__(
        self,
        layout: Callable[[int], Page] | None = None,
        *,
        always_cursor: bool = False,
        mark: str = "",
        typed: Callable[[str], bool] | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._mark = mark
        self._typed = typed
        self._always_cursor = always_cursor
        self._layout = layout
        self._page = Page([])
        self._width = 0
        self._target: object = None
        self._roles = RoleStyles(self)

    def show(self, layout: Callable[[int], Page]) -> None:
        """Draws something else, at the same place if that is still there."""
        self._layout = layout
        self._relayout()

    def on_mount(self) -> None:
        super().on_mount()
        self._relayout()

    def on_resize(self, event: events.Resize) -> None:
        if self.scrollable_content_region.width != self._width:
            self._relayout()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._roles.clear()

    def choose(self, target: object) -> None:
        """Puts the cursor on the line that leads to ``target``; None means the first that leads anywhere.

        Nothing moves when that line is in sight.
        """
        self._target = target
        self._relayout()
        line = next((line for line, there in self._page.targets.items() if there == self._target), None)
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if line is not None and not top <= line < top + height:
            self.scroll_to(y=max(line - height // 2, 0), animate=False)

    @property
    def target(self) -> object:
        """What the line with the cursor leads to."""
        return self._target

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.rich_style
        at = self.scroll_offset.y + y
        if at >= len(self._page.lines):
            return Strip.blank(width, base)
        strip = self._roles.strip(self._page.lines[at], base).adjust_cell_length(width, base)
        here = self._target is not None and self._page.targets.get(at) == self._target
        if here and (self.has_focus or self._always_cursor):
            strip = self._marked(over(strip, self.get_component_rich_style(_CURSOR, partial=True)))
        return strip.apply_offsets(0, at)

    def _marked(self, strip: Strip) -> Strip:
        """The strip with the cursor's mark in its first cell, if that is empty: colours alone may not be seen."""
        if not self._mark or strip.text[:1] != " ":
            return strip
        style = self.rich_style + self._roles["accent"] + self.get_component_rich_style(_CURSOR, partial=True)
        return Strip([Segment(self._mark, style), *strip.crop(1)])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(line.text for line in self._page.lines)), "\n"

    def action_step(self, by: int) -> None:
        places = self._places()
        if not places:
            self._target = None
            self.scroll_relative(y=by, animate=False)
            return
        now = next((index for index, (_, target) in enumerate(places) if target == self._target), None)
        index = (0 if by > 0 else len(places) - 1) if now is None else min(max(now + by, 0), len(places) - 1)
        line, self._target = places[index]
        height = self.scrollable_content_region.height
        if line < self.scroll_offset.y:
            self.scroll_to(y=line, animate=False)
        elif line >= self.scroll_offset.y + height - 1:
            self.scroll_to(y=line - height + 3, animate=False)
        self.refresh()

    def action_page(self, by: int) -> None:
        self.scroll_relative(y=by * max(self.scrollable_content_region.height - 2, 1), animate=False)

    def action_edge(self, by: int) -> None:
        self.scroll_to(y=0 if by < 0 else len(self._page.lines), animate=False)

    def action_choose(self) -> None:
        if self._target is not None:
            self.post_message(self.Chosen(self, self._target))

    def on_key(self, event: events.Key) -> None:
        if self._typed is not None and self._typed(event.character if event.is_printable else event.key):  # type: ignore[arg-type]
            event.stop()
            event.prevent_default()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        target = self._page.targets.get(self.scroll_offset.y + event.y)
        if target is not None:
            self._target = target
            self.refresh()
            self.action_choose()

    def _places(self) -> list[tuple[int, object]]:
        """The first line of each target, in order."""
        seen: dict[object, int] = {}
        for line in sorted(self._page.targets):
            seen.setdefault(self._page.targets[line], line)
        return [(line, target) for target, line in seen.items()]

    def _relayout(self) -> None:
        width = self.scrollable_content_region.width
        if self._layout is None or width <= 0:
            self._width = 0  # laid out once it has a size again
            return
        self._width = width
        self._page = self._layout(width)
        if self._target not in self._page.targets.values():
            self._target = next(iter(self._page.targets.values()), None) if self._always_cursor else None
        self.virtual_size = Size(width, len(self._page.lines))
        self.refresh()
