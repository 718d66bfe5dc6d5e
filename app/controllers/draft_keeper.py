"""Keeps what the person has not sent on the disk while it is being written, so that not even a power cut loses it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from app.controllers.draft_store import DraftStore

LAST_WRITE = 1.0
"""Seconds that the last writing may take."""

PAUSE = 0.5
"""Seconds between a change of the draft and its writing: what a kill may cost at most."""


class DraftKeeper:
    """Writes ``words()`` soon after each change. ``follow`` runs as long as the screen does."""

    def __init__(self, store: DraftStore, words: Callable[[], str]) -> None:
        self._store = store
        self._words = words
        self._change = asyncio.Event()

    def changed(self) -> None:
        """Says that the draft may be another now."""
        self._change.set()

    async def follow(self) -> None:
        """Writes after changes, until it is cancelled."""
        while True:
            await self._change.wait()
            await asyncio.sleep(PAUSE)
            self._change.clear()
            self._store.want(self._words())
            await asyncio.to_thread(self._store.write)

    def keep_now(self) -> None:
        """Writes at once, for the last time: the program ends. A disk that does not answer is waited for a moment."""
        self._store.want(self._words())
        writing = threading.Thread(target=self._write_last, name="last-draft", daemon=True)
        writing.start()
        writing.join(LAST_WRITE)

    def _write_last(self) -> None:
        self._store.write()
        self._store.close()
