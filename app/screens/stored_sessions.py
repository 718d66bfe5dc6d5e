"""The commands that begin, open and fork sessions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from app.controllers.text_layout import counted, sentences
from skills_core.session.error import SessionError, SessionInUseError
from skills_core.session.event import SOURCE_USER

if TYPE_CHECKING:
    from app.controllers.runtime_port import ScreenRuntime
    from app.screens.chat import ChatScreen
    from skills_core.session import Session


class StoredSessionCommands:
    """``/new``, ``/resume`` and ``/fork``."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    async def new(self, arguments: str) -> None:
        await self._switch(lambda runtime: runtime.store.create(runtime.cwd), "A new session began")

    async def resume(self, session_id: str) -> None:
        """Opens the session of that id, or lets the person choose one."""
        if session_id:
            await self._resume(session_id)
            return
        from app.controllers.session_choices import session_words
        from app.screens.picker import PickerScreen, PickItem

        runtime = self._screen.session.runtime
        if runtime is None:
            return
        try:
            stored = await runtime.store.list(runtime.cwd)
            in_use = await runtime.store.in_use(stored)
        except SessionError as error:
            self._screen.say(sentences(error.message, error.hint), "error")
            return
        current = self._current_id()
        items = [PickItem(info.id, info.title or "(no title)", session_words(info, current, in_use)) for info in stored]
        if not items:
            self._screen.say("This folder has no stored session yet.")
            return
        picker = PickerScreen("Open a session", items, mark=self._screen.marks.selected, detail=self._preview)
        self._screen.skilldeck.push_screen(picker, self._then(self._resume))

    async def fork(self, seq: str) -> None:
        """Goes on in a copy, of the whole session or up to an event."""
        conversation = self._screen.session.conversation
        current = conversation.session if conversation is not None else None
        if current is None or current.path is None or not current.events:
            self._screen.say("There is nothing to fork yet.")
            return
        if seq and not seq.isdecimal():
            self._screen.say("Write the number of the last event that both share: /fork 12")
            return
        at = int(seq) if seq else None
        upto = f" up to event {at}" if at is not None else ""
        said = f"This is a copy of {current.id}{upto}, which stays as it is"
        await self._switch(lambda runtime: runtime.store.fork(current.id, at), said)

    async def _resume(self, session_id: str) -> None:
        if session_id == self._current_id():
            self._screen.say("This session is open here already.", "muted", 4)
            return
        try:
            await self._open(lambda runtime: runtime.store.open(session_id), "")
        except SessionInUseError as error:
            self._offer_copy(session_id, error)
        except SessionError as error:
            self._screen.say(sentences(error.message, error.hint), "error")

    def _offer_copy(self, session_id: str, error: SessionInUseError) -> None:
        """A session that another window writes can be gone on with in a copy."""
        from app.screens.picker import PickerScreen, PickItem

        items = [
            PickItem("fork", "Go on in a copy", "the other window keeps the original"),
            PickItem("stay", "Stay here", "and open nothing"),
        ]

        async def done(chosen: str) -> None:
            if chosen == "fork":
                said = f"This is a copy of {session_id}"
                await self._switch(lambda runtime: runtime.store.fork(session_id), said)

        picker = PickerScreen(error.message, items, mark=self._screen.marks.selected)
        self._screen.skilldeck.push_screen(picker, self._then(done))

    async def _preview(self, session_id: str) -> str:
        """The last words of a stored session."""
        from app.controllers.session_preview import session_preview

        runtime = self._screen.session.runtime
        if runtime is None:
            return ""
        try:
            return session_preview(await runtime.store.recent(session_id, 60))
        except SessionError as error:
            return error.message

    async def _switch(self, opening: Callable[[ScreenRuntime], Awaitable[Session]], said: str) -> None:
        try:
            await self._open(opening, said)
        except SessionError as error:
            self._screen.say(sentences(error.message, error.hint), "error")

    async def _open(self, opening: Callable[[ScreenRuntime], Awaitable[Session]], said: str) -> None:
        session = self._screen.session
        if session.runtime is None:
            return
        opened = await opening(session.runtime)
        stopped = "The turn that ran was stopped." if session.busy else ""
        await session.use(opened, session.model_name)
        count = len(opened.of_source(SOURCE_USER))
        messages = f"session {opened.id}" + (f", {counted(count, 'message')} of yours" if count else "")
        self._screen.say(sentences(f"{said}: {messages}" if said else f"S{messages[1:]}", stopped), "muted", 6)
        self._screen.view.follow_tail()

    def _current_id(self) -> str | None:
        conversation = self._screen.session.conversation
        session = conversation.session if conversation is not None else None
        return session.id if session is not None else None

    def _then(self, use: Callable[[str], Awaitable[None]]) -> Callable[[str | None], None]:
        def done(chosen: str | None) -> None:
            if chosen:
                self._screen.run_worker(use(chosen), exclusive=False)

        return done
