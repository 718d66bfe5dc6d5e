"""What the person asked for and may take long: done beside the screen's own messages, which must never wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen

QUIET = 0.15
"""Seconds that work may take before the status bar says what is being done."""


class ChatWork:
    """Runs work in the order in which it was asked for, or beside all other."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._turn = asyncio.Lock()
        self._slow: list[str] = []

    @property
    def activity(self) -> str:
        """What is being done and takes a while, in words; the newest of several."""
        return self._slow[-1] if self._slow else ""

    def in_order(self, words: str, work: Callable[[], Awaitable[None]]) -> None:
        """Does ``work`` once everything that was asked for before it is done. ``words`` say what it is doing."""

        async def wait_and_do() -> None:
            async with self._turn:
                await work()

        self.beside(words, wait_and_do)

    def beside(self, words: str, work: Callable[[], Awaitable[None]]) -> None:
        """Does ``work`` without waiting for any other."""

        async def do() -> None:
            telling = asyncio.get_running_loop().call_later(QUIET, self._tell, words) if words else None
            try:
                await work()
            finally:
                if telling is not None:
                    telling.cancel()
                if words in self._slow:
                    self._slow.remove(words)
                    self._screen.surroundings.show_status()

        self._screen.run_worker(do(), group="work", exit_on_error=True)

    def _tell(self, words: str) -> None:
        self._slow.append(words)
        self._screen.surroundings.show_status()
