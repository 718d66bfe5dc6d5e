"""The prompt of ``skilldeck run``: from the command line or from standard input."""

from __future__ import annotations

import codecs
import sys
from argparse import Namespace

from app.errors import UsageError
from app.nearest import nearest
from app.settings.tool_names import TOOL_NAMES

_HOW = 'write: skilldeck run "..."'


def settle_tool_names(arguments: Namespace) -> None:
    """Takes the prompt out of the names when it was written behind them: no tool is called like it.

    One word that is nearly a tool's name stays among the names, where it is refused: taken for the prompt it would
    silently stand in the place of the one on standard input.
    """
    if arguments.allow_tools is None:
        return
    names: list[str] = list(arguments.allow_tools)
    if arguments.prompt is None and len(names) > 1 and not _is_meant_as_tool(names[-1], TOOL_NAMES):
        arguments.prompt = names.pop()
    arguments.allow_tools = [part for name in names for part in _parts(name)]


def read_prompt(written: str | None) -> str:
    """What was written on the command line, else standard input, which is text in UTF-8 whatever the locale says.

    Raises UsageError.
    """
    if written is not None and written != "-":
        prompt = written
        if not _is_text(prompt):
            raise UsageError("the prompt is not text in UTF-8")
    elif written is None and sys.stdin.isatty():
        raise UsageError("there is no prompt", _HOW)
    else:
        prompt = _standard_input()
    if not prompt.strip():
        raise UsageError("the prompt is empty", _HOW)
    return prompt.removesuffix("\n")


def _standard_input() -> str:
    try:
        data = sys.stdin.buffer.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"standard input cannot be read: {reason}", _HOW) from None
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not text in UTF-8: byte {error.start + 1} is wrong") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_meant_as_tool(name: str, tools: tuple[str, ...]) -> bool:
    parts = _parts(name)
    if parts and all(part in tools for part in parts):
        return True
    return len(name.split()) == 1 and (len(parts) > 1 or nearest(name, tools) is not None)


def _parts(name: str) -> list[str]:
    return [part.strip() for part in name.split(",") if part.strip()]


def _is_text(words: str) -> bool:
    """Whether every byte of an argument could be read: those that could not are lone surrogates."""
    try:
        words.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
