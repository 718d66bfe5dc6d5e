"""Opening a file in the person's own editor, from a command."""

from __future__ import annotations

import os
import shlex
import subprocess

from app.errors import UsageError


def editor_command(setting: str | None) -> list[str] | None:
    """The editor as words: the setting, then VISUAL, then EDITOR; None when there is none. Raises UsageError."""
    sources = (("editor", setting), ("VISUAL", os.environ.get("VISUAL")), ("EDITOR", os.environ.get("EDITOR")))
    for name, written in sources:
        if written and written.strip():
            try:
                return shlex.split(written)
            except ValueError as error:
                raise UsageError(f"{name} = {written}: {str(error).lower()}") from None
    return None


def edit(command: list[str], path: str) -> int:
    """Opens the file, waits until the editor ends, and returns its exit status.

    Raises UsageError when it cannot start.
    """
    try:
        return subprocess.run([*command, path], check=False).returncode
    except OSError as error:
        raise does_not_start(command[0], error) from None


def does_not_start(editor: str, error: OSError) -> UsageError:
    """What a person is told of an editor that cannot be run."""
    return UsageError(f"the editor {editor} does not start: {(error.strerror or str(error)).lower()}")
