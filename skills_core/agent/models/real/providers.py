"""The providers by prefix: what they are called, which packages they need, and where their keys come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

NO_KEY = "no-key"
"""What is sent where there is no key: the client libraries insist on one."""

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFacts:
    """``keys`` are environment variables, tried in order; ``package`` is what has to be importable.

    ``alternates`` says that the server may insist on user and assistant taking turns, as templates of local models do.
    """

    title: str
    extra: str
    package: str
    keys: tuple[str, ...]
    needs_key: bool = True
    url_variables: tuple[str, ...] = ()
    url: str | None = None
    alternates: bool = False

    def key(self, environment: Mapping[str, str] | None = None) -> str | None:
        return _first(self.keys, environment)

    def key_variable(self, environment: Mapping[str, str] | None = None) -> str | None:
        """The name of the variable that holds a key, if one does."""
        variables = os.environ if environment is None else environment
        return next((name for name in self.keys if variables.get(name, "").strip()), None)

    def base_url(self, environment: Mapping[str, str] | None = None) -> str | None:
        return _first(self.url_variables, environment) or self.url


def _first(names: tuple[str, ...], environment: Mapping[str, str] | None) -> str | None:
    variables = os.environ if environment is None else environment
    return next((variables[name].strip() for name in names if variables.get(name, "").strip()), None)


PROVIDERS: Mapping[str, ProviderFacts] = {
    "openai": ProviderFacts(
        title="OpenAI",
        extra="openai",
        package="openai",
        keys=("OPENAI_API_KEY",),
        url_variables=("OPENAI_BASE_URL",),
    ),
    "openai-responses": ProviderFacts(
        title="OpenAI",
        extra="openai",
        package="openai",
        keys=("OPENAI_API_KEY",),
        url_variables=("OPENAI_BASE_URL",),
    ),
    "anthropic": ProviderFacts(
        title="Anthropic",
        extra="anthropic",
        package="anthropic",
        keys=("ANTHROPIC_API_KEY",),
        url_variables=("ANTHROPIC_BASE_URL",),
    ),
    "google": ProviderFacts(
        title="Google",
        extra="google",
        package="google.genai",
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ),
    "ollama": ProviderFacts(
        title="Ollama",
        extra="openai",
        package="openai",
        keys=("OLLAMA_API_KEY",),
        needs_key=False,
        url_variables=("OLLAMA_BASE_URL",),
        url="http://localhost:11434/v1",
        alternates=True,
    ),
    "openrouter": ProviderFacts(
        title="OpenRouter",
        extra="openai",
        package="openai",
        keys=("OPENROUTER_API_KEY",),
        url="https://openrouter.ai/api/v1",
    ),
    "deepseek": ProviderFacts(
        title="DeepSeek",
        extra="openai",
        package="openai",
        keys=("DEEPSEEK_API_KEY",),
        url="https://api.deepseek.com",
    ),
}


def key_variables() -> tuple[str, ...]:
    """The environment variables that hold keys of providers, each once."""
    return tuple(dict.fromkeys(name for provider in PROVIDERS.values() for name in provider.keys))
