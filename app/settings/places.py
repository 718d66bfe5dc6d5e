"""On which line of a TOML file each key stands."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, cast


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line, from 1, on which each key and each table of a valid TOML text begins.

    Statements are told apart by the parser itself: a line that does not parse alone goes on in the next one, as the
    first line of an array or of a multi-line string does.
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
    pending: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not pending and (not line.strip() or line.lstrip().startswith("#")):
            continue
        pending.append(line)
        statement = "\n".join(pending)
        try:
            tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        yield number - len(pending) + 1, statement
        pending.clear()


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
