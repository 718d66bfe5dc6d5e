"""One request to a model, bounded in silence, time and size."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from typing import Any

from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import LiveItem
from skills_core.agent.model import (
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    StreamItem,
    ToolCallDelta,
)
from skills_core.agent.reply import PartialReply, storable
from skills_core.agent.secret_stream import Delta, SecretFreeReply
from skills_core.agent.secret_text import model_keys
from skills_core.agent.uninterrupted import is_cancelled_from_outside

_log = logging.getLogger(__name__)
_AGAIN = "Send again, or choose another model."


async def stream_reply(
    model: Model, request: ModelRequest, partial: PartialReply, limits: AgentLimits, emit: Callable[[LiveItem], None]
) -> ModelReply:
    """Streams one reply to its end; what arrives is gathered in ``partial`` and told to subscribers.

    No key of a model gets into ``partial`` or to subscribers, also when it comes in several pieces.
    Raises ModelError, also for a model that breaks its protocol or raises something else.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limits.reply_time
    stream: AsyncIterator[StreamItem] | None = None
    pieces = SecretFreeReply(model_keys())

    def tell(items: Iterable[Delta]) -> None:
        for item in items:
            partial.add(item)
            emit(_shown(item))

    try:
        stream = model.stream(request)
        while True:
            item = await _next(stream, limits.reply_idle, deadline, limits)
            if isinstance(item, ModelReply):
                return item
            tell(pieces.told(item))
            if partial.size > limits.reply_size:
                raise ModelError(
                    "bad-response",
                    f"The reply was stopped at {limits.reply_size:,} characters.",
                    "The model does not come to an end: ask for less, or choose another model.",
                )
    except ModelError:
        raise
    except StopAsyncIteration:
        raise ModelError("bad-response", "The reply ended without being finished.") from None
    except asyncio.CancelledError as error:
        if is_cancelled_from_outside():
            raise
        raise ModelError("other", "The model's request was cancelled from inside.") from error
    except Exception as error:
        _log.exception("the model failed in an unexpected way")
        raise ModelError("other", f"The model failed unexpectedly ({type(error).__name__}).") from error
    finally:
        tell(pieces.rest())
        if stream is not None:
            await _close(stream, limits.tool_grace)


async def _next(stream: AsyncIterator[StreamItem], idle: float, deadline: float, limits: AgentLimits) -> StreamItem:
    loop = asyncio.get_running_loop()
    end = min(loop.time() + idle, deadline)
    try:
        async with asyncio.timeout_at(end):
            return await anext(stream)
    except TimeoutError as error:
        if loop.time() < end:
            raise ModelError("timeout", "The model's server did not answer in time.", _AGAIN) from error
        if end == deadline:
            raise ModelError(
                "bad-response",
                f"The reply was stopped after {limits.reply_time:g} seconds.",
                "The model does not come to an end: ask for less, or choose another model.",
            ) from None
        raise ModelError("timeout", f"The model was silent for {idle:g} seconds.", _AGAIN) from None


def _shown(item: Delta) -> StreamItem:
    """A piece as subscribers may write it anywhere: half of a surrogate pair is in no encoding."""
    text = item.arguments if isinstance(item, ToolCallDelta) else item.text
    if text.isascii() or (clean := storable(text)) == text:
        return item
    return replace(item, **{"arguments" if isinstance(item, ToolCallDelta) else "text": clean})


async def _close(stream: Any, grace: float) -> None:
    """Ends the request. A stream that does not close in time is left to the garbage collector."""
    close = getattr(stream, "aclose", None)
    if close is None:
        return
    with contextlib.suppress(Exception):
        async with asyncio.timeout(grace):
            await close()
