"""The kinds of values that settings have: what is read from text, and what each refuses and why."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode

from app.nearest import did_you_mean
from app.settings.binding_ids import BINDING_IDS
from app.settings.tool_names import TOOL_NAMES


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a whole number")
    return value


def _list_from_text(value: object, separator: str) -> object:
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("looks like a JSON list but is not one") from error
    return tuple(part.strip() for part in re.split(separator, value) if part.strip())


def _words(value: object) -> object:
    return _list_from_text(value, r"[,\s]+")


def list_of_paths(value: object) -> object:
    """Text as the environment and flags hold it (folders joined as in PATH, or a JSON list) as a list of folders."""
    return _list_from_text(value, re.escape(os.pathsep))


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    if "\0" in value:
        raise ValueError("must not hold a NUL character")
    return value.strip()


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole or not value.isprintable() or " " in value:
        raise ValueError("must be an address such as http://localhost:8080/v1")
    return value


def _no_reserved_name(value: str) -> str:
    if value == "runtime":
        raise ValueError('"runtime" is reserved for skills that a program registers itself')
    return value


def _known_tool(name: str) -> str:
    if name not in TOOL_NAMES:
        near = did_you_mean(name, TOOL_NAMES)
        raise ValueError(f'there is no tool "{name}"; {near or "the tools are " + ", ".join(TOOL_NAMES)}')
    return name


def _known_binding(name: str) -> str:
    if name not in BINDING_IDS:
        hint = did_you_mean(name, BINDING_IDS) or "F1 in the chat lists the keys"
        raise ValueError(f"there is no key binding of this id; {hint}")
    return name


def _window_entry(entry: str) -> str:
    name, equals, tokens = entry.rpartition("=")
    tokens = tokens.strip().replace("_", "")
    if not tokens.isascii() or not tokens.isdecimal() or not 1000 <= int(tokens) <= 100_000_000:
        raise ValueError(f'"{entry}": write MODEL=TOKENS, such as ollama:qwen3=32768')
    if equals and not name.strip():
        raise ValueError(f'"{entry}": names no model')
    return f"{name.strip()}={int(tokens)}" if equals else str(int(tokens))


def _flat_keymap(value: object) -> object:
    """Turns nested tables into dotted ids, so that ``[keymap] composer.send = "…"`` and the quoted id are the same."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("must be a table of binding ids and keys") from error
    if not isinstance(value, Mapping):
        return value
    flat: dict[str, object] = {}

    def add(prefix: str, table: Mapping[Any, object]) -> None:
        for name, inner in table.items():
            if isinstance(inner, Mapping):
                add(f"{prefix}{name}.", inner)  # pyright: ignore[reportUnknownArgumentType]
            else:
                flat[f"{prefix}{name}"] = inner

    add("", value)  # pyright: ignore[reportUnknownArgumentType]
    return flat


Whole = Annotated[int, BeforeValidator(_no_truth_value)]
Text = Annotated[str, AfterValidator(_not_blank)]
Words = Annotated[tuple[Text, ...], NoDecode, BeforeValidator(_words)]
Tools = Annotated[tuple[Annotated[Text, AfterValidator(_known_tool)], ...], NoDecode, BeforeValidator(_words)]
Address = Annotated[Text, AfterValidator(_address)]
ProviderName = Annotated[Text, AfterValidator(_no_reserved_name)]
Paths = Annotated[tuple[Text, ...], NoDecode, BeforeValidator(list_of_paths)]
Windows = Annotated[tuple[Annotated[Text, AfterValidator(_window_entry)], ...], NoDecode, BeforeValidator(_words)]
Keymap = Annotated[dict[Annotated[str, AfterValidator(_known_binding)], Text], BeforeValidator(_flat_keymap)]
