"""Sessions: the log, the surface that the model sees, and the store.

Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.lazy import lazy_names

if TYPE_CHECKING:
    from skills_core.session.error import SessionError, SessionInUseError, SessionNotFoundError, SessionReadOnlyError
    from skills_core.session.event import PendingEvent, SessionEvent, SessionHeader, user_message
    from skills_core.session.info import SessionInfo
    from skills_core.session.reading import Damage
    from skills_core.session.session import Session
    from skills_core.session.store import SessionStore
    from skills_core.session.surface import Surface

__all__ = [
    "Damage",
    "PendingEvent",
    "Session",
    "SessionError",
    "SessionEvent",
    "SessionHeader",
    "SessionInUseError",
    "SessionInfo",
    "SessionNotFoundError",
    "SessionReadOnlyError",
    "SessionStore",
    "Surface",
    "user_message",
]

__getattr__ = lazy_names(
    __name__,
    globals(),
    {
        "error": "SessionError SessionInUseError SessionNotFoundError SessionReadOnlyError",
        "event": "PendingEvent SessionEvent SessionHeader user_message",
        "info": "SessionInfo",
        "reading": "Damage",
        "session": "Session",
        "store": "SessionStore",
        "surface": "Surface",
    },
)
