"""What a server does with one request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply. Texts come in pieces of ``piece`` characters; ``usage`` False leaves the counts out.

    ``calls`` are names with the JSON text of their arguments; ``interleaved`` is a second thinking block between the
    text and the calls. ``stop`` overrides the reason in the dialect's own words. ``fused`` sends every call with the
    same index, as faulty servers do; ``ids`` False leaves the identifiers of calls out.
    """

    text: str = ""
    thinking: str = ""
    interleaved: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    usage: bool = True
    stop: str | None = None
    piece: int = 7
    fused: bool = False
    ids: bool = True


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error; a mapping is sent as JSON."""

    status: int
    body: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Ends:
    """The reply's stream ends properly as HTTP after so many of its bytes (from the end when negative)."""

    reply: Reply
    after: int


@dataclass(frozen=True, slots=True)
class Breaks:
    """The connection is closed in the middle of the chunked body after so many bytes of the stream."""

    reply: Reply
    after: int


@dataclass(frozen=True, slots=True)
class Resets:
    """The connection is reset after so many bytes of the stream; before any answer when negative."""

    reply: Reply
    after: int


@dataclass(frozen=True, slots=True)
class Endless:
    """A text that never ends."""

    text: str = "more "


@dataclass(frozen=True, slots=True)
class KeepsAlive:
    """The stream carries comments, or empty lines, and nothing else, for ever."""


@dataclass(frozen=True, slots=True)
class Hangs:
    """The stream begins with so many bytes of the reply and then says nothing any more."""

    reply: Reply
    after: int


@dataclass(frozen=True, slots=True)
class Raw:
    """These bytes as the body of a successful answer."""

    data: bytes
    content_type: str = "text/event-stream"


Answer: TypeAlias = Reply | Refusal | Ends | Breaks | Resets | Endless | Hangs | KeepsAlive | Raw
