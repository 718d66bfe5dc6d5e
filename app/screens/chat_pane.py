"""The side pane of the chat: shown, kept up to date, and a way to the files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.lines_view import Page

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen

SHOWN = "with-pane"


class ChatPane:
    """Draws the skills and problems while the pane is open."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    @property
    def shown(self) -> bool:
        return self._screen.has_class(SHOWN)

    def show(self, shown: bool) -> None:
        """Opens or closes the pane and moves the focus with it."""
        screen = self._screen
        screen.set_class(shown, SHOWN)
        self.refresh()
        if shown:
            screen.pane.focus()
        elif screen.focused is not screen.composer:
            screen.composer.focus()

    def refresh(self) -> None:
        """Draws the pane anew, if it is open."""
        from app.controllers.side_pane_lines import PaneFacts, pane_lines

        session, marks = self._screen.session, self._screen.marks
        access = session.access
        if not self.shown or access is None:
            return
        facts = PaneFacts(session.skill_view, access, session.published(), session.description_length, session.cwd)
        self._screen.pane.show(lambda width: Page(*pane_lines(facts, width, marks)))

    def open_target(self, target: object) -> None:
        """Opens the file that a line of the pane leads to."""
        from app.controllers.side_pane_lines import SkillPlace

        if isinstance(target, SkillPlace):
            self.open_file(target.path, target.line)

    def open_file(self, path: str, line: int | None = None) -> None:
        """Opens a file in the person's editor and comes back."""
        from app.screens.editor import open_in_editor

        fault = open_in_editor(self._screen.skilldeck, self._screen.session.editor, path, line)
        if fault:
            self._screen.say(fault, "warning")
