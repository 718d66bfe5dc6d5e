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
KEY_VARIABLE = "SKILLDECK_API_KEY"
KEY_COMMAND_SECONDS = 30.0
"""How long the command that prints the key may take."""


def open_configured_model(settings: Settings, name: str, cwd: str) -> Model:
    """The model of a name, as the settings say. A script's file is relative to the working folder.

    May import a library and run the command that prints the key: call it in a thread. Raises ModelError.
    """
    if name == OFFLINE:
        return open_model(name)
    if name.startswith(SCRIPT):
        return open_model(script_name(name, cwd))
    key = model_key(settings) if may_have_key(settings, name) else None
    return open_real(settings, name, key)


def open_real(settings: Settings, name: str, key: str | None) -> Model:
    """A model of a provider with this key, or with that of the provider's variable when it is None."""
    return open_model(
        name,
        base_url=settings.base_url if is_own_provider(settings, name) else None,
        api_key=key,
        context_window=context_window(settings, name),
        thinking=None if settings.thinking == "default" else settings.thinking,
        # The agent ends a silent request by itself; this holds where a silent connection is all that there is.
        silence=float(settings.request_timeout),
    )


def context_window(settings: Settings, name: str) -> int | None:
    """The tokens that the settings say a model takes; None when they do not say."""
    entries = [entry.rpartition("=") for entry in settings.context_windows]
    named = [int(tokens) for model, _, tokens in entries if model == name]
    general = [int(tokens) for model, _, tokens in entries if not model]
    return next(reversed([*general, *named]), None)


def is_own_provider(settings: Settings, name: str) -> bool:
    """Whether the settings' address and key are meant for this model: they belong to the person's own choice.

    With the offline model or a script as that choice they are for whichever model is asked for.
    """
    own = provider_of(settings.own.model)
    return own is None or own == provider_of(name)


def provider_of(name: str) -> str | None:
    """The prefix of a model's provider; a bare name is one of an OpenAI-compatible server. None for no provider."""
    from skills_core.agent.models.real.providers import PROVIDERS

    if name == OFFLINE or name.startswith(SCRIPT):
        return None
    prefix, found, _ = name.partition(":")
    if not found or prefix not in PROVIDERS:
        return "openai"
    # Two ways to speak to the same server.
    return "openai" if prefix == "openai-responses" else prefix


def script_name(name: str, cwd: str) -> str:
    """``script:FILE`` with the file made absolute."""
    file = name.removeprefix(SCRIPT)
    return SCRIPT + os.path.join(cwd, os.path.expanduser(file)) if file else name


def may_have_key(settings: Settings, name: str) -> bool:
    """Whether the person's own key belongs to this model: neither a project nor an old session chooses who gets it.

    With an address of the person's own it goes there, whatever the model is called.
    """
    if not is_own_provider(settings, name):
        return False
    chosen_by_project = name == settings.model and settings.origin("model").kind == "project"
    return settings.base_url is not None or not chosen_by_project


def hidden_variables(settings: Settings) -> frozenset[str]:
    """The variables with keys that commands of the model do not see."""
    from skills_core.agent.models.real.providers import key_variables

    return frozenset((*key_variables(), KEY_VARIABLE)) - frozenset(settings.shell_keys)


def own_keys(settings: Settings) -> dict[str, str]:
    """By provider, the name of the setting that holds the person's own key for it; nothing runs and nothing is read."""
    from skills_core.agent.models.real.providers import PROVIDERS

    if settings.api_key is not None:
        holder = KEY_VARIABLE
    elif settings.api_key_command is not None:
        holder = "api_key_command"
    else:
        return {}
    return {prefix: holder for prefix in PROVIDERS if is_own_provider(settings, f"{prefix}:any")}


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
