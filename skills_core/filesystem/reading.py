"""Reading the skill files that a sweep found new or changed: their heads for the catalog, one whole for a load."""

from __future__ import annotations

from contextlib import nullcontext

from skills_core.document import (
    FILE_MAX_BYTES,
    FRONTMATTER_MAX_BYTES,
    HEAD_BYTES,
    DocumentReading,
    EntryName,
    read_document,
    read_whole,
)
from skills_core.filesystem import problems
from skills_core.filesystem.collecting import collected_seldom
from skills_core.filesystem.opening import FileTroubleError, OpenedFile, open_file, read_known
from skills_core.filesystem.signature import TRUST_AFTER, Clock, may_have_changed_since
from skills_core.filesystem.sweep_notes import set_trouble
from skills_core.filesystem.tree import EntryKind, FileEntry, RootTree

_STEADY_READS = 3
_MANY = 200


def read_stale(tree: RootTree, root_fd: int, clock: Clock, now: float) -> bool:
    """Reads every entry that the last sweep marked; False when one of them changed meanwhile, so sweep again."""
    with collected_seldom() if len(tree.unsettled) >= _MANY else nullcontext():
        steady = True
        for entry in tree.unsettled:
            if entry.stale and not _read_entry(tree, root_fd, entry, clock, now):
                steady = False
    return steady


def _read_entry(tree: RootTree, root_fd: int, entry: FileEntry, clock: Clock, now: float) -> bool:
    moment = clock.files_ns()
    signature = entry.signature
    assert signature is not None
    path = tree.path_of(entry.rel)
    name = EntryName(path, entry.stem, entry.kind)
    link, real_path = False, None
    data = read_known(entry.rel, root_fd, signature, HEAD_BYTES)
    reading = None if data is None else understand(data, name, signature[2])
    if reading is None or reading.needs_more:
        try:
            file = open_file(path, confined=tree.confined, dir_fd=root_fd, rel=entry.rel)
            try:
                if file.signature != signature:
                    return False
                reading = read_head(file, name)
                if not file.unchanged():
                    return False
                link, real_path = file.link, file.real_path
            finally:
                file.close()
        except FileTroubleError as error:
            if error.trouble in ("gone", "dangling-link"):
                return False
            if set_trouble(tree, entry, error.trouble, error.detail, now):
                tree.revision += 1
            return True
    entry.stale = False
    entry.trouble = None
    entry.link = link
    if entry.real_path != real_path:
        entry.real_path = real_path
        tree.structure += 1
    entry.racy = may_have_changed_since(signature[4], moment) and now - entry.seen_at < TRUST_AFTER
    if reading != entry.reading:
        entry.reading = reading
    if not reading.looks_unfinished:
        entry.unfinished_since = None
    elif entry.unfinished_since is None:
        entry.unfinished_since = now
    return True


def read_head(file: OpenedFile, name: EntryName) -> DocumentReading:
    """Reads as much of a file as its frontmatter needs. Raises FileTroubleError; any fault of the text is a problem."""
    data = file.read(HEAD_BYTES)
    reading = understand(data, name, file.size)
    if reading.needs_more:
        # The limit and a little more, so that a frontmatter past the limit is seen to be so.
        data = file.read_on(data, FRONTMATTER_MAX_BYTES + HEAD_BYTES)
        reading = understand(data, name, file.size)
    return reading


def understand(data: bytes, name: EntryName, size: int) -> DocumentReading:
    """What the first bytes of a file of ``size`` bytes say. Any fault of the reader is the entry's problem."""
    try:
        reading = read_document(data, name, truncated=size > len(data), file_size=size)
    except Exception as error:
        return DocumentReading(None, (problems.unexpected(name.path, error),))
    return reading if size <= FILE_MAX_BYTES else _bounded(reading, size, name.path)


def read_body(path: str, kind: EntryKind, stem: str, *, confined: bool) -> tuple[DocumentReading, str, str | None]:
    """Reads one whole skill file: what it says, its body, and its real path if the file is a link.

    A file that changes while it is read is read again. Raises FileTroubleError.
    """
    name = EntryName(path, stem, kind)
    reading, body, real_path = DocumentReading(None), "", None
    for _ in range(_STEADY_READS):
        file = open_file(path, confined=confined)
        try:
            if file.size > FILE_MAX_BYTES:
                return _bounded(DocumentReading(None), file.size, path), "", file.real_path
            data = file.read_on(b"", FILE_MAX_BYTES + 1)
            unchanged = file.unchanged()
            real_path = file.real_path
        finally:
            file.close()
        try:
            reading, body = read_whole(data, name)
        except Exception as error:
            reading, body = DocumentReading(None, (problems.unexpected(path, error),)), ""
        if unchanged:
            break
    return reading, body, real_path


def _bounded(reading: DocumentReading, size: int, path: str) -> DocumentReading:
    if reading.not_a_skill or reading.needs_more:
        return reading
    if any(problem.code == "file.too-large" for problem in reading.problems):
        return reading
    return DocumentReading(None, (problems.too_large(path, size, FILE_MAX_BYTES),))
