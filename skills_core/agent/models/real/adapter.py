"""A real model behind the agent's own protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from skills_core.agent.model import (
    ModelError,
    ModelReply,
    ModelRequest,
    StopReason,
    StreamItem,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    Usage,
)
from skills_core.agent.models.real.faults import given_up, to_model_error, truncated
from skills_core.agent.models.real.providers import ThinkingLevel
from skills_core.agent.reply import tool_calls
from skills_core.agent.secret_text import model_keys, without_secrets

if TYPE_CHECKING:
    from pydantic_ai import messages as pm
    from pydantic_ai.models import Model as LibraryModel

    from skills_core.agent.models.real.build import BuiltModel

DEFAULT_SILENCE = 600.0
_LISTED_MAX = 500
_STOPS: dict[str | None, StopReason] = {
    "stop": "end",
    "length": "length",
    "content_filter": "refused",
    "tool_call": "tool_calls",
}


class RealModel:
    """One model of one provider. The client is made at the first request, in a thread, since its import takes a while.

    The key is used for requests only: it is in no message of an error and in no representation. ``silence`` is how
    many seconds the connection may carry nothing at all.
    """

    def __init__(
        self,
        *,
        name: str,
        prefix: str,
        model: str,
        base_url: str | None,
        api_key: str,
        alternates: bool = False,
        context_window: int | None = None,
        thinking: ThinkingLevel | None = None,
        silence: float = DEFAULT_SILENCE,
    ) -> None:
        self._name = name
        self._prefix = prefix
        self._model_name = model
        self._base_url = base_url
        self._api_key = api_key
        self._alternates = alternates
        self._window = context_window
        self._thinking = thinking
        self._silence = silence
        self._built: BuiltModel | None = None
        self._building = asyncio.Lock()
        self._active = 0

    def __repr__(self) -> str:
        return f"<RealModel {self._name}>"

    @property
    def name(self) -> str:
        return self._name

    @property
    def base_url(self) -> str | None:
        return self._base_url

    @property
    def context_window(self) -> int | None:
        """As configured; else as the library knows it, once the first request was made."""
        if self._window is not None:
            return self._window
        return self._built.model.context_window if self._built is not None else None

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Streams one reply. Raises ModelError; nothing is sent a second time."""
        try:
            built = await self._model()
            self._active += 1
            try:
                async for item in self._stream(built.model, request):
                    yield item
            finally:
                self._active -= 1
                if not self._active:
                    await built.end_streams()
        except (ModelError, asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:
            raise self._error(error) from error

    async def offered(self) -> tuple[str, ...]:
        """The names of the models that the server says it has, sorted; at most 500. Raises ModelError."""
        try:
            model: Any = (await self._model()).model
            names: list[str] = []
            listing = model.client.aio.models if self._prefix == "google" else model.client.models
            found = await listing.list() if self._prefix == "google" else listing.list()
            async for entry in found:
                identifier = getattr(entry, "id", None) or getattr(entry, "name", None)
                if identifier:
                    names.append(without_secrets(str(identifier).removeprefix("models/"), model_keys()))
                if len(names) >= _LISTED_MAX:
                    break
            return tuple(sorted(names))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            raise self._error(error) from error

    async def aclose(self) -> None:
        """Closes the client's connections."""
        built, self._built = self._built, None
        if built is not None:
            await built.close()

    async def _model(self) -> BuiltModel:
        async with self._building:
            if self._built is None:
                from skills_core.agent.models.real.build import build_model

                self._built = await asyncio.to_thread(
                    build_model, self._prefix, self._model_name, self._base_url, self._api_key, self._silence
                )
            return self._built

    async def _stream(self, model: LibraryModel[Any], request: ModelRequest) -> AsyncIterator[StreamItem]:
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.models import ModelRequestParameters

        from skills_core.agent.models.real.build import request_settings
        from skills_core.agent.models.real.history import to_blocks, to_history, to_tools
        from skills_core.agent.models.real.thinking_fields import with_steady_thinking_fields

        def history_of_request() -> list[pm.ModelMessage]:
            return with_steady_thinking_fields(model, to_history(request, alternates=self._alternates))

        history = await asyncio.to_thread(history_of_request)
        opened = model_request_stream(
            model,
            history,
            model_settings=request_settings(self._prefix, self._thinking),
            model_request_parameters=ModelRequestParameters(function_tools=to_tools(request.tools)),
            instrument=False,
        )
        begun = False
        try:
            async with opened as stream:
                async for event in stream:
                    item = _item(event)
                    if item is not None:
                        begun = True
                        yield item
                response = stream.get()
        except Exception as error:
            fault = self._error(error)
            if begun and self._prefix == "google" and fault.kind == "bad-response":
                # This library reads the piece at which a stream broke off as one that is faulty.
                raise truncated() from error
            raise fault from error
        details = response.provider_details or {}
        if not details.get("finish_reason") and response.finish_reason != "content_filter":
            raise truncated()
        if response.finish_reason == "error":
            raise given_up(str(details.get("finish_reason")))
        content = to_blocks(response.parts)
        stop = _STOPS.get(response.finish_reason, "end")
        if stop == "end" and tool_calls(content):
            # Not every format has a reason of its own for it.
            stop = "tool_calls"
        yield ModelReply(content, stop, await asyncio.to_thread(_usage, response), response.model_name)

    def _error(self, error: Exception) -> ModelError:
        return to_model_error(
            error, prefix=self._prefix, model=self._model_name, base_url=self._base_url, api_key=self._api_key
        )


def _item(event: pm.ModelResponseStreamEvent) -> StreamItem | None:
    from pydantic_ai import messages as pm

    if isinstance(event, pm.PartStartEvent):
        part = event.part
        if isinstance(part, pm.TextPart):
            return TextDelta(part.content) if part.content else None
        if isinstance(part, pm.ThinkingPart):
            return ThinkingDelta(part.content) if part.content else None
        if isinstance(part, pm.ToolCallPart):
            return ToolCallDelta(event.index, part.tool_name, part.args_as_json_str() if part.args else "")
        return None
    if isinstance(event, pm.PartDeltaEvent):
        delta = event.delta
        if isinstance(delta, pm.TextPartDelta):
            return TextDelta(delta.content_delta) if delta.content_delta else None
        if isinstance(delta, pm.ThinkingPartDelta):
            return ThinkingDelta(delta.content_delta) if delta.content_delta else None
        if isinstance(delta, pm.ToolCallPartDelta):
            arguments = delta.args_delta if isinstance(delta.args_delta, str) else ""
            return ToolCallDelta(event.index, delta.tool_name_delta, arguments)
    return None


def _usage(response: pm.ModelResponse) -> Usage:
    """Servers that do not count give zeros: that is unknown, not nothing."""
    usage = response.usage
    if not usage.input_tokens and not usage.output_tokens:
        return Usage()
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens or None,
        cache_write_tokens=usage.cache_write_tokens or None,
        cost=_cost(response),
    )


def _cost(response: pm.ModelResponse) -> float | None:
    """In US dollars, by the price list that comes with the library; None for a model that it does not know."""
    try:
        return float(response.cost().total_price)
    except Exception:
        return None
