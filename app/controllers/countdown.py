"""Seconds that are left, told while they pass."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable


class Countdown:
    """Tells how many whole seconds are left, at the start, after each second, and at the end, which is 0."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._end = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Counts from there; what was counted before is over."""
        self.stop()
        self._end = asyncio.get_running_loop().time() + seconds
        self._go_on(math.ceil(seconds))

    def stop(self) -> None:
        """Tells nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _go_on(self, left: int) -> None:
        self._timer = None
        if left > 0:
            # Each second is told when it begins, however late the one before was.
            at = self._end - (left - 1)
            self._timer = asyncio.get_running_loop().call_at(at, self._go_on, left - 1)
        self._tell(left)
