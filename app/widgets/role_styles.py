"""From the roles of pieces to the theme's colours, and from lines to strips."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from app.controllers.text_layout import Line, Role

if TYPE_CHECKING:
    from textual.widget import Widget

ROLES: tuple[Role, ...] = get_args(Role)
ROLE_CLASSES: set[str] = {f"role--{role}" for role in ROLES}
"""Component classes of every screen on which pieces are drawn; the style sheets colour them.

They are the screen's, for all its widgets alike: Textual works out the style of each class of each widget at the start.
"""


def over(strip: Strip, style: Style) -> Strip:
    """The strip with ``style`` on top of its own; ``Strip.apply_style`` puts it beneath, where a ground hides it."""
    return Strip(Segment.apply_style(strip, post_style=style), strip.cell_length)


class RoleStyles:
    """The styles of one widget's roles, looked up once until the theme changes."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[Role, Style] = {}

    def clear(self) -> None:
        self._styles.clear()

    def __getitem__(self, role: Role) -> Style:
        style = self._styles.get(role)
        if style is None:
            style = self._widget.screen.get_component_rich_style(f"role--{role}", partial=True)
            self._styles[role] = style
        return style

    def strip(self, line: Line, base: Style) -> Strip:
        """The line's pieces in their styles over ``base``, not padded."""
        return Strip([Segment(text, base + self[role]) for text, role in line.pieces if text])
