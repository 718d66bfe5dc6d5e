"""With what the screen starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.settings.definition import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenOptions:
    """What the command line asked of the screen.

    ``cwd`` is absolute. ``resume`` is ``"continue"`` (the newest session of this folder), ``"pick"`` (the person
    chooses from a list), a session's id, or None for a new session. ``fork`` is the id of the session to fork, with
    ``fork_seq`` the last event that the new session shares with it (None: all). ``model`` is set when a flag named
    one, and then wins over the model of a resumed session.
    """

    cwd: str
    settings: Settings
    resume: str | None = None
    fork: str | None = None
    fork_seq: int | None = None
    model: str | None = None
