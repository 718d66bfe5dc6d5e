"""What a path in a tool call means."""

from __future__ import annotations

import os

from skills_core.agent.tools.arguments import ArgumentError


def absolute_path(cwd: str, text: str) -> str:
    """An absolute path with ``~`` and ``..`` resolved by name. Raises ArgumentError for one that no system has."""
    if not text.strip() or "\0" in text:
        raise ArgumentError("the path is empty" if not text.strip() else "the path holds a NUL character")
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(text)))


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def shown_path(path: str, cwd: str) -> str:
    """The path as a person reads it: relative below the working folder, else absolute."""
    if path == cwd:
        return "."
    return os.path.relpath(path, cwd) if is_inside(path, cwd) else path
