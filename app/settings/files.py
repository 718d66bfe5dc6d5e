"""The user's and the project's settings files, read into layers."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from app.errors import UsageError
from app.settings.places import error_place, key_lines
from app.settings.sources import LayerKind, Origin, SettingsLayer

USER_FILE = "settings.toml"
PROJECT_FILE = ".skilldeck.toml"
FILE_MAX_BYTES = 1 << 20
PROJECT_FILE_MAX_BYTES = 1 << 16
"""A project's few settings are short, and a stranger's file must not keep the program busy."""

NESTING_MAX = 16
"""How many levels of tables and lists a settings file may have; no setting needs more than a few."""


def config_dir() -> Path:
    """The folder of the user's settings: ``SKILLDECK_CONFIG_DIR``, or the platform's. Raises UsageError."""
    chosen = _chosen_folder("SKILLDECK_CONFIG_DIR")
    if chosen is not None:
        return chosen
    from platformdirs import user_config_path

    return _absolute(user_config_path("skilldeck", appauthor=False), "XDG_CONFIG_HOME")


def state_dir() -> Path:
    """The folder of sessions and decisions: ``SKILLDECK_STATE_DIR``, or the platform's. Raises UsageError."""
    chosen = _chosen_folder("SKILLDECK_STATE_DIR")
    if chosen is not None:
        return chosen
    from platformdirs import user_state_path

    return _absolute(user_state_path("skilldeck", appauthor=False), "XDG_STATE_HOME")


def _chosen_folder(variable: str) -> Path | None:
    chosen = os.environ.get(variable, "").strip()
    return _absolute(Path(os.path.expanduser(chosen)), variable) if chosen else None


def _absolute(folder: Path, variable: str) -> Path:
    # Taken from the working folder, settings and answers about trust would be those that a repository brings along.
    if not folder.is_absolute():
        raise UsageError(f"{variable} must be an absolute path, not {folder}")
    return folder


def read_layer(path: Path, kind: LayerKind) -> SettingsLayer:
    """The layer that a settings file says; an empty one when there is no such file.

    Raises UsageError with the line and column when it is not TOML, and when it cannot be read.
    """
    text = _read_text(path, PROJECT_FILE_MAX_BYTES if kind == "project" else FILE_MAX_BYTES)
    if text is None:
        return SettingsLayer(kind=kind)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, column, message = error_place(error, text)
        raise UsageError(f"{path}:{line}:{column}: this is not TOML: {_lower_first(message)}") from None
    except RecursionError:
        raise UsageError(f"{path}: is nested too deeply") from None
    except ValueError:
        # Python refuses to read whole numbers of thousands of digits.
        raise UsageError(f"{path}: holds a number that is too large") from None
    if _is_deep(values):
        raise UsageError(f"{path}: is nested too deeply")
    lines = key_lines(text)
    origins = {".".join(key): Origin(kind, f"{path}:{line}") for key, line in lines.items()}
    return SettingsLayer(kind=kind, values=values, origins=origins)


def resolve_paths(value: Any, base: Path) -> Any:
    """Paths (text or a list of text) made absolute: ``~`` is the home folder, a relative one lies below ``base``.

    ``~NAME`` of a user that this system does not have is a folder of that name.
    """
    if isinstance(value, str):
        return str(base / os.path.expanduser(value)) if value.strip() else value
    if isinstance(value, list | tuple):
        return [resolve_paths(inner, base) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _read_text(path: Path, most: int) -> str | None:
    # Opened without blocking and checked on the descriptor: a project may hold a FIFO or a device of this name.
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {_reason(error)}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"{path}: is not a file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {_reason(error)}") from None
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise UsageError(f"{path}: is larger than {most >> 10:,} KiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: is not UTF-8 text") from None


def _is_deep(values: Any) -> bool:
    level: list[Any] = [values]
    for _ in range(NESTING_MAX):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        ]
        if not level:
            return False
    return True


def _reason(error: OSError) -> str:
    return _lower_first(error.strerror or str(error))


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
