"""What becomes of a draft: a command, a message, something to mend first, or words that come back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.controllers.commands import CommandCall, find_command
from app.controllers.composer_history import Draft
from app.controllers.text_layout import sentences

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen


class ChatDrafts:
    """The composer empties only when its words went somewhere."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._submitted: str | None = None

    def submit(self, text: str) -> None:
        """Runs the command that the draft is, or sends it, or says why not and keeps it.

        A second Enter on a draft that is being looked at already changes nothing.
        """
        if text == self._submitted:
            return
        self._submitted = text
        call = find_command(text)
        words = call.command.doing if call is not None else "Looking at the skills on the disk"
        self._screen.work.in_order(words, partial(self._take_up, text, call))

    async def _take_up(self, text: str, call: CommandCall | None) -> None:
        screen = self._screen
        try:
            if not screen.composer.text.startswith(text):
                return  # it was taken back before its turn came
            if call is None:
                await self._send_or_refuse(text)
                return
            self._take(text)
        finally:
            if text == self._submitted:
                self._submitted = None
        await screen.commands.run(call)

    async def _send_or_refuse(self, text: str) -> None:
        screen = self._screen
        refusal = await screen.session.refusal(text)
        if refusal is not None:
            screen.say(sentences(refusal.message, refusal.hint), "warning")
            return
        if not screen.composer.text.startswith(text):
            return  # it was taken back while the disk was looked at
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
        self._screen.surroundings.show_popup()

    def give_back(self, text: str) -> None:
        """Puts words that were not sent back into the composer, ahead of what is written there."""
        written = self._screen.composer.text
        whole = f"{text}\n{written}" if written.strip() else text
        self._screen.composer.set_draft(Draft(whole, len(text)))

    def edit(self) -> None:
        """Lets the person write the draft in their own editor."""
        self._screen.work.beside("", self._edit)

    async def _edit(self) -> None:
        from app.screens.editor import edit_text

        composer = self._screen.composer
        before = composer.text
        written = await edit_text(self._screen.skilldeck, self._screen.session.editor, before)
        if isinstance(written, str):
            self._screen.say(written, "warning")
        elif composer.text.endswith(before):
            # Words of a turn that failed may have come back meanwhile, ahead of the draft.
            ahead = composer.text[: len(composer.text) - len(before)]
            composer.set_draft(Draft(ahead + written.text, len(ahead) + written.caret))
        else:
            self.give_back(written.text)

    def _take(self, text: str) -> None:
        self._screen.notice.clear()
        composer = self._screen.composer
        waited = self._screen.history_of_messages.sent(text.strip())
        if composer.text != text:
            self._leave_what_came_after(text)
            return
        self.clear()
        # What went out is in the history of messages; undo belongs to the next draft.
        self._screen.composer.history.clear()
        if waited.text:
            self._screen.composer.set_draft(waited)

    def _leave_what_came_after(self, text: str) -> None:
        """The person went on writing while the draft was looked at: only what was sent goes."""
        composer = self._screen.composer
        if composer.text.startswith(text):
            rest, caret = composer.text[len(text) :], max(composer.caret - len(text), 0)
            composer.set_draft(Draft(rest, caret))
