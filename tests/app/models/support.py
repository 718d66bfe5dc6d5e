"""The chat beside a server whose answers, and the waits between attempts, last as long as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual import events
from textual.widget import Widget

from skills_core.agent import AgentLimits, RetryPolicy
from skills_core.agent.models import open_model
from tests.app.support import Deck
from tests.support.model_server import Answer, ModelServer, Reply, closed_port
from tests.support.model_server.server import RecordedRequest

WELL = Reply(text="All is well again.")
ATTEMPTS = 2
PATIENCE = 20.0
"""Seconds that anything may take on a machine with much else to do."""


class HeldServer(ModelServer):
    """Answers nothing before ``go``, lists nothing before ``list_now``, and may begin to listen late."""

    def __init__(self, *answers: Answer, models: tuple[str, ...] = ()) -> None:
        super().__init__("chat", *answers, models=models)
        self.go = asyncio.Event()
        self.list_now = asyncio.Event()
        self.arrived = 0
        self.listings = 0
        self._own_port = 0

    async def __aenter__(self) -> HeldServer:
        self._own_port = closed_port()
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._server is not None:
            await super().__aexit__(*exc)

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._own_port)

    @property
    def port(self) -> int:
        return self._own_port

    def offers(self, *models: str) -> None:
        """The models that are listed, once ``list_now`` is set."""
        self._models = models

    def let_one_go(self) -> None:
        """Answers the request that waits; the next one waits again."""
        self.go.set()
        self.go = asyncio.Event()

    def play(self, *answers: Answer) -> None:
        """What follows from now on, the last for ever."""
        self._answers = list(answers)

    async def _answer(self, request: RecordedRequest, *ends: Any) -> bool:
        if request.method == "GET":
            self.listings += 1
            await self.list_now.wait()
        else:
            self.arrived += 1
            go = self.go
            await go.wait()
        return await super()._answer(request, *ends)


@dataclass
class Pauses:
    """The waits between attempts: how long they were to be, and their end when the test says so."""

    seconds: list[float] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await self.over.wait()


@dataclass
class Beside:
    """The chat, what a person does and sees there, and the server."""

    deck: Deck
    server: HeldServer
    pauses: Pauses

    @property
    def draft(self) -> str:
        return str(self.deck.chat.composer.text)

    async def send(self, text: str) -> None:
        self.deck.chat.composer.insert(text)
        await self.strike("enter")
        await self.deck.until(lambda: self.draft == "", "the words to be sent", PATIENCE)

    async def write(self, text: str) -> None:
        """Writes on, letter by letter."""
        wanted = self.draft + text
        await self.strike(*text)
        await self.deck.until(lambda: self.draft == wanted, f"{wanted!r} in the composer", PATIENCE)

    async def strike(self, *keys: str) -> None:
        """Keys as the terminal sends them: the pilot's own wait until the program rests, which it need not."""
        for key in keys:
            self.deck.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await asyncio.sleep(0)

    def shown(self) -> str:
        """The screen's words, however they are wrapped."""
        return " ".join(self.deck.text().split())

    def told(self) -> str:
        """The newest line that is no one's words."""
        return str(next(row.text() for row in reversed(self.deck.chat.transcript.rows) if row.kind == "note"))

    async def see(self, words: str, timeout: float = PATIENCE) -> None:
        await self.deck.until(lambda: words in self.shown(), f"{words!r} on the screen", timeout)

    async def drawn(self, widget: Widget) -> None:
        """Until the widget has done what it put off until it was drawn, and that is on the screen too."""
        screen = self.deck.app.screen
        for waited in (widget, screen, widget, screen):
            done = asyncio.Event()
            waited.call_after_refresh(done.set)
            await asyncio.wait_for(done.wait(), PATIENCE)

    async def idle(self) -> None:
        await self.deck.until(lambda: not self.deck.chat.session.busy, "the end of the turn", PATIENCE)

    async def goes_on(self) -> None:
        """Sends what stands in the composer, to a server that is well."""
        asked, words = self.server.arrived, self.draft
        self.server.play(WELL)
        self.server.go.set()
        assert WELL.text not in self.shown()
        await self.strike("enter")
        await self.see(WELL.text)
        await self.idle()
        assert self.draft == ""
        assert self.server.arrived == asked + 1
        # Words without a reply before them go along in the same message, for servers that insist on turns.
        assert self.server.requests[-1].json["messages"][-1]["content"].endswith(words)


@asynccontextmanager
async def beside(
    tmp_path: Path, *answers: Answer, listens: bool = True, silence: float = 30.0, **settings: Any
) -> AsyncIterator[Beside]:
    """The chat with a model at a server that gives these answers once it may; ``silence`` is how long it may take."""
    async with HeldServer(*(answers or (WELL,))) as server:
        if listens:
            await server.listen()
        pauses = Pauses()
        deck = Deck(tmp_path, trust="yes", **settings)
        deck.runtime.model = open_model("openai:test-model", base_url=server.base_url)
        deck.runtime.agent_options = {
            "retry": RetryPolicy(attempts=ATTEMPTS, sleep=pauses.sleep, fraction=lambda: 0.0),
            "limits": AgentLimits(reply_idle=silence),
        }
        async with deck.app.run_test(size=(120, 40)):
            await deck.ready()
            yield Beside(deck, server, pauses)
