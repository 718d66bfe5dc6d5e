"""The question that waits for an answer, at the end of the transcript; the draft below keeps the focus."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from app.controllers.marks import Marks
from app.controllers.question_lines import option_pieces, question_lines
from app.controllers.questions import Asked
from app.controllers.text_layout import Line, Piece
from app.messages import QuestionAnswered
from app.widgets.role_styles import RoleStyles

COMPACT_HEIGHT = 3
"""Lines of a compact question: its border, itself, its answers."""

_CHOSEN = "question--chosen"


class QuestionBar(Widget, can_focus=True):
    """Shows one question. Its answers have keys of their own; or focus it and choose with arrows and Enter."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {_CHOSEN}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)", "Answer before", show=False, id="question.left"),
        Binding("right", "choose(1)", "Next answer", show=False, id="question.right"),
        Binding("up", "scroll_text(-1)", "Up", show=False, id="question.up"),
        Binding("down", "scroll_text(1)", "Down", show=False, id="question.down"),
        Binding("enter", "answer", "Answer", show=False, id="question.enter"),
    ]

    def __init__(self, marks: Marks, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marks = marks
        self._roles = RoleStyles(self)
        self._asked: Asked | None = None
        self._waiting = 0
        self._chosen = 0
        self._top = 0
        self._lines: list[Line] = []
        self._compact = False
        self._spots: list[tuple[int, int, str]] = []
        self.display = False

    def show(self, asked: Asked | None, waiting: int) -> None:
        """Shows a question, or nothing; ``waiting`` counts it and those behind it."""
        if asked is not self._asked:
            self._chosen = self._top = 0
        self._asked, self._waiting = asked, waiting
        self.display = asked is not None
        self._layout()

    @property
    def compact(self) -> bool:
        """Whether only the question itself and its answers show, while something else needs the room."""
        return self._compact

    @compact.setter
    def compact(self, compact: bool) -> None:
        if compact != self._compact:
            self._compact = compact
            self._top = 0
            self._layout()

    def on_resize(self, event: events.Resize) -> None:
        self._layout()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._roles.clear()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        shown = max(self.size.height - 1, 0)
        if self._asked is None:
            return Strip.blank(width, base)
        if y == shown:
            return self._roles.strip(self._answers(), base).adjust_cell_length(width, base)
        at = self._top + y
        if at >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[at]
        left = len(self._lines) - self._top - shown
        if y == shown - 1 and left > 0 and not self._compact:
            line = Line((Piece(f"  … {left + 1} more lines: Shift+Tab, then Down", "muted"),))
        return self._roles.strip(line, base).adjust_cell_length(width, base)

    def action_choose(self, by: int) -> None:
        if self._asked is not None:
            self._chosen = (self._chosen + by) % len(self._asked.options)
            self.refresh()

    def action_scroll_text(self, by: int) -> None:
        self._top = min(max(self._top + by, 0), max(len(self._lines) - self.size.height + 1, 0))
        self.refresh()

    def action_answer(self) -> None:
        if self._asked is not None:
            self.post_message(QuestionAnswered(self._asked.options[self._chosen].value))

    def on_click(self, event: events.Click) -> None:
        if event.y == self.size.height - 1:
            for start, end, value in self._spots:
                if start <= event.x < end:
                    self.post_message(QuestionAnswered(value))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _answers(self) -> Line:
        assert self._asked is not None
        pieces: list[Piece] = [Piece(" ")]
        self._spots = []
        for index, option in enumerate(self._asked.options):
            start = sum(len(piece.text) for piece in pieces)
            chosen = self.has_focus and index == self._chosen
            pieces += [*option_pieces(option, chosen=chosen, marks=self._marks), Piece("   ")]
            self._spots.append((start, sum(len(piece.text) for piece in pieces) - 2, option.value))
        if self._waiting > 1:
            pieces.append(Piece(f"{self._waiting - 1} more after this", "muted"))
        return Line(tuple(pieces))

    def _layout(self) -> None:
        if self._asked is None:
            return
        self._lines = question_lines(self._asked, max(self.screen.size.width - 4, 8))
        room = max(min(self.screen.size.height // 2 - 3, 14), 2)
        self.styles.height = COMPACT_HEIGHT if self._compact else min(len(self._lines), room) + 2
        self.refresh()
