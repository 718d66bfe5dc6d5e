"""Opening and reading one skill file, safely: never blocked by a FIFO, never past a limit, never outside."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from skills_core.filesystem.signature import Signature, signature_of
from skills_core.resolved_path import resolved_path

Trouble: TypeAlias = Literal["gone", "dangling-link", "link-loop", "link-outside", "not-regular", "refused", "failed"]
"""Why a file cannot be read. ``refused`` is a lack of permission, ``failed`` any other error of the system."""

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
"""For opening a folder, to look at what lies in it relative to it."""

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_NOT_THERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
"""A name that is too long for the system can have nothing at its place."""

_REFUSED: Final = frozenset({errno.EACCES, errno.EPERM})


class FileTroubleError(Exception):
    """A file that cannot be read. ``trouble`` says why in one word, ``detail`` in the system's words."""

    def __init__(self, trouble: Trouble, detail: str = "") -> None:
        super().__init__(trouble, detail)
        self.trouble: Trouble = trouble
        self.detail = detail


@dataclass(slots=True)
class OpenedFile:
    """A regular file, open for reading. ``real_path`` is set when the path's last part is a link."""

    descriptor: int
    signature: Signature
    link: bool
    real_path: str | None

    @property
    def size(self) -> int:
        return self.signature[2]

    def read(self, limit: int) -> bytes:
        """The file's first ``limit`` bytes, or all of it when it is shorter."""
        try:
            data = os.read(self.descriptor, limit)
            while 0 < len(data) < limit and len(data) < self.size:
                more = os.read(self.descriptor, limit - len(data))
                if not more:
                    break
                data += more
        except OSError as error:
            raise FileTroubleError(trouble_of(error), error.strerror or "") from error
        return data

    def read_on(self, data: bytes, limit: int) -> bytes:
        """``data``, read before, and what follows it, up to ``limit`` bytes in all."""
        parts = [data]
        length = len(data)
        try:
            while length < limit:
                more = os.read(self.descriptor, limit - length)
                if not more:
                    break
                parts.append(more)
                length += len(more)
        except OSError as error:
            raise FileTroubleError(trouble_of(error), error.strerror or "") from error
        return b"".join(parts)

    def unchanged(self) -> bool:
        """Whether the open file still has the signature that it had when it was opened."""
        return signature_of(os.fstat(self.descriptor)) == self.signature

    def close(self) -> None:
        os.close(self.descriptor)


def open_file(path: str, *, confined: bool, dir_fd: int | None = None, rel: str = "") -> OpenedFile:
    """Opens a regular file at an absolute path, or at ``rel`` relative to the open folder ``dir_fd``.

    ``confined`` refuses a link that leaves the folder in which it lies, judged by the real path of the file that was
    in fact opened. Raises FileTroubleError.
    """
    where = path if dir_fd is None else rel
    link = False
    try:
        descriptor = os.open(where, _FLAGS | _NO_FOLLOW, dir_fd=dir_fd)
    except OSError as error:
        if not _is_link(where, dir_fd):
            raise FileTroubleError(trouble_of(error), error.strerror or "") from error
        link = True
        descriptor = _open_through_link(where, dir_fd)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileTroubleError("not-regular", kind_of(status.st_mode))
        real_path = None
        if link or not _NO_FOLLOW:
            real_path = opened_path(descriptor, path, status)
            if confined and not _lies_in(real_path, resolved_path(os.path.dirname(path))):
                raise FileTroubleError("link-outside", real_path or "")
    except BaseException:
        os.close(descriptor)
        raise
    return OpenedFile(descriptor, signature_of(status), link, real_path)


def read_known(rel: str, dir_fd: int, signature: Signature, limit: int) -> bytes | None:
    """The first bytes of a file that a sweep saw to be regular, if it is still the very same and no link; else None.

    The same device, inode and times mean the same type, so that one comparison after the reading tells all of that.
    """
    if not _NO_FOLLOW:
        return None
    try:
        descriptor = os.open(rel, _FLAGS | _NO_FOLLOW, dir_fd=dir_fd)
    except OSError:
        return None
    try:
        data = os.read(descriptor, limit)
        same = signature_of(os.fstat(descriptor)) == signature
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if same and len(data) == min(limit, signature[2]) else None


def trouble_of(error: OSError) -> Trouble:
    """The kind of trouble that an error of the system means."""
    if error.errno in _NOT_THERE:
        return "gone"
    if error.errno in _REFUSED:
        return "refused"
    if error.errno == errno.ELOOP:
        return "link-loop"
    if error.errno in (errno.ENXIO, errno.EISDIR):
        return "not-regular"
    return "failed"


def kind_of(mode: int) -> str:
    """What a file that is not regular is, in a person's words."""
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "a device"
    return "a special file"


def _is_link(path: str, dir_fd: int | None) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path, dir_fd=dir_fd).st_mode)
    except OSError:
        return False


def _open_through_link(path: str, dir_fd: int | None) -> int:
    # The target's type is looked at first, for opening a device can do things; on the descriptor it is checked again.
    try:
        mode = os.stat(path, dir_fd=dir_fd).st_mode
        if not stat.S_ISREG(mode):
            raise FileTroubleError("not-regular", kind_of(mode))
        return os.open(path, _FLAGS, dir_fd=dir_fd)
    except OSError as error:
        trouble = trouble_of(error)
        raise FileTroubleError("dangling-link" if trouble == "gone" else trouble, error.strerror or "") from error


def opened_path(descriptor: int, path: str, status: os.stat_result) -> str | None:
    """The real path of an open file or folder that was opened at ``path``; None when it can no longer be told."""
    try:
        try:
            found = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            found = os.path.realpath(path)
        same = os.stat(found)
    except OSError:
        return None
    return found if (same.st_dev, same.st_ino) == (status.st_dev, status.st_ino) else None


def _lies_in(real_path: str | None, real_folder: str) -> bool:
    return real_path is not None and real_path.startswith(real_folder.rstrip("/") + "/")
