"""Reads a model's name and sees that what it needs is there, before anything heavy is imported."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import unquote, urlsplit

from skills_core.agent.model import ModelError
from skills_core.agent.models.real.adapter import DEFAULT_SILENCE, RealModel
from skills_core.agent.models.real.extras import install_command, missing_package
from skills_core.agent.models.real.providers import NO_KEY, PROVIDERS, ProviderFacts, ThinkingLevel
from skills_core.agent.secret_text import plain_address, remember_secret

_KNOWN = "offline, script:FILE, " + ", ".join(f"{prefix}:MODEL" for prefix in PROVIDERS)


def open_real_model(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    context_window: int | None = None,
    thinking: ThinkingLevel | None = None,
    silence: float | None = None,
) -> RealModel:
    """The model of ``PROVIDER:MODEL``, or of a bare name at an OpenAI-compatible server with ``base_url``.

    Without ``api_key`` the key comes from the provider's environment variable. Raises ModelError for an unknown
    provider, a missing package, a missing key, and an address that is none.
    """
    prefix, found, model = name.partition(":")
    if not found or prefix not in PROVIDERS:
        if base_url is None:
            raise ModelError("unknown-model", f"There is no model `{name}`.", f"Known are: {_KNOWN}.")
        # Names at such servers may hold colons of their own.
        prefix, model = "openai", name
    if not model:
        raise ModelError("unknown-model", f"The model `{name}` names no model.", f"Write {prefix}:MODEL.")
    provider = PROVIDERS[prefix]
    _check_packages(provider)
    address = _checked_address(base_url or provider.base_url())
    key = api_key or provider.key()
    if key is None:
        if provider.needs_key and base_url is None:
            raise ModelError(
                "authentication",
                f"There is no key for {provider.title}: {provider.keys[0]} is not set.",
                f"Set {provider.keys[0]} in the environment, or choose the model `offline`.",
            )
        key = NO_KEY
    else:
        remember_secret(key)
    return RealModel(
        name=name,
        prefix=prefix,
        model=model,
        base_url=address,
        api_key=key,
        alternates=provider.alternates or (base_url is not None and prefix == "openai"),
        context_window=context_window,
        thinking=thinking,
        silence=silence or DEFAULT_SILENCE,
    )


def _check_packages(provider: ProviderFacts) -> None:
    if missing_package(provider) is not None:
        raise ModelError(
            "other",
            f"Models of {provider.title} need a package that is not installed.",
            f"Install it: {install_command(provider.extra)}",
        )


def _checked_address(address: str | None) -> str | None:
    if address is None:
        return None
    try:
        parts = urlsplit(address)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, valid = None, False
    if parts is None or not valid:
        raise ModelError(
            "other", f"`{plain_address(address)}` is no address of a server.", "Write it as https://HOST/PATH."
        )
    if parts.query or parts.fragment:
        raise ModelError(
            "other",
            f"The address `{plain_address(address)}` goes on with ? or #, where no path can be added.",
            "Write it as https://HOST/PATH; a key goes into the environment.",
        )
    if parts.username or parts.password:
        _remember_login(unquote(parts.username or ""), unquote(parts.password or ""))
    return address.rstrip("/")


def _remember_login(user: str, password: str) -> None:
    """The password, or the name that stands in its place, also as it goes over the wire."""
    remember_secret(password or user)
    remember_secret(b64encode(f"{user}:{password}".encode()).decode())
