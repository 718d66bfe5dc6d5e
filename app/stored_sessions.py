"""The store of sessions, for the commands that need nothing else of the core."""

from __future__ import annotations

from app.assets import program_version
from app.settings.files import state_dir
from skills_core.session import SessionStore


def session_store() -> SessionStore:
    """The sessions in the state folder."""
    return SessionStore(state_dir() / "sessions", program_version())
