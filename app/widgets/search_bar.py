"""A line for words to look for in the transcript, with how the search went."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from app.controllers.marks import Marks

KEYS = ("Enter older", "Down newer", "Esc leaves")
TYPING_PAUSE = 0.1
"""Seconds without a key after which the words that were typed are looked for."""


class SearchBar(Horizontal):
    """Looks while the person types. Enter and Up look back, Down looks onwards, Esc leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "seek(-1)", "Look back; Enter too", show=False, id="search.back"),
        Binding("down", "seek(1)", "Look onwards", show=False, id="search.onwards"),
        Binding("escape", "leave", "Leave the search", show=False, id="search.leave"),
    ]

    class Sought(Message):
        """The person looks for ``text``; ``step`` is -1 for older rows, 1 for newer, 0 for the nearest."""

        def __init__(self, bar: SearchBar, text: str, step: int) -> None:
            super().__init__()
            self.bar = bar
            self.text = text
            self.step = step

    class Left(Message):
        """The search is over."""

    def __init__(self, marks: Marks, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._separator = f" {marks.separator} "
        self.input = Input(compact=True, placeholder="words in the transcript")
        self._said = Static(self._separator.join(KEYS), classes="said", markup=False)
        self._typing: Timer | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        yield Static("Search ", classes="label", markup=False)
        yield self.input
        yield self._said

    @property
    def value(self) -> str:
        return self.input.value

    def open(self) -> None:
        """Shows the bar with the words of last time, ready to be written over."""
        self.display = True
        self.input.focus()
        self.input.select_all()
        if self.value:
            self.action_seek(0)

    def leave(self) -> None:
        self._stop_waiting()
        self.display = False
        self.post_message(self.Left())

    def said(self, text: str) -> None:
        """Shows how the search went, beside the keys."""
        self._said.update(self._separator.join((text, *KEYS) if text else KEYS))

    def action_leave(self) -> None:
        self.leave()

    def action_seek(self, step: int) -> None:
        self._stop_waiting()
        if self.display:
            self.post_message(self.Sought(self, self.value, step))

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        self._stop_waiting()
        if self.display:
            self._typing = self.set_timer(TYPING_PAUSE, lambda: self.action_seek(0))

    @on(Input.Submitted)
    def _entered(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_seek(-1)

    def _stop_waiting(self) -> None:
        if self._typing is not None:
            self._typing.stop()
            self._typing = None
