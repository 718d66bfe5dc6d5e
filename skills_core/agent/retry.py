"""When a failed request is sent again, and after how long."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from skills_core.agent.model import ModelError
from skills_core.words import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Backoff for rate limits, overloaded servers and lost connections.

    ``attempts`` counts all requests of a step, the first too. Delays are in seconds: ``first_delay`` doubles with
    each attempt up to ``longest_delay``, less a random share of up to ``jitter``. A server's own wish is granted up to
    ``longest_wish``; a longer one is an answer for the person and not a wait. ``sleep`` and ``fraction`` (a number
    from 0 to 1) are replaced in tests.
    """

    attempts: int = 5
    first_delay: float = 1.0
    longest_delay: float = 30.0
    longest_wish: float = 120.0
    jitter: float = 0.25
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)
    fraction: Callable[[], float] = field(default=random.random)

    def delay(self, attempt: int, error: ModelError) -> float | None:
        """Seconds to wait after failed attempt number ``attempt`` (from 1); None when it is not to be tried again."""
        if not error.retryable or attempt >= self.attempts:
            return None
        if error.retry_after is not None:
            return max(0.0, error.retry_after) if error.retry_after <= self.longest_wish else None
        delay = min(self.longest_delay, self.first_delay * 2 ** (attempt - 1))
        return delay * (1 - self.jitter * self.fraction())


def final_error(error: ModelError, attempts: int) -> ModelError:
    """The error as told when no further attempt follows."""
    if not error.retryable:
        return error
    hint = error.hint
    if error.retry_after is not None:
        hint = f"The server asks to wait {waiting_time(error.retry_after)}: send again then, or choose another model."
    message = error.message if attempts <= 1 else f"{error.message.removesuffix('.')} ({attempts} attempts)."
    return ModelError(error.kind, message, hint, retry_after=error.retry_after)


def waiting_time(seconds: float) -> str:
    """A wait in words, rounded up to what a person plans with."""
    for length, unit in ((3600, "hour"), (60, "minute")):
        if seconds >= 2 * length:
            return counted(math.ceil(seconds / length), unit)
    return counted(max(1, math.ceil(seconds)), "second")
