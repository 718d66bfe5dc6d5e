"""Cuts a block that as a whole is not YAML into its top-level keys, each with the lines that belong to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skills_core.document.field import READ_KEYS, TEXT_KEYS, permission_key
from skills_core.document.scalars import scan_quoted

KEYS_MAX = 500
"""More top-level keys than this in a broken block are not looked at one by one."""

LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
HEADING = re.compile(r"#{1,6} \S")
SPACED_PERMISSION = re.compile(r"""([ \t]*)(["']?)([A-Za-z][A-Za-z_ -]{8,60}?)\2[ \t]*([:：])""")
_KEY = re.compile(r"""([ \t]*)(["']?)([^\W\d][\w.-]{0,63})\2[ \t]*([:：])""")
_MARKUP_LINE = re.compile(r"^</?[A-Za-z][\w-]*>[^\r\n]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_QUOTED_LINES_MAX = 40


@dataclass(slots=True)
class Chunk:
    """One top-level key with the lines that belong to it; indices of the file's text."""

    key: str
    key_at: int
    colon: int
    end: int
    indent: str = ""
    misplaced: bool = False


def split(text: str, start: int) -> tuple[list[Chunk], list[int]]:
    """The top-level keys with their lines, and the beginnings of lines that belong to none."""
    chunks: list[Chunk] = []
    strays: list[int] = []
    base: int | None = None
    quoted_to = start
    gap = heading = prose = False
    for line in LINE.finditer(text, start):
        at, end = line.span()
        if at == end:
            break
        content = line.group().strip()
        last = chunks[-1] if chunks else None
        if not content or at < quoted_to:
            gap = gap or not content
            if last is not None and not prose:
                last.end = end
            continue
        key = _top_level_key(text, at, base, last)
        if key is not None:
            chunk = Chunk(key[3], key.start(2), key.start(4), end, key[1])
            chunk.misplaced = base is not None and len(key[1]) > base
            if base is not None and len(key[1]) < base and last is not None:
                last.misplaced = True
            base = min(base, len(key[1])) if base is not None else len(key[1])
            chunks.append(chunk)
            if len(chunks) > KEYS_MAX:
                break
            quoted_to = _end_of_quoted(text, chunk)
            heading = prose = False
        elif text[at] == "#":
            if gap and HEADING.match(content):
                strays.append(at)
                heading = True
        elif (
            last is not None
            and not prose
            and content != "..."
            and (text[at] in " \t" or (not heading and (text[at] == "-" or not gap)))
        ):
            last.end = end
        else:
            if not prose:
                strays.append(at)
            prose = True
        gap = False
    return chunks, _without_lone_headings(text, strays)


def put_examples_back(text: str, chunks: list[Chunk], strays: list[int]) -> None:
    """Give the description what it goes on with below its line, when lines of markup show that to be no YAML.

    Examples of a dialogue look like keys (`user: …`), the same ones again in each example.
    """
    keys = [chunk.key for chunk in chunks]
    at = keys.index("description") if "description" in keys else len(keys)
    later = chunks[at + 1 :]
    if at == len(keys) or text[chunks[at].colon + 1 : chunks[at].end].lstrip().startswith(("'", '"')):
        return
    known = (chunk.key_at for chunk in later if chunk.key in READ_KEYS or permission_key(chunk.key) is not None)
    markup = list(_MARKUP_LINE.finditer(text, chunks[at].end, next(known, len(text))))
    if not markup or any(text[chunk.colon + 1 : markup[0].start()].strip() for chunk in later):
        return  # none, or it is the value of another key
    chunks[at].end = end = markup[-1].end()
    chunks[at + 1 :] = [chunk for chunk in later if chunk.key_at >= end]
    strays[:] = [stray for stray in strays if not chunks[at].key_at < stray < end]


def _top_level_key(text: str, at: int, base: int | None, current: Chunk | None) -> re.Match[str] | None:
    """The key that the line at ``at`` begins with, if it is one of the top level."""
    key = _KEY.match(text, at) or SPACED_PERMISSION.match(text, at)
    if key is None:
        return None
    known = key[3] in READ_KEYS or permission_key(key[3]) is not None
    if key[4] == "：" and not known:
        return None
    after = text[key.end() : key.end() + 1]
    if key[4] == ":" and after and not after.isspace() and (not known or after == "/"):
        return None
    if " " in key[3] and permission_key(key[3]) is None:
        return None
    indent = len(key[1])
    if base is None or indent <= base:
        return key
    # A known key that is indented below a key with words of its own has only been moved by accident.
    if known and current is not None and current.key in TEXT_KEYS and _has_words_on_its_line(text, current):
        return key
    return None


def _has_words_on_its_line(text: str, chunk: Chunk) -> bool:
    value = text[chunk.colon + 1 : line_end(text, chunk.colon)].strip()
    return bool(value) and value[0] not in "|>\"'[{"


def _end_of_quoted(text: str, chunk: Chunk) -> int:
    """Where a quoted value of several lines ends, so that lines inside it are not taken for keys."""
    value = chunk.colon + 1
    while text.startswith((" ", "\t"), value):
        value += 1
    if not text.startswith(('"', "'"), value):
        return chunk.colon
    limit = value
    for _ in range(_QUOTED_LINES_MAX):
        limit = text.find("\n", limit) + 1
        if limit <= 0:
            limit = len(text)
            break
    close, _ = scan_quoted(text, value, limit)
    if close is None or "\n" not in text[value:close]:
        return chunk.colon
    if text[close + 1 : line_end(text, close)].strip() not in ("", ","):
        return chunk.colon
    for line in LINE.finditer(text, text.find("\n", value) + 1, close):
        if line.start() >= close:
            break
        key = _KEY.match(text, line.start(), close)
        if key is not None and (key[3] in READ_KEYS or permission_key(key[3]) is not None):
            return chunk.colon
    return close + 1


def _without_lone_headings(text: str, strays: list[int]) -> list[int]:
    """Headings are comments for YAML, and count only where prose follows them."""
    if all(HEADING.match(text, stray) for stray in strays):
        return []
    return strays


def line_end(text: str, at: int) -> int:
    """Where the line that holds ``at`` ends, before its line feed."""
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline
