"""``skilldeck show``: a stored session, from its log alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.context import CommandContext
from app.errors import UsageError
from app.process import DONE, run_async

if TYPE_CHECKING:
    from skills_core.session import Session, SessionEvent


def run(context: CommandContext) -> int:
    async def main() -> int:
        from app.stored_sessions import session_store
        from skills_core.session import SessionNotFoundError

        try:
            session = await session_store().read(context.arguments.id)
        except SessionNotFoundError as error:
            raise UsageError(error.message, error.hint) from None
        for damage in session.damage:
            context.output.message(f"skilldeck: line {damage.line} of the log cannot be read: {damage.reason}")
        _print(context, session)
        return DONE

    return run_async(main)


def _print(context: CommandContext, session: Session) -> None:
    chosen = context.arguments.format
    if chosen == "json":
        context.output.json(session_object(session))
        return
    from app.controllers.session_rows import shown_session

    shown = shown_session(session.header, session.events)
    if chosen == "markdown":
        from app.controllers.session_markdown import session_markdown

        context.output.document(session_markdown(shown))
    elif chosen == "html":
        from app.controllers.session_html import session_html

        context.output.document(session_html(shown))
    else:
        from app.controllers.session_text import session_text

        context.output.text(session_text(shown))


def session_object(session: Session) -> dict[str, Any]:
    """Header and events as the log stores them."""
    from skills_core.session.codec import encode_header

    return {"header": json.loads(encode_header(session.header)), "events": [event_object(e) for e in session.events]}


def event_object(event: SessionEvent) -> dict[str, Any]:
    """One event as the log stores it."""
    return {"seq": event.seq, "time": event.time, "type": event.type, "data": event.data, **(event.extra or {})}
