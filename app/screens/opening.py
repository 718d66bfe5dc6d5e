"""Which session the chat begins with."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.controllers.commands import COMMANDS, CommandCall
from app.controllers.text_layout import sentences
from skills_core.session.error import SessionError
from skills_core.session.event import MODEL_CHANGE, REQUEST_CONTEXT, SessionEvent

if TYPE_CHECKING:
    from app.options import ScreenOptions
    from app.screens.chat import ChatScreen
    from skills_core.session import Session, SessionStore


END_SHOWN = 300
"""Events that are shown of a stored session before it is opened."""


async def open_first_session(chat: ChatScreen, options: ScreenOptions) -> None:
    """Opens what the command line asked for; when that cannot be had it says why and begins a new session."""
    runtime = chat.session.runtime
    if runtime is None:
        return
    store = runtime.store
    try:
        if options.fork is not None:
            session = await store.fork(options.fork, options.fork_seq)
        elif options.resume == "continue":
            latest = await store.latest(options.cwd)
            await _show_end(chat, store, latest)
            session = await (store.open(latest) if latest is not None else store.create(options.cwd))
        elif options.resume is not None and options.resume != "pick":
            await _show_end(chat, store, options.resume)
            session = await store.open(options.resume)
        else:
            session = await store.create(options.cwd)
    except SessionError as error:
        session = await _instead(chat, options, store, error)
    await chat.session.use(session, options.model or last_model(session.events))
    if options.resume == "pick":
        resume = next(command for command in COMMANDS if command.name == "resume")
        await chat.commands.run(CommandCall(resume, ""))


async def _show_end(chat: ChatScreen, store: SessionStore, session_id: str | None) -> None:
    """The end of a session at once; the whole of a long one takes seconds. What is wrong with it is told later."""
    if session_id is None:
        return
    with contextlib.suppress(SessionError, OSError):
        chat.transcript.load(await store.recent(session_id, END_SHOWN))


async def _instead(chat: ChatScreen, options: ScreenOptions, store: SessionStore, error: SessionError) -> Session:
    """A new session in place of one that cannot be opened; one that is kept nowhere when that fails too."""
    from app.assets import program_version
    from skills_core.session import Session

    try:
        session = await store.create(options.cwd)
    except SessionError:
        chat.say(sentences(error.message, error.hint, "This session is kept nowhere"), "error")
        return Session.in_memory(options.cwd, program_version())
    chat.say(sentences(error.message, error.hint, "A new session was begun instead"), "error")
    return session


def last_model(events: Sequence[SessionEvent]) -> str | None:
    """The model that a stored session used last."""
    for event in reversed(events):
        if event.type in (MODEL_CHANGE, REQUEST_CONTEXT):
            name = event.data.get("model")
            return name if isinstance(name, str) else None
    return None
