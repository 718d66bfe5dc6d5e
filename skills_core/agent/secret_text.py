"""Takes the values of access keys out of text that is stored or shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

_KEY_NAME = re.compile(r"(?:^|_)(?:API_?KEY|AUTH_TOKEN|ACCESS_TOKEN|SECRET(?:_KEY)?)$", re.IGNORECASE)
_KEY_SHAPE = re.compile(
    r"\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
)
_SHORTEST = 8
HIDDEN = "[secret]"
_remembered: set[str] = set()


def remember_secret(value: str) -> None:
    """Counts a value as a secret for as long as the program runs: a key that came from elsewhere."""
    if len(value.strip()) >= _SHORTEST:
        _remembered.add(value.strip())


def secret_values(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of the environment's key variables and those that are remembered, longest first.

    Short ones are left out: they would hide ordinary words.
    """
    variables = os.environ if environment is None else environment
    values = {value.strip() for name, value in variables.items() if _KEY_NAME.search(name)} | _remembered
    values = {value for value in values if len(value) >= _SHORTEST}
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def without_login(address: str) -> str:
    """An address without the user's name and password that may be written in it."""
    scheme, found, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{found}{host.rpartition('@')[2]}{slash}{path}" if found else address


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with each of the secrets replaced by ``[secret]``."""
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def scrubbed_error(text: str, secrets: Iterable[str]) -> str:
    """For error texts of other people's servers: the known secrets, and whatever else is shaped like a key."""
    return _KEY_SHAPE.sub(HIDDEN, without_secrets(text, secrets))
