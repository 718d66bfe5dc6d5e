"""What is shown around the draft: the popup above it, keys and queued messages on its edges, the status below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from app.controllers.hints import composer_hints
from app.controllers.inert import inert_line
from app.controllers.status_line import StatusFacts
from app.controllers.text_layout import cut
from app.widgets.painting import paint_now
from app.widgets.question_bar import COMPACT_HEIGHT

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen


class ChatSurroundings:
    """Shows what the controllers know; before the widgets are there and after they went it does nothing."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._popup_was_open = False
        self._wanted_files = False

    def draft_followed(self) -> None:
        """Shows what the completion makes of the draft, still inside the handler of the key that changed it."""
        wants_files = self._screen.completion.wants_files
        if wants_files and not self._wanted_files:
            self._screen.session.list_files()
        self._wanted_files = wants_files
        self.show_popup(now=True)

    def show_popup(self, *, now: bool = False) -> None:
        """Draws the popup as the completion is; ``now`` writes it to the terminal before anything else happens."""
        screen = self._screen
        if not screen.alive:
            return
        is_open = screen.completion.open
        anchor = screen.composer.region
        screen.question.compact = is_open
        if screen.question.display and is_open:
            notice = screen.notice.outer_size.height if screen.notice.display else 0
            anchor = anchor.translate((0, -COMPACT_HEIGHT - notice))
        moved = screen.popup.follow(anchor)
        if is_open != self._popup_was_open:
            self._popup_was_open = is_open
            self.show_hints()
            screen.follow_disk()
        if now:
            paint_now(screen, {screen.composer, screen.popup}, layout=moved)

    def show_hints(self) -> None:
        """Writes the keys that fit the moment and the queued messages on the composer's edges."""
        screen = self._screen
        if not screen.alive:
            return
        composer, width = screen.composer, screen.size.width
        hints = composer_hints(
            max(width - 6, 0),
            screen.marks,
            busy=screen.session.busy,
            popup=screen.completion.open,
            question=screen.desk.current is not None,
            drafting=bool(composer.text),
            elsewhere=(screen.focused.id or "") if screen.focused not in (None, composer) else "",
            opens=screen.view.cursor_opens,
        )
        if str(composer.border_subtitle or "") != hints:
            composer.border_subtitle = hints
        queued = inert_line(" / ".join(screen.session.queued))
        composer.border_title = Content(f"Queued: {cut(queued, max(width - 16, 8))}") if queued else None

    def show_status(self) -> None:
        """Hands the status bar what it tells."""
        screen = self._screen
        if not screen.alive:
            return
        session = screen.session
        screen.status.facts = StatusFacts(
            cwd=session.cwd,
            model=session.model_name,
            view=session.skill_view,
            usage=session.usage,
            activity=session.activity or screen.work.activity,
            queued=len(session.queued),
            unsaved=session.unsaved,
        )
