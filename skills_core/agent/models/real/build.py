"""Builds the client and the pydantic-ai model of a provider. Imports heavy packages: runs in a thread."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from skills_core.agent.models.real.redirects import stay_with_server

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

_CONNECT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class BuiltModel:
    """``end_streams`` closes what was left open; call it when no request is under way. ``close`` ends the client."""

    model: Model[Any]
    end_streams: Callable[[], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


def build_model(prefix: str, model: str, base_url: str | None, api_key: str, silence: float) -> BuiltModel:
    """The model with a client of our own, which sends each request once: attempts are the agent's to make and show."""
    # Remarks of the library would be written over the screen.
    warnings.filterwarnings("ignore", module=r"pydantic_ai(\..*)?")
    if prefix == "google":
        return _google(model, base_url, api_key, silence)
    if prefix == "anthropic":
        return _self_closing(_anthropic(model, base_url, api_key, silence))
    return _self_closing(_openai(prefix, model, base_url, api_key, silence))


def _self_closing(model: Model[Any]) -> BuiltModel:
    """For clients that close their streams by themselves."""
    client: Any = cast("Any", model).client
    return BuiltModel(model, _nothing, client.close)


async def _nothing() -> None:
    """The client closes its streams by itself."""


def request_settings(prefix: str, thinking: str | None) -> ModelSettings:
    """What goes with each request and never changes, so that servers can reuse what they read before."""
    settings: dict[str, Any] = {}
    if thinking is not None:
        settings["thinking"] = False if thinking == "off" else thinking
    if prefix == "anthropic":
        settings["anthropic_cache"] = True
        settings["anthropic_cache_instructions"] = True
        settings["anthropic_cache_tool_definitions"] = True
    if prefix == "openai-responses":
        # The log is the one memory of a conversation.
        settings["openai_store"] = False
    return settings  # pyright: ignore[reportReturnType]


def _openai(prefix: str, model: str, base_url: str | None, api_key: str, silence: float) -> Model[Any]:
    import httpx2
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    timeout = httpx2.Timeout(silence, connect=min(_CONNECT_SECONDS, silence))
    http = DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [stay_with_server]})
    client = AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0, http_client=http)
    if prefix == "openai-responses":
        return OpenAIResponsesModel(model, provider=OpenAIProvider(openai_client=client))
    if prefix == "ollama":
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        return OllamaModel(model, provider=OllamaProvider(openai_client=client))
    if prefix == "openrouter":
        from pydantic_ai.models.openrouter import OpenRouterModel
        from pydantic_ai.providers.openrouter import OpenRouterProvider

        return OpenRouterModel(model, provider=OpenRouterProvider(openai_client=client))
    if prefix == "deepseek":
        from pydantic_ai.providers.deepseek import DeepSeekProvider

        return OpenAIChatModel(model, provider=DeepSeekProvider(openai_client=client))
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))


def _anthropic(model: str, base_url: str | None, api_key: str, silence: float) -> Model[Any]:
    import httpx2
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    timeout = httpx2.Timeout(silence, connect=min(_CONNECT_SECONDS, silence))
    http = DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [stay_with_server]})
    client = AsyncAnthropic(base_url=base_url, api_key=api_key, max_retries=0, http_client=http)
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))


def _google(model: str, base_url: str | None, api_key: str, silence: float) -> BuiltModel:
    import httpx2
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    class TrackedClient(httpx2.AsyncClient):
        """Knows its open streams: this library leaves one that is not read to its end to the garbage collector."""

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self._streams: list[httpx2.Response] = []

        async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
            response = await super().send(request, stream=stream, **options)
            if stream:
                self._streams.append(response)
            return response

        async def end_streams(self) -> None:
            left, self._streams = self._streams, []
            for response in left:
                await response.aclose()

    client = TrackedClient(
        timeout=httpx2.Timeout(silence, connect=min(_CONNECT_SECONDS, silence)),
        follow_redirects=True,
        event_hooks={"response": [stay_with_server]},
    )
    provider = GoogleProvider(api_key=api_key, base_url=base_url, http_client=client)
    # The library's own close is that of a second client, which is never used.
    return BuiltModel(GoogleModel(model, provider=provider), client.end_streams, client.aclose)
