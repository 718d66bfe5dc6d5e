"""Text files as tools handle them: reading with bounds, line ends, and replacing in one step."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

from skills_core.agent.tools.paths import is_inside
from skills_core.filesystem.opening import opened_path

READ_MAX_BYTES = 16 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_PROBE = 8192


class FileError(Exception):
    """A file cannot be read or written; ``message`` is for the model and the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes and what writing it again has to keep."""

    data: bytes
    mode: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def has_bom(self) -> bool:
        return self.data.startswith(_BOM)

    @property
    def has_crlf(self) -> bool:
        """Whether the file's line ends are CRLF, all of them."""
        return b"\r\n" in self.data and self.data.count(b"\n") == self.data.count(b"\r\n")

    def text(self, *, strict: bool) -> str:
        """The text without a byte order mark. Raises FileError for bytes that are not UTF-8 when strict."""
        data = self.data[len(_BOM) :] if self.has_bom else self.data
        try:
            return data.decode("utf-8", "strict" if strict else "replace")
        except UnicodeDecodeError as error:
            raise FileError(f"the file is not UTF-8 text (byte {error.start})") from error

    def encoded(self, text: str) -> bytes:
        """New text for this file, with its byte order mark and, when all its line ends are CRLF, with those."""
        if self.has_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        data = text.encode("utf-8", "replace")
        return _BOM + data if self.has_bom and not data.startswith(_BOM) else data


@dataclass(slots=True)
class FileLedger:
    """What the model last saw of each file, so that nobody else's change is overwritten unseen."""

    _seen: dict[str, str] = field(default_factory=dict[str, str])
    _asked: dict[str, tuple[str, str | None]] = field(default_factory=dict[str, "tuple[str, str | None]"])

    def saw(self, path: str, digest: str) -> None:
        self._seen[path] = digest

    def asked(self, call_id: str, path: str, digest: str | None) -> None:
        """The real path and the state of the file (None: absent) that a question showed to the person."""
        self._asked[call_id] = (path, digest)

    def was_asked(self, call_id: str) -> bool:
        return call_id in self._asked

    def check(self, path: str, call_id: str, now: str | None) -> None:
        """Raises FileError when the file is not the one or not as it was when the person was asked, when there was
        nothing to ask about then, or when it is not as it was read."""
        asked = self._asked.pop(call_id, None)
        if asked is None:
            raise FileError("it could not be shown to the person before, and can be changed only now. Try again.")
        if asked[0] != path:
            raise FileError("the path leads elsewhere since the question was asked. Try again.")
        if asked[1] != now:
            raise FileError("the file changed while the question was open. Read it again.")
        self.check_seen(path, now)

    def check_seen(self, path: str, now: str | None) -> None:
        """Raises FileError when the file is not as it was read."""
        seen = self._seen.get(path)
        if seen is not None and now is not None and seen != now:
            raise FileError("the file changed since it was read. Read it again.")


def read_file(path: str, within: Sequence[str] | None = None) -> TextFile | None:
    """The file's content; None when there is no such file. Raises FileError when it cannot be read as a text file.

    ``within`` are real folders (or the file itself): what was opened must lie in one of them, whatever the path led to
    when it was looked at before. Never waits on a pipe or a device.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(_reason(error)) from error
    try:
        facts = os.fstat(handle)
        if within is not None:
            check_opened(handle, path, facts, within)
        if stat.S_ISDIR(facts.st_mode):
            raise FileError("this is a folder")
        if not stat.S_ISREG(facts.st_mode):
            raise FileError("this is not a regular file")
        if facts.st_size > READ_MAX_BYTES:
            raise FileError(f"the file is too large ({facts.st_size:,} bytes; the limit is {READ_MAX_BYTES:,})")
        data = bytearray()
        while chunk := os.read(handle, 1 << 20):
            data += chunk
            if len(data) > READ_MAX_BYTES:
                raise FileError(f"the file is too large (the limit is {READ_MAX_BYTES:,} bytes)")
    except OSError as error:
        raise FileError(_reason(error)) from error
    finally:
        os.close(handle)
    if b"\0" in data[:_PROBE]:
        raise FileError("this is a binary file")
    return TextFile(bytes(data), stat.S_IMODE(facts.st_mode))


def check_opened(handle: int, path: str, facts: os.stat_result, within: Sequence[str]) -> None:
    """Raises FileError when an open file or folder does not lie in one of the real folders ``within``."""
    real = opened_path(handle, path, facts)
    if real is None or not any(is_inside(real, folder) for folder in within):
        raise FileError("the path leads elsewhere since it was looked at. Try again.")


def replace_file(path: str, data: bytes, before: TextFile | None) -> None:
    """Puts new content in place of a file in one step, through a temporary file beside it; keeps its mode.

    ``path`` is real (no link). Missing folders are made. Raises FileError; the old file is then untouched.
    """
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # Everything happens in the folder that was opened, so that no link put in its place leads elsewhere.
            if opened_path(opened, folder, os.fstat(opened)) != folder:
                raise FileError("its folder was replaced meanwhile. Try again.")
            _replace_in(opened, os.path.basename(path), data, before)
        finally:
            os.close(opened)
    except OSError as error:
        raise FileError(_reason(error)) from error


def _replace_in(folder: int, name: str, data: bytes, before: TextFile | None) -> None:
    temporary = f".{name[:100]}.{secrets.token_hex(6)}.tmp"
    if before is not None and not os.access(name, os.W_OK, dir_fd=folder):
        raise FileError("the file is read-only")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=folder)
    try:
        try:
            _write_all(handle, data)
            if before is not None:
                _keep_owner(handle, name, folder)
                os.fchmod(handle, before.mode)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    with contextlib.suppress(OSError):
        os.fsync(folder)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _keep_owner(handle: int, name: str, folder: int) -> None:
    """Only a privileged process may give a file away; for others the owner is their own anyway."""
    facts, mine = os.stat(name, dir_fd=folder), os.fstat(handle)
    if (facts.st_uid, facts.st_gid) != (mine.st_uid, mine.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(handle, facts.st_uid, facts.st_gid)


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOTDIR:
        return "a part of the path is a file and not a folder"
    return (error.strerror or str(error)).lower()
