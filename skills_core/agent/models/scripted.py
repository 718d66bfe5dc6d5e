"""A model that plays a file of replies: for tests, demonstrations and recordings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from skills_core.agent.model import (
    ModelError,
    ModelErrorKind,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    Usage,
)
from skills_core.agent.reply import tool_call_block
from skills_core.session.event import Block

_KEYS = frozenset({"text", "thinking", "tool_calls", "delay_ms", "error"})
_KINDS: frozenset[str] = frozenset(get_args(ModelErrorKind))
_FILE_MAX = 16 * 1024 * 1024
_PIECE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """One line of the file. ``delay`` is in seconds; ``tool_calls`` are names with their arguments as JSON text."""

    text: str = ""
    thinking: str = ""
    tool_calls: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    error: ModelError | None = None


class ScriptedModel:
    """Plays one reply of the file for each request, from the first on.

    ``requests`` are those it was given, oldest first. ``sleep`` is replaced in tests. Raises ModelError for a file
    that cannot be read or has a faulty line, and when a request comes past the last reply.
    """

    writes_summaries = False

    def __init__(self, path: str | Path, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._path = Path(path)
        self._replies = read_script(self._path)
        self._next = 0
        self._sleep = sleep
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return f"script:{self._path}"

    @property
    def context_window(self) -> int | None:
        return None

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        if self._next >= len(self._replies):
            count = len(self._replies)
            raise ModelError(
                "script-ended",
                f"The script {self._path} has ended: it has {count} {'reply' if count == 1 else 'replies'}.",
                "Add a line for each request of the conversation.",
            )
        reply = self._replies[self._next]
        number = self._next = self._next + 1
        if reply.delay:
            await self._sleep(reply.delay)
        if reply.error is not None and not (reply.text or reply.thinking or reply.tool_calls):
            raise reply.error
        for item in _deltas(reply):
            yield item
            await asyncio.sleep(0)
        if reply.error is not None:
            raise reply.error
        reason = "tool_calls" if reply.tool_calls else "end"
        yield ModelReply(_blocks(reply, number), reason, Usage(), self.name)


def read_script(path: Path) -> tuple[ScriptedReply, ...]:
    """The replies of a file of JSON lines; blank lines are skipped. Raises ModelError that names the faulty line."""
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_MAX + 1)
    except OSError as error:
        message = f"The script {path} cannot be read: {(error.strerror or str(error)).lower()}."
        raise ModelError("other", message, "Name a file: script:FILE.") from error
    if len(data) > _FILE_MAX:
        raise ModelError("other", f"The script {path} is too large.", f"The limit is {_FILE_MAX:,} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _fault(path, line, "it is not UTF-8 text") from error
    lines = enumerate(text.split("\n"), 1)
    return tuple(_read_line(path, number, line) for number, line in lines if line.strip())


def _read_line(path: Path, number: int, line: str) -> ScriptedReply:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise _fault(path, number, f"it is not JSON ({error.msg}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise _fault(path, number, "it is not JSON") from error
    if not isinstance(record, dict):
        raise _fault(path, number, "it is not a JSON object")
    fields = cast("dict[str, Any]", record)
    unknown = sorted(set(fields) - _KEYS)
    if unknown:
        raise _fault(path, number, f"it has an unknown key `{unknown[0]}`; known are {', '.join(sorted(_KEYS))}")
    for key in ("text", "thinking"):
        if not isinstance(fields.get(key) or "", str):
            raise _fault(path, number, f"`{key}` is not a text")
    return ScriptedReply(
        text=fields.get("text") or "",
        thinking=fields.get("thinking") or "",
        tool_calls=_read_calls(path, number, fields.get("tool_calls")),
        delay=_read_delay(path, number, fields.get("delay_ms")),
        error=_read_error(path, number, fields.get("error")),
    )


def _read_calls(path: Path, number: int, value: Any) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _fault(path, number, "`tool_calls` is not a list")
    calls: list[tuple[str, str]] = []
    for item in cast("list[Any]", value):
        call: Mapping[str, Any] = cast("Mapping[str, Any]", item) if isinstance(item, Mapping) else {}
        name = call.get("name")
        if not isinstance(name, str) or not name:
            raise _fault(path, number, "a tool call has no `name`")
        arguments = call.get("arguments", {})
        # A text is sent as it stands, so that a script can play a model that breaks off its JSON.
        calls.append((name, arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)))
    return tuple(calls)


def _read_delay(path: Path, number: int, value: Any) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise _fault(path, number, "`delay_ms` is not a number of milliseconds")
    return value / 1000


def _read_error(path: Path, number: int, value: Any) -> ModelError | None:
    """A text, or an object with ``kind``, ``message``, ``hint`` and ``retry_after`` in seconds."""
    if value is None:
        return None
    if isinstance(value, str):
        if value in _KINDS:
            return ModelError(cast("ModelErrorKind", value), _played(value))
        return ModelError("other", value)
    if not isinstance(value, Mapping):
        raise _fault(path, number, "`error` is neither a text nor an object")
    fields = cast("Mapping[str, Any]", value)
    kind = fields.get("kind", "other")
    if kind not in _KINDS:
        raise _fault(path, number, f"`error.kind` is none of {', '.join(sorted(_KINDS))}")
    wish = fields.get("retry_after")
    if wish is not None and (isinstance(wish, bool) or not isinstance(wish, int | float)):
        raise _fault(path, number, "`error.retry_after` is not a number of seconds")
    message = str(fields.get("message") or _played(str(kind)))
    return ModelError(cast("ModelErrorKind", kind), message, str(fields.get("hint") or ""), retry_after=wish)


def _played(kind: str) -> str:
    return f"The script plays a failure ({kind})."


def _fault(path: Path, line: int, fault: str) -> ModelError:
    return ModelError("other", f"The script {path} is faulty in line {line}: {fault}.", "Each line is one JSON object.")


def _deltas(reply: ScriptedReply) -> list[StreamItem]:
    items: list[StreamItem] = [ThinkingDelta(piece) for piece in _pieces(reply.thinking)]
    items += [TextDelta(piece) for piece in _pieces(reply.text)]
    for index, (name, arguments) in enumerate(reply.tool_calls):
        items.append(ToolCallDelta(index, name, ""))
        items += [ToolCallDelta(index, None, piece) for piece in _pieces(arguments)]
    return items


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def _blocks(reply: ScriptedReply, number: int) -> tuple[Block, ...]:
    blocks: list[Block] = []
    if reply.thinking:
        blocks.append({"type": "thinking", "text": reply.thinking})
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for index, (name, arguments) in enumerate(reply.tool_calls, 1):
        blocks.append(tool_call_block(f"script-{number}-{index}", name, arguments))
    return tuple(blocks)
