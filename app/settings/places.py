"""On which line of a TOML file each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, cast

_TOKENS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""+'  # multi-line strings; up to two more quotes belong to the string
    r"|'''.*?'''+"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[\]{}\n]",
    re.DOTALL,
)


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line, from 1, on which each key and each table of a valid TOML text begins.

    A statement ends with its line, but for the lines within brackets and multi-line strings.
    """
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for line, statement in _statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _only_path(parsed)
            found.setdefault(table, line)
        else:
            for path in _paths(parsed):
                found.setdefault(table + path, line)
    return found


def error_place(error: tomllib.TOMLDecodeError, text: str) -> tuple[int, int, str]:
    """Line and column, from 1, and the message without them, of a text that is not TOML."""
    message, _, place = str(error).rpartition(" (at ")
    numbers = [int(word) for word in place.replace(",", " ").replace(")", " ").split() if word.isdigit()]
    lines = text.split("\n")
    if len(numbers) == 2 and (numbers[1] > 1 or message.startswith("Invalid statement")):
        return numbers[0], numbers[1], message
    if len(numbers) == 2 and numbers[0] > 1:
        # Something was not ended on its line, and the parser names the next one.
        lines = lines[: numbers[0] - 1]
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return len(lines), len(lines[-1]) + 1, message or str(error)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a valid text with the lines on which they begin; takes time linear in its length."""
    start = depth = 0
    for token in _TOKENS.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif mark == "\n" and depth == 0:
            yield from _statement(text, start, token.end())
            start = token.end()
    yield from _statement(text, start, len(text))


def _statement(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    statement = text[start:end]
    if statement.strip() and not statement.lstrip().startswith("#"):
        yield text.count("\n", 0, start) + 1, statement


def _only_path(parsed: Any) -> tuple[str, ...]:
    path: list[str] = []
    while isinstance(parsed, dict) and parsed:
        name, parsed = next(iter(cast("dict[str, Any]", parsed).items()))
        path.append(name)
    return tuple(path)


def _paths(parsed: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, value in parsed.items():
        yield (name,)
        if isinstance(value, Mapping):
            for inner in _paths(value):  # pyright: ignore[reportUnknownArgumentType]
                yield (name, *inner)
