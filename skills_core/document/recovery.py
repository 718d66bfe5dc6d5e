"""Reads a block that as a whole is not YAML: each top-level key alone.

A broken extra key is dropped with a warning, a broken text is taken as the text that is plainly there, and a broken
permission key, or one that a broken value might hide, is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from skills_core.document import yaml_reader
from skills_core.document.diagnosis import Cause, diagnose, in_the_readers_words
from skills_core.document.field import (
    READ_KEYS,
    TEXT_KEYS,
    WHEN_TO_USE_KEYS,
    Field,
    add_field,
    field_of,
    mark_aliases,
    meant_key,
    permission_key,
)
from skills_core.document.scalars import plain_text, scan_quoted
from skills_core.document.text import shown
from skills_core.document.yaml_reader import BrokenYaml, MappingNode, ScalarNode

if TYPE_CHECKING:
    from skills_core.document.problems import ProblemList

KEYS_MAX = 500
"""More top-level keys than this in a broken block are not looked at one by one."""

_QUOTED_LINES_MAX = 40
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_KEY = re.compile(r"""([ \t]*)(["']?)([^\W\d][\w.-]{0,63})\2[ \t]*([:：])""")
_SPACED_PERMISSION = re.compile(r"""([ \t]*)(["']?)([A-Za-z][A-Za-z_ -]{8,60}?)\2[ \t]*([:：])""")
_BLANKS = (" ", "\t", "\r", "\n")
_MARKUP_LINE = re.compile(r"^</?[A-Za-z][\w-]*>[^\r\n]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_NAME_HINT = "Write the name in small letters a to z, digits, and single hyphens; it needs no quotes then."
_TOOLS_HINT = "Write the tools in brackets, `[Read, Write]`, or with commas between them and without quotes."
_WORDS_KEYS = frozenset({"name", "description", *WHEN_TO_USE_KEYS})
_HEADING = re.compile(r"#{1,6} \S")


@dataclass(slots=True)
class _Chunk:
    """One top-level key with the lines that belong to it; indices of the file's text."""

    key: str
    key_at: int
    colon: int
    end: int
    indent: str = ""
    misplaced: bool = False


def recover(
    text: str, start: int, block: str, fault: BrokenYaml | None, problems: ProblemList
) -> dict[str, Field] | None:
    """The fields that can be read from ``text[start:]``; ``block`` is the same text as YAML is to see it.

    None when nothing can be trusted; an error says why.
    """
    chunks, strays = _split(text, start)
    if len(chunks) <= KEYS_MAX:
        _put_examples_back(text, chunks, strays)
    else:
        problems.add("yaml.too-many-keys", f"The frontmatter is not YAML and has more than {KEYS_MAX} keys.", at=start)
        return None
    if not chunks and strays and text.startswith("{", strays[0]):
        cause = in_the_readers_words(text, start, BrokenYaml(start + fault.at, fault.reason) if fault else None)
        message = f"The frontmatter is a map in braces that cannot be read. {cause.message}"
        problems.add("frontmatter.not-a-mapping", message, at=cause.at)
        return None
    body_at = _body_text(text, strays)
    if body_at is not None:
        line = text.count("\n", 0, body_at) + 1
        problems.add(
            "frontmatter.unclosed",
            f"The frontmatter has no closing fence of its own: line {line} looks like the instructions already.",
            at=max(text.rfind("---", 0, start), 0),
        )
        return None
    fields: dict[str, Field] = {}
    explained = False
    for chunk in chunks:
        explained |= _read_chunk(text, start, block, chunk, fields, problems)
    for stray in strays:
        explained = True
        line = shown(text[stray : _line_end(text, stray)], 40)
        problems.add("yaml.stray-text", f"The line `{line}` belongs to no key.", at=stray)
    if not explained:
        cause = in_the_readers_words(text, start, BrokenYaml(start + fault.at, fault.reason) if fault else None)
        problems.add(cause.code, cause.message, at=cause.at)
    return fields


def _split(text: str, start: int) -> tuple[list[_Chunk], list[int]]:
    """The top-level keys with their lines, and the beginnings of lines that belong to none."""
    chunks: list[_Chunk] = []
    strays: list[int] = []
    base: int | None = None
    quoted_to = start
    gap = heading = prose = False
    for line in _LINE.finditer(text, start):
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
            chunk = _Chunk(key[3], key.start(2), key.start(4), end, key[1])
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
            if gap and _HEADING.match(content):
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


def _put_examples_back(text: str, chunks: list[_Chunk], strays: list[int]) -> None:
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


def _top_level_key(text: str, at: int, base: int | None, current: _Chunk | None) -> re.Match[str] | None:
    """The key that the line at ``at`` begins with, if it is one of the top level."""
    key = _KEY.match(text, at) or _SPACED_PERMISSION.match(text, at)
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


def _has_words_on_its_line(text: str, chunk: _Chunk) -> bool:
    value = text[chunk.colon + 1 : _line_end(text, chunk.colon)].strip()
    return bool(value) and value[0] not in "|>\"'[{"


def _end_of_quoted(text: str, chunk: _Chunk) -> int:
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
    if text[close + 1 : _line_end(text, close)].strip() not in ("", ","):
        return chunk.colon
    for line in _LINE.finditer(text, text.find("\n", value) + 1, close):
        if line.start() >= close:
            break
        key = _KEY.match(text, line.start(), close)
        if key is not None and (key[3] in READ_KEYS or permission_key(key[3]) is not None):
            return chunk.colon
    return close + 1


def _body_text(text: str, strays: list[int]) -> int | None:
    """Where the instructions seem to begin: a Markdown heading after a blank line, followed by prose."""
    for first, second in pairwise(strays):
        if _HEADING.match(text, first) and not _HEADING.match(text, second):
            return first
    return None


def _without_lone_headings(text: str, strays: list[int]) -> list[int]:
    """Headings are comments for YAML, and count only where prose follows them."""
    if all(_HEADING.match(text, stray) for stray in strays):
        return []
    return strays


def _read_chunk(
    text: str, start: int, block: str, chunk: _Chunk, fields: dict[str, Field], problems: ProblemList
) -> bool:
    """Read one key into ``fields``; returns whether a problem of its own was reported."""
    piece = block[chunk.key_at - start : chunk.end - start]
    right = permission_key(chunk.key)
    after = text[chunk.colon + 1 : chunk.end][:1]
    missing_space = after != "" and after not in _BLANKS
    fault: BrokenYaml | None = None
    explained = False
    if text[chunk.colon] != ":" or missing_space:
        if right is not None:
            problems.add(
                "invocation.unreadable",
                f"`{right}` is not followed by a colon and a space, so it cannot be read.",
                at=chunk.colon,
                key=right,
            )
            return True
        message = f"`{chunk.key}` is not followed by a colon and a space."
        if missing_space and after.isspace():
            message = f"The space after `{chunk.key}:` is not an ordinary one, so YAML does not see it."
        problems.add("yaml.missing-space", message, at=chunk.colon, key=chunk.key)
        explained = True
        rest = block[chunk.colon + 1 - start : chunk.end - start]
        piece = f"{text[chunk.key_at : chunk.colon]}: {rest[1:] if after.isspace() else rest}"
    if chunk.misplaced or "\t" in chunk.indent:
        if right is not None:
            message = f"The key `{chunk.key}` is indented, so YAML takes it for a part of another value."
            problems.add("invocation.unreadable", message, at=chunk.key_at, key=right)
            return True
        tab = chunk.indent.find("\t")
        if tab >= 0:
            at = chunk.key_at - len(chunk.indent) + tab
            problems.add("yaml.tab", f"The key `{chunk.key}` is indented with a tab.", at=at)
        else:
            message = f"The key `{chunk.key}` is indented otherwise than the others."
            problems.add("yaml.indentation", message, at=chunk.key_at)
        explained = True
    too_deep = yaml_reader.may_be_deep("\n" + piece) and yaml_reader.is_too_deep(piece)
    if not too_deep:
        try:
            root = yaml_reader.compose(piece)
        except BrokenYaml as error:
            fault = BrokenYaml(chunk.key_at + error.at, error.reason)
        else:
            if type(root) is MappingNode and len(root.value) == 1 and type(root.value[0][0]) is ScalarNode:
                field = field_of(root.value[0][0], root.value[0][1], chunk.key_at)
                if "*" in piece and "&" in piece:
                    mark_aliases({field.key: field}, yaml_reader.aliases(piece), chunk.key_at)
                add_field(fields, field, text, problems)
                return explained
            fault = BrokenYaml(chunk.key_at, "it is not one key with one value")
    return _read_broken(text, chunk, fault, too_deep, fields, problems)


def _read_broken(
    text: str, chunk: _Chunk, fault: BrokenYaml | None, too_deep: bool, fields: dict[str, Field], problems: ProblemList
) -> bool:
    value_at = chunk.colon + 1
    while value_at < chunk.end and text[value_at].isspace() and text[value_at] not in "\r\n":
        value_at += 1
    right = permission_key(chunk.key) or _permission_inside(text, chunk)
    words = chunk.key in _WORDS_KEYS
    if too_deep:
        deep_at = chunk.end - len(text[chunk.colon + 1 : chunk.end].lstrip())
        cause = Cause("yaml.too-deep", deep_at, f"Lists and maps are nested too deep in `{chunk.key}`.")
    else:
        cause = diagnose(text, chunk.colon + 1, chunk.end, fault, words=words)
    if right is not None:
        problems.add(
            "invocation.unreadable",
            f"`{right}` cannot be read: {cause.message[0].lower()}{cause.message[1:]}",
            at=cause.at,
            key=right,
        )
        return True
    taken = chunk.key in TEXT_KEYS and not too_deep
    ending = "; it is read as plain text." if taken else f"; the key `{chunk.key}` is left out."
    meant = meant_key(chunk.key)
    hint = _NAME_HINT if chunk.key == "name" else cause.hint
    if chunk.key == "allowed-tools" and "quote" in cause.code:
        hint = _TOOLS_HINT
    if meant is not None:
        hint = f"Write `{meant}` instead of `{chunk.key}`, and put the whole value in double quotes."
    problems.add(cause.code, cause.message.removesuffix(".") + ending, at=cause.at, key=chunk.key, hint=hint)
    if taken or (meant is not None and chunk.key not in fields):
        raw = text[value_at : chunk.end]
        field = Field(
            chunk.key,
            chunk.key_at,
            "text",
            plain_text(raw),
            value_at,
            value_at + len(raw.rstrip()),
            None,
            recovered=True,
        )
        add_field(fields, field, text, problems)
    elif chunk.key == "name" or chunk.key == "description":
        field = Field(chunk.key, chunk.key_at, "list", "", value_at, chunk.end)
        add_field(fields, field, text, problems)
    return True


def _permission_inside(text: str, chunk: _Chunk) -> str | None:
    """A permission key at the beginning of a line inside a broken value, where it might have been meant."""
    newline = text.find("\n", chunk.colon, chunk.end)
    if newline < 0:
        return None
    for line in _LINE.finditer(text, newline + 1, chunk.end):
        if line.start() == line.end():
            break
        at = line.start() + len(line.group()) - len(line.group().lstrip(" \t-"))
        key = _SPACED_PERMISSION.match(text, at, chunk.end)
        right = permission_key(key[3]) if key else None
        if right is not None:
            return right
    return None


def _line_end(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline
