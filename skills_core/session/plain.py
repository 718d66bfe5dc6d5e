"""Looks into plain JSON of which nothing is known: what is not of the expected kind reads as empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast


def mapping(value: object) -> Mapping[str, Any]:
    """``value`` if it is an object, else an empty one."""
    # The check for dict is the quick way; what was read from a log is nothing else.
    return cast("Mapping[str, Any]", value) if isinstance(value, dict | Mapping) else {}


def items(value: object) -> Sequence[Any]:
    """``value`` if it is an array, else an empty one."""
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def text(value: object) -> str:
    """``value`` if it is text, else empty."""
    return value if isinstance(value, str) else ""


def content_text(content: object) -> str:
    """The text of a message's content: its text blocks joined with no separator."""
    blocks = map(mapping, items(content))
    return "".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
