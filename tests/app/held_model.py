"""A model whose reply a test holds back and lets go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from skills_core.agent.model import ModelError, ModelReply, ModelRequest, StreamItem, TextDelta, Usage
from tests.app.support import Deck


class HeldModel:
    """Streams what the test lets it; ``go`` ends the reply."""

    name = "held"
    context_window = None

    def __init__(self, *words: str, error: ModelError | None = None) -> None:
        self.words = words
        self.error = error
        self.go = asyncio.Event()
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        for word in self.words:
            yield TextDelta(word)
        await self.go.wait()
        text = "".join(self.words)
        yield ModelReply(({"type": "text", "text": text},), "end", Usage(input_tokens=10, output_tokens=5))


def deck_with(tmp_path: Path, model: Any) -> Deck:
    deck = Deck(tmp_path, trust="yes")
    deck.runtime.model = model
    return deck
