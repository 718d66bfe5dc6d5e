"""The parts that an open row consists of, and how stored values become text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from app.controllers.text_layout import Role

TEXT_LIMIT = 20_000
"""Code points of a text that a row shows."""

LIST_LIMIT = 200
"""Entries of a list that a row shows."""


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text with its real line breaks."""

    text: str
    role: Role = "text"


@dataclass(frozen=True, slots=True)
class Heading:
    """A short line that says what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class ListLine:
    """One line of a list: a mark in its role, a name, and a text that may wrap."""

    mark: str
    role: Role
    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A stored fact by its key."""

    name: str
    value: str


Part: TypeAlias = Prose | Verbatim | Heading | ListLine | Fact


def bounded(text: str) -> str:
    """The text, or its beginning and how long it is in all."""
    if len(text) <= TEXT_LIMIT:
        return text
    return f"{text[:TEXT_LIMIT]}… truncated, {len(text):,} characters total"


def field_text(value: object) -> str:
    """A stored value as text: strings as they are, numbers and booleans as JSON writes them, the rest compact JSON."""
    if isinstance(value, str):
        return bounded(value)
    return bounded(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def source_fields(source: Mapping[str, Any], hidden: Iterable[str]) -> tuple[Fact, ...]:
    """The facts of a source that nothing else shows; ``kind`` never is one of them."""
    left_out = {"kind", *hidden}
    return tuple(Fact(str(name), field_text(value)) for name, value in source.items() if name not in left_out)


def content_parts(content: object, role: Role = "text") -> tuple[Part, ...]:
    """The blocks of a message in their order: runs of text joined without a separator, unknown blocks as JSON."""
    if not isinstance(content, Sequence) or isinstance(content, (str, bytes)):
        return (Verbatim(field_text(content), role),) if content is not None else ()
    parts: list[Part] = []
    texts: list[str] = []

    def flush() -> None:
        if texts:
            parts.append(Verbatim(bounded("".join(texts)), role))
            texts.clear()

    for block in cast(Sequence[object], content):
        text = block_text(block)
        if text is not None:
            texts.append(text)
        else:
            flush()
            parts.append(unknown_block(block))
    flush()
    return tuple(parts)


def block_text(block: object) -> str | None:
    """The text of a text block, None for any other."""
    if isinstance(block, Mapping):
        fields = cast(Mapping[str, object], block)
        text = fields.get("text")
        if fields.get("type") == "text" and isinstance(text, str):
            return text
    return None


def unknown_block(block: object) -> Fact:
    """A content block that this version does not know, with everything in it."""
    kind = cast(Mapping[str, object], block).get("type") if isinstance(block, Mapping) else None
    name = f"unknown block {kind}" if isinstance(kind, str) else "unknown block"
    return Fact(name, field_text(cast(object, block)))


def joined_text(content: object) -> str:
    """All text blocks of a message, joined without a separator."""
    if not isinstance(content, Sequence) or isinstance(content, (str, bytes)):
        return ""
    return "".join(text for block in cast(Sequence[object], content) if (text := block_text(block)) is not None)


def unknown_blocks(content: object) -> tuple[Fact, ...]:
    if not isinstance(content, Sequence) or isinstance(content, (str, bytes)):
        return ()
    return tuple(unknown_block(block) for block in cast(Sequence[object], content) if block_text(block) is None)
