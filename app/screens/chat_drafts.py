"""What becomes of a draft: a command, a message, something to mend first, or words that come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.controllers.commands import find_command
from app.controllers.composer_history import Draft
from app.controllers.text_layout import sentences

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen


class ChatDrafts:
    """The composer empties only when its words went somewhere."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    async def submit(self, text: str) -> None:
        """Runs the command that the draft is, or sends it, or says why not and keeps it."""
        screen = self._screen
        call = find_command(text)
        if call is not None:
            self._take(text)
            screen.skilldeck.command_used(call.command.name)
            await screen.commands.run(call)
            return
        refusal = await screen.session.refusal(text)
        if refusal is not None:
            screen.say(sentences(refusal.message, refusal.hint), "warning")
            return
        self._take(text)
        screen.session.send(text.strip("\n"))
        screen.view.follow_tail()

    def unsent(self) -> str:
        """All words that were written and went nowhere: waiting to be sent, queued, and in the composer."""
        screen = self._screen
        return "\n\n".join((*screen.session.unsent, *screen.history_of_messages.unsent(screen.composer.draft)))

    def bring_back(self, text: str) -> None:
        """Puts the words of an earlier start into the composer, or behind Up when it holds others already."""
        screen = self._screen
        if screen.composer.text or screen.session.unsent:
            screen.history_of_messages.set_aside(text)
            screen.say("What you had not sent last time is kept: Up brings it.", "muted", 10)
        else:
            screen.composer.set_draft(Draft(text, len(text)))
            screen.say("What you had not sent last time is back. Ctrl+C clears it.", "muted", 10)

    def clear(self) -> None:
        """Empties the composer; undo brings the draft back."""
        self._screen.composer.set_draft(Draft("", 0))
        self._screen.show_popup()

    def give_back(self, text: str) -> None:
        """Puts words that were not sent back into the composer, ahead of what is written there."""
        written = self._screen.composer.text
        whole = f"{text}\n{written}" if written.strip() else text
        self._screen.composer.set_draft(Draft(whole, len(text)))

    def edit(self) -> None:
        """Lets the person write the draft in their own editor."""
        from app.screens.editor import edit_text

        written = edit_text(self._screen.skilldeck, self._screen.session.editor, self._screen.composer.text)
        if isinstance(written, Draft):
            self._screen.composer.set_draft(written)
        else:
            self._screen.say(written, "warning")

    def _take(self, text: str) -> None:
        self._screen.notice.clear()
        waited = self._screen.history_of_messages.sent(text.strip())
        self.clear()
        # What went out is in the history of messages; undo belongs to the next draft.
        self._screen.composer.history.clear()
        if waited.text:
            self._screen.composer.set_draft(waited)
