"""Takes the values of access keys out of text that is stored or shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote

_KEY_NAME = re.compile(r"(?:^|_)(?:API_?KEY|AUTH_TOKEN|ACCESS_TOKEN|SECRET(?:_KEY)?)$", re.IGNORECASE)
_KEY_SHAPE = re.compile(
    r"\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
)
_SHORTEST = 8
_NO_SECRETS = frozenset({"lm-studio", "not-needed", "no-key-required", "sk-no-key-required", "placeholder"})
"""What people are told to write where a server wants no key; these words stand in texts that mean something else."""
HIDDEN = "[secret]"
_remembered: set[str] = set()


def remember_secret(value: str) -> None:
    """Counts a value as a secret for as long as the program runs: a key that came from elsewhere."""
    _remembered.add(value.strip())


def secret_values(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of the environment's key variables and those that are remembered, longest first.

    Short ones are left out: they would hide ordinary words.
    """
    variables = os.environ if environment is None else environment
    return _forms({value.strip() for name, value in variables.items() if _KEY_NAME.search(name)} | _remembered)


def model_keys(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The keys of models: those in use and those in the variables of providers, longest first, short ones left out.

    Unlike ``secret_values`` no variable that only sounds like a secret: an ordinary word in one of those may be looked
    for in what a command printed, but not in what a person or a model says.
    """
    from skills_core.agent.models.real.providers import key_variables

    variables = os.environ if environment is None else environment
    return _forms({variables.get(name, "").strip() for name in key_variables()} | _remembered)


def _forms(values: Iterable[str]) -> tuple[str, ...]:
    """The values that are long enough, also as they stand in an address."""
    found = {value for value in values if len(value) >= _SHORTEST and value not in _NO_SECRETS}
    found |= {quote(value, safe="") for value in found}
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def plain_address(address: str) -> str:
    """An address without what may be secret in it: the user's name and password, and what follows the path."""
    scheme, found, rest = address.rpartition("://")
    before, login, place = rest.rpartition("@")
    if login and ("?" in before or "#" in before):
        # It cannot be told whether this is a password or a question.
        place = HIDDEN
    return f"{scheme}{found}{re.split('[?#]', place, maxsplit=1)[0]}"


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text with each of the secrets replaced by ``[secret]``."""
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def without_secrets_inside(value: Any, secrets: tuple[str, ...]) -> Any:
    """The same JSON value with the secrets taken out of every text in it, names too; itself when there are none."""
    if isinstance(value, str):
        return without_secrets(value, secrets)
    if isinstance(value, Mapping):
        known = cast("Mapping[Any, Any]", value)
        cleaned = {
            without_secrets_inside(name, secrets): without_secrets_inside(each, secrets) for name, each in known.items()
        }
        unchanged = all(name in cleaned and cleaned[name] is each for name, each in known.items())
        return known if unchanged else cleaned
    if isinstance(value, list | tuple):
        entries = cast("list[Any]", value)
        clean = [without_secrets_inside(each, secrets) for each in entries]
        return entries if all(new is old for new, old in zip(clean, entries, strict=True)) else clean
    return value


def scrubbed_error(text: str, secrets: Iterable[str]) -> str:
    """For error texts of other people's servers: the known secrets, and whatever else is shaped like a key."""
    return _KEY_SHAPE.sub(HIDDEN, without_secrets(text, secrets))
