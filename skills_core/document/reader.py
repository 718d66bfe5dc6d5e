"""Reads one skill file: its bytes → a document, or the problems that keep it from being offered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from skills_core.document.fences import find_frontmatter, find_merge_mark, merge_conflict
from skills_core.document.found import NEEDS_MORE, Frontmatter, NoFrontmatter
from skills_core.document.model import FILE_MAX_BYTES, DocumentReading, EntryName, SkillDocument
from skills_core.document.problems import ProblemList
from skills_core.document.text import shown
from skills_core.document.two_places import second_frontmatter

_NEEDS_MORE = DocumentReading(None, needs_more=True)


def read_document(
    data: bytes, entry: EntryName, *, truncated: bool = False, file_size: int | None = None
) -> DocumentReading:
    """Read the frontmatter at the start of ``data``.

    ``truncated`` says that the file goes on after ``data``; ``file_size`` is the whole file's size in bytes, if
    known. Never raises, whatever the bytes, and takes time linear in them.
    """
    try:
        return _read(data, entry, truncated, len(data) if file_size is None else file_size)[0]
    except Exception as error:  # whatever a file holds, it harms no other
        return _unexpected(entry, error)


def read_whole(data: bytes, entry: EntryName) -> tuple[DocumentReading, str]:
    """Read a whole file: its document, and the body after the frontmatter, stripped and else unchanged."""
    try:
        reading, front = _read(data, entry, False, len(data))
    except Exception as error:
        return _unexpected(entry, error), ""
    if front is None:
        return reading, ""
    return reading, data[front.body :].decode(errors="replace").strip()


def _read(data: bytes, entry: EntryName, truncated: bool, size: int) -> tuple[DocumentReading, Frontmatter | None]:
    flat = entry.kind == "flat"
    found = find_frontmatter(data, flat=flat, truncated=truncated)
    if found == NEEDS_MORE:
        return _NEEDS_MORE, None
    if size > FILE_MAX_BYTES and not (isinstance(found, NoFrontmatter) and found.code is None):
        message = f"The file has {size:,} bytes; the limit is {FILE_MAX_BYTES:,}."
        found = NoFrontmatter("file.too-large", message)
    if isinstance(found, NoFrontmatter):
        return _without_frontmatter(found, entry), None
    text, start = found.text, found.start
    mark = find_merge_mark(text, start)
    if mark is not None:
        return _without_frontmatter(merge_conflict(text, mark), entry), found
    problems = ProblemList(entry.path, text)
    _add_fence_problems(found, problems)
    document = _frontmatter_reader()(found, entry, problems)
    if found.otherwise is not None and (document is None or document.name_derived):
        return _without_frontmatter(found.otherwise, entry), None
    if document is None:
        second = second_frontmatter(data, found, flat=flat, truncated=truncated)
        if second == NEEDS_MORE:
            return _NEEDS_MORE, None
        if second is not None:
            return _without_frontmatter(second, entry), found
        return DocumentReading(None, problems.finished(None)), found
    return DocumentReading(document, problems.finished(document.name)), found


@cache
def _frontmatter_reader() -> Callable[[Frontmatter, EntryName, ProblemList], SkillDocument | None]:
    """Imported for the first file that is read: YAML is slow to import and not every program gets here."""
    from skills_core.document.frontmatter import read_frontmatter

    return read_frontmatter


def _add_fence_problems(front: Frontmatter, problems: ProblemList) -> None:
    if front.late:
        before = "Blank lines or a comment come" if front.otherwise is None else "A title comes"
        problems.add("frontmatter.late", f"{before} before the opening fence.", at=front.fence)
    if front.long_opening:
        problems.add("frontmatter.long-fence", "The opening fence has more than three dashes.", at=front.fence)
    if front.long_closing:
        problems.add("frontmatter.long-fence", "The closing fence has more than three dashes.", at=len(front.text))
    if front.not_utf8 is not None:
        message = "The frontmatter holds bytes that are not UTF-8; they are shown as U+FFFD."
        problems.add("file.not-utf8", message, at=front.not_utf8)


def _without_frontmatter(found: NoFrontmatter, entry: EntryName) -> DocumentReading:
    if found.code is None:
        return DocumentReading(None, not_a_skill=True, looks_unfinished=found.unfinished)
    problems = ProblemList(entry.path, found.text)
    severity = "warning" if found.quiet else None
    problems.add(found.code, found.message, at=found.index, hint=found.hint, severity=severity)
    return DocumentReading(None, problems.finished(None), looks_unfinished=found.unfinished)


def _unexpected(entry: EntryName, error: Exception) -> DocumentReading:
    problems = ProblemList(entry.path, "")
    message = f"The file could not be read: {type(error).__name__}: {shown(str(error))}"
    problems.add("file.unexpected", message, at=0)
    return DocumentReading(None, problems.finished(None))
