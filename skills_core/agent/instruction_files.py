"""The instruction files of a project: `AGENTS.md` from the project's root down to the working folder."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field

from skills_core.agent.tools.paths import is_inside
from skills_core.filesystem.opening import kind_of, opened_path
from skills_core.resolved_path import resolved_path

FILE_NAME = "AGENTS.md"
FILE_MAX_BYTES = 64 * 1024
TOTAL_MAX_BYTES = 256 * 1024

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """One file as read; ``path`` is relative to the project's root, with slashes, ``size`` is in bytes on the disk.

    ``text`` is cut to what the limits let in, and ``truncated`` says so.
    """

    path: str
    text: str
    digest: str
    size: int
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class UnreadInstructions:
    """A file that is there and was not read; ``reason`` is a clause for a person.

    ``refused`` when it is never read as it is, because it leads out of the project: nothing of it holds. Otherwise
    what was told of it before stays.
    """

    path: str
    reason: str
    refused: bool = False

    @property
    def message(self) -> str:
        """The whole sentence."""
        return f"{self.path} {self.reason}: it is not read as project instructions."


@dataclass(frozen=True, slots=True)
class InstructionFiles:
    """What one look found, each by its relative path, from the root down.

    ``root`` is the project's root as it was given or found, ``real_root`` the same with links resolved.
    """

    root: str
    real_root: str
    files: Mapping[str, InstructionFile] = field(default_factory=dict[str, InstructionFile])
    unread: Mapping[str, UnreadInstructions] = field(default_factory=dict[str, UnreadInstructions])


def read_instructions(cwd: str, project_root: str | None = None) -> InstructionFiles:
    """Looks at the disk now; never waits on a pipe. Without ``project_root`` the project is found from ``cwd``.

    A link is followed as long as it stays in the project. Sizes are bounded. A file without words counts as none.
    """
    from skills_core.filesystem import find_project_root

    root = project_root or find_project_root(cwd)
    real_root = resolved_path(root)
    files: dict[str, InstructionFile] = {}
    unread: dict[str, UnreadInstructions] = {}
    room = TOTAL_MAX_BYTES
    for folder in _folders(root, cwd):
        path = os.path.join(folder, FILE_NAME)
        if not os.path.lexists(path):
            continue
        name = os.path.relpath(path, root).replace(os.sep, "/")
        found = _read(path, name, min(FILE_MAX_BYTES, room), real_root)
        if isinstance(found, UnreadInstructions):
            unread[name] = found
        elif found is not None:
            room -= min(found.size, FILE_MAX_BYTES, room)
            files[name] = found
    return InstructionFiles(root, real_root, files, unread)


def _folders(root: str, cwd: str) -> list[str]:
    """From the project's root down to the working folder; none when that lies elsewhere."""
    if not is_inside(cwd, root):
        # The same folders may be spelled in another way, through a link.
        below = os.path.relpath(resolved_path(cwd), resolved_path(root))
        if below == os.pardir or below.startswith(os.pardir + os.sep):
            return []
        cwd = os.path.normpath(os.path.join(root, below))
    folders = [cwd]
    while folders[-1] != root:
        folders.append(os.path.dirname(folders[-1]))
    return folders[::-1]


def _read(path: str, name: str, most: int, real_root: str) -> InstructionFile | UnreadInstructions | None:
    """At most so many bytes, judged and read through one descriptor; None for a file that holds no words."""
    try:
        # Opening a device can do things, so the type is looked at first; what was in fact opened is judged again.
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            return UnreadInstructions(name, f"is {kind_of(mode)}, not a file")
        handle = os.open(path, _FLAGS)
    except OSError as error:
        return UnreadInstructions(name, _reason(error, path))
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            return UnreadInstructions(name, f"is {kind_of(facts.st_mode)}, not a file")
        real = opened_path(handle, path, facts)
        if real is None:
            return UnreadInstructions(name, "was replaced while it was opened")
        if not is_inside(real, real_root):
            return UnreadInstructions(name, "is a link that leads out of the project", refused=True)
        data = b""
        while len(data) <= most and (chunk := os.read(handle, most + 1 - len(data))):
            data += chunk
    except OSError as error:
        return UnreadInstructions(name, _reason(error, path))
    finally:
        os.close(handle)
    truncated = len(data) > most
    data = data[:most]
    text = data.decode("utf-8", "ignore" if truncated else "replace").removeprefix("\ufeff")
    if not text.strip():
        return None
    return InstructionFile(name, text, hashlib.sha256(data).hexdigest(), max(facts.st_size, len(data)), truncated)


def _reason(error: OSError, path: str) -> str:
    if error.errno == errno.ELOOP:
        return "is a link that leads back to itself"
    if error.errno in (errno.ENOENT, errno.ENOTDIR) and os.path.islink(path):
        return "is a link that leads nowhere"
    return f"cannot be read ({(error.strerror or str(error)).lower()})"
