"""Those who want to be told of something, for as long as each of them wants."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Subscribers(Generic[P]):
    """Callbacks in the order of subscription. ``of`` says in the log whose they are."""

    def __init__(self, log: logging.Logger, of: str) -> None:
        self._log = log
        self._of = of
        self._callbacks: dict[int, Callable[P, object]] = {}
        self._next = 0

    def add(self, callback: Callable[P, object]) -> Callable[[], None]:
        """Returns the unsubscribe function, which may be called twice. A callback may be added twice too."""
        key = self._next
        self._next += 1
        self._callbacks[key] = callback

        def unsubscribe() -> None:
            self._callbacks.pop(key, None)

        return unsubscribe

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Calls each of them once. One that raises is logged and harms no other."""
        for callback in self:
            try:
                callback(*args, **kwargs)
            except Exception:
                self._log.exception("a subscriber of %s failed", self._of)

    def clear(self) -> None:
        self._callbacks.clear()

    def __iter__(self) -> Iterator[Callable[P, object]]:
        """Those of now: one that comes or goes meanwhile changes nothing."""
        return iter(tuple(self._callbacks.values()))
