"""The side pane of the chat: shown, kept up to date, and a way to the files that it names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.widgets.lines_view import Page

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen

SHOWN = "with-pane"


class ChatPane:
    """Draws the skills and problems while the pane is open."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self.narrow = ""
        self.folded: bool | None = None

    @property
    def shown(self) -> bool:
        return self._screen.has_class(SHOWN)

    def show(self, shown: bool) -> None:
        """Opens or closes the pane and moves the focus with it."""
        screen = self._screen
        screen.set_class(shown, SHOWN)
        screen.follow_disk()
        self.refresh()
        if shown:
            screen.pane.focus()
        elif screen.focused is not screen.composer:
            screen.composer.focus()

    def refresh(self) -> None:
        """Draws the pane anew, if it is open."""
        from app.controllers.side_pane_lines import PaneFacts, PaneView, pane_lines

        session, marks = self._screen.session, self._screen.marks
        access = session.access
        if not self.shown or access is None:
            return
        facts = PaneFacts(session.skill_view, access, session.published(), session.description_length, session.cwd)
        folded = facts.many if self.folded is None else self.folded
        view = PaneView(self.narrow, folded)
        self._screen.pane.show(lambda width: Page(*pane_lines(facts, width, marks, view)))

    def typed(self, key: str) -> bool:
        """Typing narrows the pane to what holds the words, Space folds, Esc shows all again."""
        from app.controllers.side_pane_lines import MANY_SKILLS

        if key == "escape" and self.narrow:
            self.narrow = ""
        elif key == "backspace" and self.narrow:
            self.narrow = self.narrow[:-1]
        elif key == " " and not self.narrow:
            session = self._screen.session
            now = len(session.skill_view.snapshot.skills) if session.skill_view.snapshot is not None else 0
            self.folded = not (now > MANY_SKILLS if self.folded is None else self.folded)
        elif len(key) == 1:
            self.narrow += key
        else:
            return False
        self.refresh()
        return True

    def open_target(self, target: object) -> None:
        """Opens the file that a line of the pane leads to."""
        from app.controllers.side_pane_lines import SkillPlace

        if isinstance(target, SkillPlace):
            self.open_file(target.path, target.line)

    def open_file(self, path: str, line: int | None = None) -> None:
        """Opens a file in the person's editor and comes back."""
        self._screen.work.beside("", partial(self._edit_file, path, line))

    async def _edit_file(self, path: str, line: int | None) -> None:
        from app.screens.editor import open_in_editor

        fault = await open_in_editor(self._screen.skilldeck, self._screen.session.editor, path, line)
        if fault:
            self._screen.say(fault, "warning")
