"""The person's own editor, in place of the screen for as long as it runs."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from app.controllers.composer_history import Draft
from app.controllers.text_layout import sentences
from app.editor import edit, editor_command
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


def open_in_editor(app: App[Any], setting: str | None, path: str, line: int | None = None) -> str:
    """Runs the editor on a file and waits for it; returns what went wrong, or nothing."""
    try:
        command = editor_command(setting) or ["vi"]
        with app.suspend():
            status = edit(*at_line(command, path, line))
    except UsageError as error:
        return sentences(error.message, error.hint)
    except SuspendNotSupported:
        return "This terminal cannot be left for an editor."
    return f"The editor {command[0]} ended with status {status}." if status else ""


def edit_text(app: App[Any], setting: str | None, text: str) -> Draft | str:
    """Lets the person write a text in the editor; returns it, or what went wrong."""
    path = ""
    try:
        handle, path = tempfile.mkstemp(prefix="skilldeck-", suffix=".md")
        with open(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        fault = open_in_editor(app, setting, path)
        if fault:
            return fault
        with open(path, encoding="utf-8", errors="replace") as file:
            written = file.read().rstrip("\n")
        return Draft(written, len(written))
    except OSError as error:
        return f"The draft could not be given to the editor: {error.strerror}."
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
