"""The person's own editor, in place of the screen for as long as it runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from app.controllers.composer_history import Draft
from app.controllers.text_layout import sentences
from app.editor import does_not_start, editor_command
from app.errors import UsageError

if TYPE_CHECKING:
    from textual.app import App


_PLUS = ("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "ne", "joe", "mg")
_GOTO = ("code", "codium", "code-insiders", "cursor")
_COLON = ("hx", "helix", "subl", "zed")


def at_line(command: list[str], path: str, line: int | None) -> tuple[list[str], str]:
    """The command and the file, with the line where this editor is known to take one."""
    name = os.path.basename(command[0])
    if line is None:
        return command, path
    if name in _PLUS:
        return [*command, f"+{line}"], path
    if name in _GOTO:
        return [*command, "--goto"], f"{path}:{line}"
    if name in _COLON:
        return command, f"{path}:{line}"
    return command, path


async def open_in_editor(app: App[Any], setting: str | None, path: str, line: int | None = None) -> str:
    """Runs the editor on a file; returns what went wrong, or nothing.

    The terminal is the editor's until it ends, and everything else in the program goes on.
    """
    try:
        command = editor_command(setting) or ["vi"]
        with app.batch_update(), app.suspend():
            # Textual takes the terminal back only when this block ends without an exception.
            fault = await _run(*at_line(command, path, line))
    except UsageError as error:
        return sentences(error.message, error.hint)
    except SuspendNotSupported:
        return "This terminal cannot be left for an editor."
    return fault


async def edit_text(app: App[Any], setting: str | None, text: str) -> Draft | str:
    """Lets the person write a text in the editor; returns it, or what went wrong."""
    path = ""
    try:
        path = await asyncio.to_thread(_written, text)
        fault = await open_in_editor(app, setting, path)
        if fault:
            return fault
        written = await asyncio.to_thread(_read, path)
        return Draft(written, len(written))
    except OSError as error:
        return f"The draft could not be given to the editor: {error.strerror}."
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)


async def _run(command: list[str], path: str) -> str:
    """Waits for the editor; returns what went wrong, or nothing. Ends the editor when the waiting is cancelled."""
    # Ctrl+C in the editor reaches the whole foreground group. A handler, unlike SIG_IGN, is not inherited.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        process = await asyncio.create_subprocess_exec(*command, path)
    except OSError as error:
        said = does_not_start(command[0], error).message
        return f"{said[0].upper()}{said[1:]}."
    else:
        try:
            status = await process.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            raise
        return f"The editor {command[0]} ended with status {status}." if status else ""
    finally:
        signal.signal(signal.SIGINT, before)


def _written(text: str) -> str:
    handle, path = tempfile.mkstemp(prefix="skilldeck-", suffix=".md")
    with open(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return path


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().rstrip("\n")
