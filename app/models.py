"""Opens the model that the settings name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skills_core.agent.models import open_model
from skills_core.session.event import MODEL_CHANGE, REQUEST_CONTEXT, SessionEvent

if TYPE_CHECKING:
    from app.settings.definition import Settings
    from skills_core.agent import Model

_SCRIPT = "script:"


def open_configured_model(settings: Settings, name: str, cwd: str) -> Model:
    """The model of a name, with the settings' address. A script's file is relative to the working folder.

    May import a model library and take a second: call it in a thread. Raises ModelError.
    """
    if name.startswith(_SCRIPT) and len(name) > len(_SCRIPT):
        name = _SCRIPT + os.path.join(cwd, os.path.expanduser(name.removeprefix(_SCRIPT)))
    return open_model(name, base_url=settings.base_url)


def session_model(events: Sequence[SessionEvent]) -> str | None:
    """The name of the model that a session used last, as it was configured; None when it used none yet."""
    for event in reversed(events):
        if event.type in (MODEL_CHANGE, REQUEST_CONTEXT):
            name = event.data.get("model")
            if isinstance(name, str) and name:
                return name
    return None
