"""Opening a file in the person's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess

from app.errors import UsageError


def editor_command(setting: str | None) -> list[str] | None:
    """The editor as words: the setting, then VISUAL, then EDITOR; None when there is none. Raises UsageError."""
    for name, written in (
        ("editor", setting),
        ("VISUAL", os.environ.get("VISUAL")),
        ("EDITOR", os.environ.get("EDITOR")),
    ):
        if written and written.strip():
            try:
                return shlex.split(written)
            except ValueError as error:
                raise UsageError(f"{name} = {written}: {str(error).lower()}") from None
    return None


def edit(command: list[str], path: str, line: int | None = None) -> int:
    """Opens the file, waits until the editor ends, and returns its exit status.

    Raises UsageError when it cannot start.
    """
    try:
        return subprocess.run([*command, *_place(command[0], path, line)], check=False).returncode
    except OSError as error:
        raise UsageError(f"the editor {command[0]} does not start: {(error.strerror or str(error)).lower()}") from None


def _place(program: str, path: str, line: int | None) -> list[str]:
    """The file, at a line where the editor is known to take one."""
    name = os.path.basename(program)
    if line is None:
        return [path]
    if name in ("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "ne", "joe", "mg"):
        return [f"+{line}", path]
    if name in ("code", "codium", "code-insiders", "cursor"):
        return ["--goto", f"{path}:{line}"]
    if name in ("hx", "helix", "subl", "zed"):
        return [f"{path}:{line}"]
    return [path]
