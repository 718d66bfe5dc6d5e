"""Where the home folders of skills are: explicit path, then environment, then the default."""

from __future__ import annotations

import os

from skills_core.resolved_path import resolved_path

DSH_HOME_VARIABLE = "DSH_HOME"
AGENTS_HOME_VARIABLE = "DSH_AGENTS_HOME"
DSH_HOME_NAME = ".dsh"
AGENTS_HOME_NAME = ".agents"


def expand_home(path: str) -> str:
    """Replaces a leading ``~`` that stands alone or before a slash or backslash by the home folder."""
    if path == "~":
        return os.path.expanduser("~")
    if path.startswith(("~/", "~\\")):
        return os.path.join(os.path.expanduser("~"), path[2:])
    return path


def absolute(path: str) -> str:
    """The path made absolute against the process's folder, with a leading ``~`` expanded; links stay as they are."""
    return os.path.abspath(expand_home(path))


def dsh_home(explicit: str | None = None, *segments: str) -> str:
    """The user's DSH folder, with ``segments`` joined to it. A blank ``DSH_HOME`` counts as unset."""
    return os.path.join(_home(explicit, DSH_HOME_VARIABLE, DSH_HOME_NAME), *segments)


def agents_home(explicit: str | None = None, *segments: str) -> str:
    """The user's agents folder, with ``segments`` joined to it. A blank ``DSH_AGENTS_HOME`` counts as unset."""
    return os.path.join(_home(explicit, AGENTS_HOME_VARIABLE, AGENTS_HOME_NAME), *segments)


def dsh_home_label(home: str) -> str:
    """How to name a resolved DSH folder to a person: ``~/.dsh`` for the default, else ``$DSH_HOME``."""
    return f"~/{DSH_HOME_NAME}" if home == default_dsh_home() else f"${DSH_HOME_VARIABLE}"


def default_dsh_home() -> str:
    return absolute(os.path.join("~", DSH_HOME_NAME))


def canonical_with_missing_tail(path: str) -> str:
    """The real path of what exists of ``path``, with the missing rest appended as it is written.

    Raises NotADirectoryError when the path goes on below a file that is no folder.
    """
    missing: list[str] = []
    head = os.path.abspath(path)
    while True:
        try:
            os.stat(head)
        except FileNotFoundError:
            parent, tail = os.path.split(head)
            if parent == head:
                break
            missing.append(tail)
            head = parent
        else:
            break
    return os.path.join(resolved_path(head), *reversed(missing))


def _home(explicit: str | None, variable: str, name: str) -> str:
    given = explicit if explicit is not None and explicit.strip() else os.environ.get(variable, "")
    return absolute(given) if given.strip() else absolute(os.path.join("~", name))
