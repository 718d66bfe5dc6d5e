"""The one way to a terminal, a pipe or a file for what the commands print.

What another program reads goes to standard output and nothing else does; messages for people go to standard error.
Data is made inert on its way, colours are written only to a terminal and never when ``NO_COLOR`` is set.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import IO, Any, Literal, TypeAlias

from app.controllers.inert import escape_in_json, inert, inert_line

Style: TypeAlias = Literal["", "bold", "dim", "red", "yellow", "green", "cyan"]

_CODES = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "green": "32", "cyan": "36"}


class OutputError(Exception):
    """Standard output takes no more: the disk behind it is full, or it broke."""

    def __init__(self, error: OSError) -> None:
        self.message = f"the output could not be written: {(error.strerror or str(error)).lower()}"
        super().__init__(self.message)


class Output:
    """Prints for one command. The streams are looked up once, when it is made."""

    def __init__(self, stdout: IO[str] | None = None, stderr: IO[str] | None = None) -> None:
        self._stdout = sys.stdout if stdout is None else stdout
        self._stderr = sys.stderr if stderr is None else stderr
        _never_fail_on_encoding(self._stdout)
        _never_fail_on_encoding(self._stderr)
        self._colour = {
            id(self._stdout): _wants_colour(self._stdout),
            id(self._stderr): _wants_colour(self._stderr),
        }

    @property
    def is_terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return _is_terminal(self._stdout)

    @property
    def width(self) -> int:
        """Columns of the terminal; 100 when standard output is none."""
        if not self.is_terminal:
            return 100
        import shutil

        return max(20, shutil.get_terminal_size((100, 24)).columns)

    def line(self, *parts: str | tuple[str, Style]) -> None:
        """Prints one line to standard output: plain text, or pairs of text and style."""
        self._write(self._stdout, self._painted(self._stdout, parts) + "\n")

    def text(self, text: str) -> None:
        """Prints text of several lines to standard output, ending with a line feed."""
        shown = inert(text)
        self._write(self._stdout, shown if shown.endswith("\n") or not shown else shown + "\n")

    def piece(self, text: str) -> None:
        """Prints a part of a text at once, without ending the line. It was made inert already, within its text."""
        self._write(self._stdout, text)
        self.flush()

    def document(self, text: str) -> None:
        """Prints a finished document (Markdown, HTML), whose text was made inert for its own format already."""
        self._write(self._stdout, text if text.endswith("\n") else text + "\n")

    def json(self, value: Any) -> None:
        """Prints one JSON value, indented for people when standard output is a terminal."""
        self._write(self._stdout, encode_json(value, indent=2 if self.is_terminal else None) + "\n")

    def json_line(self, value: Any) -> None:
        """Prints one JSON value on one line and flushes it at once."""
        self._write(self._stdout, encode_json(value) + "\n")
        self.flush()

    def flush(self) -> None:
        """Hands everything over. Raises BrokenPipeError when the reader has gone, else OutputError."""
        try:
            self._stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error) from error

    def message(self, text: str) -> None:
        """Tells a person one line on standard error."""
        self._write(self._stderr, inert_line(text) + "\n")

    def failure(self, message: str, hint: str = "") -> None:
        """Tells a person what is wrong, as one line on standard error that begins with the program's name."""
        parts: list[str | tuple[str, Style]] = [("skilldeck: ", "bold"), (inert_line(message), "red")]
        if hint:
            ended = message.endswith((".", "!", "?", ":", "…"))
            parts.append((" " if ended else ". " if _is_sentence(hint) else "; ") + inert_line(hint))
        self._write(self._stderr, self._painted(self._stderr, parts) + "\n")

    def table(self, rows: Sequence[Sequence[str | tuple[str, Style]]], *, gap: int = 2, indent: int = 0) -> None:
        """Prints rows in columns as wide as their widest cell; the last column is not padded."""
        if not rows:
            return
        shown: list[list[tuple[str, Style]]] = []
        for row in rows:
            cells: list[tuple[str, Style]] = [cell if isinstance(cell, tuple) else (cell, "") for cell in row]
            shown.append([(inert_line(text), style) for text, style in cells])
        widths = [max(cell_width(row[column][0]) for row in shown) for column in range(len(shown[0]) - 1)]
        for row in shown:
            parts: list[str | tuple[str, Style]] = [" " * indent]
            for column, (text, style) in enumerate(row):
                last = column == len(row) - 1
                padding = "" if last else " " * (widths[column] - cell_width(text) + gap)
                parts.extend([(text, style), padding])
            self.line(*parts)

    def _painted(self, stream: IO[str], parts: Iterable[str | tuple[str, Style]]) -> str:
        painted: list[str] = []
        for part in parts:
            text, style = part if isinstance(part, tuple) else (part, "")
            shown = inert(text)
            if style and shown and self._colour[id(stream)]:
                shown = f"\x1b[{_CODES[style]}m{shown}\x1b[0m"
            painted.append(shown)
        return "".join(painted).rstrip(" ")

    @staticmethod
    def _write(stream: IO[str], text: str) -> None:
        try:
            stream.write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error) from error


def _is_sentence(text: str) -> bool:
    """Whether a text begins like a sentence, and not with a variable's name or a command."""
    first, second = text[:1], text[1:2]
    return first.isupper() and (second.islower() or second.isspace())


def encode_json(value: Any, *, indent: int | None = None) -> str:
    """The JSON text of a value, readable, and inert on a terminal."""
    return escape_in_json(json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False))


def cell_width(text: str) -> int:
    """How many columns a terminal gives a text of one line."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    width = 0
    for character in text:
        if category(character) in ("Mn", "Me", "Cf"):
            continue
        width += 2 if east_asian_width(character) in "WF" else 1
    return width


def cut_to_width(text: str, width: int) -> str:
    """The text in at most ``width`` columns, ending in an ellipsis when something was cut."""
    if cell_width(text) <= width:
        return text
    kept: list[str] = []
    room = max(0, width - 1)
    for character in text:
        room -= cell_width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def _is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except ValueError:
        return False


def _wants_colour(stream: IO[str]) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def _never_fail_on_encoding(stream: IO[str]) -> None:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
