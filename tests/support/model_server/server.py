"""A server on the loopback that plays answers in order and keeps what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, TypeAlias

from tests.support.model_server import chat, gemini, messages, responses
from tests.support.model_server.play import (
    Answer,
    Breaks,
    Endless,
    Ends,
    Hangs,
    KeepsAlive,
    Raw,
    Refusal,
    Reply,
    Resets,
)

Dialect: TypeAlias = Literal["chat", "responses", "messages", "gemini"]
_DIALECTS: Mapping[str, ModuleType] = {"chat": chat, "responses": responses, "messages": messages, "gemini": gemini}
_PROVIDERS = {"chat": "openai", "responses": "openai-responses", "messages": "anthropic", "gemini": "google"}


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def model(self) -> str:
        """Most formats name the model in the body, one in the path."""
        named = self.json.get("model")
        return str(named) if named else self.path.rpartition("/")[2].partition(":")[0]


class ModelServer:
    """Plays one answer for each request for a reply, the last for all that follow. Use it as a context manager."""

    def __init__(self, dialect: Dialect, *answers: Answer, models: tuple[str, ...] = ()) -> None:
        self.dialect = dialect
        self._format = _DIALECTS[dialect]
        self._answers = list(answers)
        self._models = models
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.requests: list[RecordedRequest] = []
        self.hold_after: int | None = None
        """Where a whole reply pauses, in bytes, until ``release`` is set; once."""
        self.release = asyncio.Event()
        self.refuse_listing = ""
        """What is said instead of the models that are offered, with status 401."""
        self.gone = asyncio.Event()
        """Set when a client went away in the middle of an answer."""

    async def __aenter__(self) -> ModelServer:
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
        return f"http://127.0.0.1:{self.port}" + ("" if self.dialect in ("messages", "gemini") else "/v1")

    @property
    def provider(self) -> str:
        """The prefix of model names that speak this dialect."""
        return _PROVIDERS[self.dialect]

    def error(self, status: int, message: str, code: str | None = None, kind: str = "x", **headers: str) -> Refusal:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Refusal(status, self._format.error(message, code, kind), named)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await _read_request(reader)) is not None:
                if not await self._answer(request, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        except asyncio.CancelledError:
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(
        self, request: RecordedRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Plays the next answer; returns whether the connection stays open."""
        if request.method == "GET" and self.refuse_listing:
            said = json.dumps(self._format.error(self.refuse_listing, "invalid_api_key", "authentication_error"))
            await _send(writer, 401, said.encode(), {"content-type": "application/json"})
            return True
        if request.method == "GET":
            await _send(writer, 200, self._listing(), {"content-type": "application/json"})
            return True
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        model = request.model
        match answer:
            case Refusal(status, body, headers):
                data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                kind = "text/html" if isinstance(body, str) else "application/json"
                await _send(writer, status, data, {"content-type": kind, **headers})
                return True
            case Raw(data, content_type):
                await _send(writer, 200, data, {"content-type": content_type})
                return True
            case Resets(_, after) if after < 0:
                _reset(writer)
                return False
            case _:
                await _begin_stream(writer)
        match answer:
            case Endless(text):
                start = getattr(self._format, "endless_start", None)
                if start is not None:
                    await _chunk(writer, start(model))
                while True:
                    await _chunk(writer, self._format.endless(text, model))
                    await asyncio.sleep(0.001)
            case KeepsAlive():
                while True:
                    await _chunk(writer, getattr(self._format, "KEEP_ALIVE", b": still here\n\n"))
                    await asyncio.sleep(0.005)
            case Reply():
                data, self.hold_after, after = self._format.encode(answer, model), None, self.hold_after
                if after is not None:
                    await _chunk(writer, data[:after])
                    await self.release.wait()
                    data = data[after:]
                await _chunk(writer, data)
                await _end_stream(writer)
                return True
            case Ends(reply, after):
                await _chunk(writer, self._format.encode(reply, model)[:after])
                await _end_stream(writer)
                return True
            case Breaks(reply, after):
                await _chunk(writer, self._format.encode(reply, model)[:after])
                return False
            case Resets(reply, after):
                await _chunk(writer, self._format.encode(reply, model)[:after])
                await asyncio.sleep(0.02)
                _reset(writer)
                return False
            case Hangs(reply, after):
                await _chunk(writer, self._format.encode(reply, model)[:after])
                # A client sends nothing before its answer is whole: what comes now is that it went away.
                await reader.read()
                self.gone.set()
        return False

    def stream(self, reply: Reply, model: str = "test-model") -> bytes:
        """The bytes of a reply's stream."""
        return bytes(self._format.encode(reply, model))

    def size(self, reply: Reply, model: str = "test-model") -> int:
        """How many bytes the stream of a reply has."""
        return len(self._format.encode(reply, model))

    def _listing(self) -> bytes:
        entries: list[dict[str, Any]] = []
        for name in self._models:
            entry: dict[str, Any] = {"id": name, "object": "model", "created": 1, "owned_by": "x"}
            if self.dialect == "messages":
                entry = {"id": name, "type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
            entries.append(entry)
        if self.dialect == "gemini":
            return json.dumps({"models": [{"name": f"models/{name}"} for name in self._models]}).encode()
        return json.dumps({"object": "list", "data": entries, "has_more": False}).encode()


def closed_port() -> int:
    """A port of the loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _read_request(reader: asyncio.StreamReader) -> RecordedRequest | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return RecordedRequest(method, path, headers, body)


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", *(f"{n}: {v}" for n, v in headers.items())]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


async def _begin_stream(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    await writer.drain()


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    if data:
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _end_stream(writer: asyncio.StreamWriter) -> None:
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Closes with a reset instead of an end."""
    handle = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
