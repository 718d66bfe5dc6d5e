"""A value that the definition refuses, in words for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from app.errors import UsageError
from app.nearest import did_you_mean
from app.settings.definition import SECRET_KEYS, Settings
from app.settings.sources import SettingsLayer

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def explained(error: ErrorDetails, nearest_first: tuple[SettingsLayer, ...]) -> UsageError:
    """A refused value as one line: its place, its key, what it must be, and the nearest right value."""
    location = [str(part) for part in error["loc"]]
    if len(location) > 2 and location[-1] == "[key]":
        location.pop()
    key, inner = location[0], location[1:]
    named = ".".join(location) if key == "keymap" and inner else key
    place = key
    for layer in nearest_first:
        if key in layer.values:
            origin = layer.origins.get(named) or layer.origins.get(key)
            place = origin.place if origin else layer.kind
            break
    # An address that is none cannot be taken apart: a password may be anywhere in it.
    secret = key in SECRET_KEYS or (key == "base_url" and any(mark in str(error["input"]) for mark in "@?#"))
    shown = "" if secret or ("value_error" in error["type"] and inner) else f" = {_short(error['input'])}"
    message, hint = _requirement(key, error)
    return UsageError(f"{place}: {named}{shown}: {message}", hint)


def _requirement(key: str, error: ErrorDetails) -> tuple[str, str]:
    kind = error["type"]
    context: Mapping[str, Any] = error.get("ctx", {})
    field = Settings.model_fields[key]
    if kind == "literal_error":
        choices = [str(choice) for choice in get_args(field.annotation)]
        return f"must be {', '.join(choices[:-1])} or {choices[-1]}", did_you_mean(str(error["input"]), choices)
    if kind in ("greater_than_equal", "less_than_equal"):
        bounds = {type(bound).__name__: bound for bound in field.metadata}
        low, high = getattr(bounds.get("Ge"), "ge", None), getattr(bounds.get("Le"), "le", None)
        return (f"must be from {low} to {high}" if high is not None else f"must be {low} or more"), ""
    if kind.startswith(("int_", "float_")):
        return "must be a whole number", ""
    if kind.startswith("bool_"):
        return "must be true or false", ""
    if kind.startswith("string_"):
        return "must be text", ""
    if kind.startswith(("tuple_", "list_")):
        return "must be a list", ""
    if kind.startswith("dict_"):
        return "must be a table of binding ids and keys", ""
    if kind == "value_error":
        return str(context.get("error", error["msg"])), ""
    return error["msg"][:1].lower() + error["msg"][1:], ""


def _short(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    text = " ".join(text[:200].split())
    return text if len(text) <= 60 else text[:57] + "..."
