"""A line for words to look for in the transcript."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class SearchBar(Input):
    """Enter and Down look onwards, Up looks back, Esc leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,up", "seek(-1)", "Look back", show=False, id="search.back"),
        Binding("down", "seek(1)", "Look onwards", show=False, id="search.onwards"),
        Binding("escape", "leave", "Leave the search", show=False, id="search.leave"),
    ]

    class Sought(Message):
        """The person looks for ``text``; ``step`` is -1 for older rows."""

        def __init__(self, bar: SearchBar, text: str, step: int) -> None:
            super().__init__()
            self.bar = bar
            self.text = text
            self.step = step

    class Left(Message):
        """The search is over."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True, placeholder="Search the transcript: Enter older, Down newer, Esc leaves")
        self.display = False

    def open(self) -> None:
        self.display = True
        self.focus()

    def leave(self) -> None:
        self.display = False
        self.post_message(self.Left())

    def said(self, text: str) -> None:
        """Shows how the search went."""
        self.border_subtitle = text
        self.set_class(bool(text), "nothing")

    def action_leave(self) -> None:
        self.leave()

    def action_seek(self, step: int) -> None:
        if self.value:
            self.post_message(self.Sought(self, self.value, step))
