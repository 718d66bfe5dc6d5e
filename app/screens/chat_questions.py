"""The question above the draft that waits for an answer, and what the person answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.controllers.questions import TOO_SOON, TRUST_SAID
from app.widgets.composer import Composer

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen


class ChatQuestions:
    """Between the desk, where questions wait, and the bar that shows the first of them."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    def changed(self) -> None:
        """Shows the question that waits now, and gives the composer the focus when there is none."""
        screen = self._screen
        if not screen.alive:
            return
        screen.question.show(screen.desk.current, screen.desk.waiting)
        screen.surroundings.show_popup()
        if screen.desk.current is None and not isinstance(screen.focused, Composer):
            screen.composer.focus()
        screen.surroundings.show_hints()
        screen.surroundings.show_status()

    def answer(self, value: str) -> None:
        """Answers the question that is shown, if there is one, and says what that means or why it did not count."""
        screen = self._screen
        current = screen.desk.current
        if current is None:
            return
        if not screen.desk.answer(value):
            screen.say(TOO_SOON, "warning", 4)
        elif current.kind == "trust":
            screen.say(TRUST_SAID[value], "muted", 6)

    def answer_at(self, index: int) -> None:
        """Gives the answer of that place, counted from 0, if the question offers so many."""
        current = self._screen.desk.current
        if current is not None and index < len(current.options):
            self.answer(current.options[index].value)
