"""Reads the arguments of a tool call, whatever the model put there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ArgumentError(Exception):
    """An argument of a tool call is missing or of the wrong kind. ``message`` is for the model."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def text_argument(arguments: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A string argument. Raises ArgumentError when it is missing without a default, or is no string."""
    value = arguments.get(name)
    if value is None:
        if default is None:
            raise ArgumentError(f"the argument `{name}` is missing")
        return default
    if not isinstance(value, str):
        raise ArgumentError(f"the argument `{name}` must be a text")
    return value


def number_argument(arguments: Mapping[str, Any], name: str, default: int, *, least: int, most: int) -> int:
    """A whole number, kept within its bounds. Raises ArgumentError when it is no number."""
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"the argument `{name}` must be a whole number")
    return min(max(value, least), most)


def flag_argument(arguments: Mapping[str, Any], name: str) -> bool:
    """A boolean argument that is false when left out. Raises ArgumentError when it is no boolean."""
    value = arguments.get(name, False)
    if not isinstance(value, bool):
        raise ArgumentError(f"the argument `{name}` must be true or false")
    return value
