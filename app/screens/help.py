"""Every key and every command, gathered from where they are defined; and the program's own documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from app.controllers.commands import COMMANDS
from app.controllers.help_lines import KeyHelp, document_lines, help_lines
from app.screens.page import PageScreen
from app.widgets.lines_view import Page

if TYPE_CHECKING:
    from textual.app import App


class HelpScreen(PageScreen):
    """Without a topic the keys and commands, else the document of that name."""

    def __init__(self, topic: str = "") -> None:
        self._topic = topic
        super().__init__(self._lines)

    def _lines(self, width: int) -> Page:
        from app.assets import help_topics

        if self._topic:
            return Page(document_lines(help_topics(), self._topic, width))
        topics = sorted(path.stem for path in help_topics().glob("*.md"))
        return Page(help_lines(self._keys(), COMMANDS, topics, width))

    def _keys(self) -> list[tuple[str, list[KeyHelp]]]:
        from textual.binding import Binding

        from app.main import SkilldeckApp
        from app.screens.chat import ChatScreen
        from app.widgets.composer import Composer
        from app.widgets.lines_view import LinesView
        from app.widgets.question_bar import QuestionBar
        from app.widgets.search_bar import SearchBar
        from app.widgets.transcript_view import TranscriptView

        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        keymap = dict(app._keymap)  # pyright: ignore[reportPrivateUsage]
        groups: list[tuple[str, list[KeyHelp]]] = []
        for title, owner in (
            ("Everywhere", SkilldeckApp),
            ("In the chat", ChatScreen),
            ("While writing", Composer),
            ("In the transcript (Tab or Shift+Tab goes there)", TranscriptView),
            ("At a question", QuestionBar),
            ("In the side pane and on pages", LinesView),
            ("In the search", SearchBar),
        ):
            keys = [
                KeyHelp(keymap.get(binding.id or "", binding.key), binding.description, binding.id or "")
                for binding in owner.BINDINGS
                if isinstance(binding, Binding) and binding.id
            ]
            groups.append((title, keys))
        return groups
