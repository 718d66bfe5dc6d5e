"""A server that says back what it was given as a key, and what is looked at for it afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skills_core.agent.models import open_model
from skills_core.agent.models.real import RealModel
from tests.support.model_server import ModelServer, Reply

KEY = "canary-Key+9f8e/7d6c5b4a32"
VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "SKILLDECK_API_KEY")
HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
_EVENT_STREAM = {"content-type": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Says:
    """``headers`` and ``body`` hold the key where they say ``{key}``."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def says(dialect: Any, reply: Reply, **headers: str) -> Says:
    """A good answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Says(ModelServer(dialect).stream(reply, "served-{key}"), headers={**_EVENT_STREAM, **named})


def fails_midway(dialect: Any, reply: Reply, words: str) -> Says:
    """The first half of a good answer, and then an event that says what went wrong."""
    pieces = ModelServer(dialect).stream(reply).split(b"\n\n")
    events = {
        "chat": f'data: {{"error": {{"message": "{words}", "type": "server_error", "code": "server_error"}}}}',
        "responses": 'event: error\ndata: {"type": "error", "code": "server_error", "message": "'
        f'{words}", "param": null, "sequence_number": 9}}',
        "gemini": f'data: {{"error": {{"code": 503, "message": "{words}", "status": "UNAVAILABLE"}}}}',
        "messages": 'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", '
        f'"message": "{words}"}}}}',
    }
    head = b"\n\n".join(pieces[: len(pieces) // 2])
    return Says(head + b"\n\n" + events[dialect].encode() + b"\n\n", headers=_EVENT_STREAM)


def stops_before(dialect: Any, reply: Reply, words: str) -> Says:
    """A stream that ends with the event before the one with these words."""
    data = ModelServer(dialect).stream(reply)
    assert words.encode() in data
    return Says(data[: data.rindex(b"data: ", 0, data.index(words.encode()))], headers=_EVENT_STREAM)


class EchoServer:
    """Plays one answer for each request, the last for all that follow, with the key that came with the request."""

    def __init__(self, dialect: Any, *answers: Says) -> None:
        self._format = ModelServer(dialect)
        self._answers = list(answers)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.requests: list[str] = []
        """Head and body of each."""

    async def __aenter__(self) -> EchoServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}" + ("" if self._format.dialect in ("messages", "gemini") else "/v1")

    @property
    def name(self) -> str:
        return f"{self._format.provider}:test-model"

    def model(self, key: str = KEY) -> RealModel:
        model = open_model(self.name, base_url=self.base_url, api_key=key)
        assert isinstance(model, RealModel)
        return model

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                fields = {
                    name.lower(): value
                    for name, found, value in (line.partition(": ") for line in head.split("\r\n"))
                    if found
                }
                body = await reader.readexactly(int(fields.get("content-length", "0")))
                self.requests.append(head + body.decode())
                came = [fields[name].removeprefix("Bearer ") for name in HEADERS if name in fields]
                writer.write(self._answer(came[0] if came else "no key came"))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    def _answer(self, key: str) -> bytes:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        body = answer.body.replace(b"{key}", key.encode())
        headers = {name: value.replace("{key}", key) for name, value in answer.headers.items()}
        lines = [f"HTTP/1.1 {answer.status} {key}", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def assert_untold(what: str, secret: str = KEY) -> None:
    """Neither the secret nor the greater part of it, from either end, is in a text."""
    for part in (secret[: len(secret) * 2 // 3], secret[len(secret) // 3 :]):
        at = what.find(part)
        assert at < 0, f"told: {what[max(0, at - 200) : at + 100]!r}"


def on_disk(folder: Path) -> str:
    """Everything below a folder, with the names of the files."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert files, f"nothing was written below {folder.name}"
    return "\n".join(f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}" for path in files)
