"""A page of text over the chat, scrolled with the arrows, left with Esc."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from app.widgets.lines_view import LinesView, Page
from app.widgets.role_styles import ROLE_CLASSES


class PageScreen(ModalScreen[None]):
    """Shows what ``layout`` makes of the width."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ROLE_CLASSES

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Close", id="page.close"),
    ]

    def __init__(self, layout: Callable[[int], Page]) -> None:
        super().__init__()
        self._layout = layout

    def compose(self) -> ComposeResult:
        with Vertical(id="frame") as frame:
            frame.border_subtitle = "Esc closes"
            yield LinesView(self._layout)

    def action_leave(self) -> None:
        self.dismiss(None)
