"""Opens the model that the settings name, with the key that belongs to it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skills_core.agent.model import ModelError
from skills_core.agent.models import open_model
from skills_core.session.event import MODEL_CHANGE, REQUEST_CONTEXT, SessionEvent

if TYPE_CHECKING:
    from app.settings.definition import Settings
    from skills_core.agent import Model

OFFLINE = "offline"
SCRIPT = "script:"
KEY_COMMAND_SECONDS = 30.0
"""How long the command that prints the key may take."""


def open_configured_model(settings: Settings, name: str, cwd: str) -> Model:
    """The model of a name, with the settings' address and key. A script's file is relative to the working folder.

    May import a library and run the command that prints the key: call it in a thread. Raises ModelError.
    """
    if name == OFFLINE:
        return open_model(name)
    if name.startswith(SCRIPT):
        return open_model(script_name(name, cwd))
    key = model_key(settings) if may_have_key(settings, name) else None
    return open_model(name, base_url=settings.base_url, api_key=key)


def script_name(name: str, cwd: str) -> str:
    """``script:FILE`` with the file made absolute."""
    file = name.removeprefix(SCRIPT)
    return SCRIPT + os.path.join(cwd, os.path.expanduser(file)) if file else name


def may_have_key(settings: Settings, name: str) -> bool:
    """Whether the person's own key belongs to this model: a project must not choose to whom it is sent.

    With an address of the person's own it goes there, whatever the model is called.
    """
    chosen_by_project = name == settings.model and settings.origin("model").kind == "project"
    return settings.base_url is not None or not chosen_by_project


def model_key(settings: Settings) -> str | None:
    """The key of the settings, or what the command prints on its first line. Raises ModelError."""
    if settings.api_key is not None:
        return settings.api_key.get_secret_value().strip() or None
    return _printed_key(settings.api_key_command) if settings.api_key_command is not None else None


def session_model(events: Sequence[SessionEvent]) -> str | None:
    """The name of the model that a session used last, as it was configured; None when it used none yet."""
    for event in reversed(events):
        if event.type in (MODEL_CHANGE, REQUEST_CONTEXT):
            name = event.data.get("model")
            if isinstance(name, str) and name:
                return name
    return None


def _printed_key(command: str) -> str:
    hint = "Try it in a shell: it must print the key on its first line, and ask nothing."
    try:
        done = subprocess.run(
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=KEY_COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"api_key_command did not end within {KEY_COMMAND_SECONDS:g} seconds."
        raise ModelError("authentication", message, hint) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelError("authentication", f"api_key_command cannot be run: {reason}.", hint) from None
    if done.returncode != 0:
        message = f"api_key_command ended with status {done.returncode}."
        raise ModelError("authentication", message, hint)
    key = done.stdout.decode("utf-8", "replace").strip().partition("\n")[0].strip()
    if not key:
        raise ModelError("authentication", "api_key_command printed nothing.", hint)
    return key
