"""Sessions: the log, the surface that the model sees, and the store."""

from skills_core.session.error import (
    SessionError,
    SessionInUseError,
    SessionNotFoundError,
    SessionReadOnlyError,
)
from skills_core.session.event import PendingEvent, SessionEvent, SessionHeader
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
]
