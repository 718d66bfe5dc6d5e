"""Reads a block that as a whole is not YAML: each top-level key alone.

A broken extra key is dropped with a warning, a broken text is taken as the text that is plainly there, and a broken
permission key, or one that a broken value might hide, is an error.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from skills_core.document import yaml_reader
from skills_core.document.chunks import (
    HEADING,
    KEYS_MAX,
    LINE,
    SPACED_PERMISSION,
    Chunk,
    line_end,
    put_examples_back,
    split,
)
from skills_core.document.diagnosis import Cause, diagnose, in_the_readers_words
from skills_core.document.field import (
    TEXT_KEYS,
    WHEN_TO_USE_KEYS,
    Field,
    add_field,
    field_of,
    mark_aliases,
    meant_key,
    permission_key,
)
from skills_core.document.scalars import plain_text
from skills_core.document.text import shown
from skills_core.document.yaml_reader import BrokenYaml, MappingNode, ScalarNode

if TYPE_CHECKING:
    from skills_core.document.problems import ProblemList

_BLANKS = (" ", "\t", "\r", "\n")
_NAME_HINT = "Write the name in small letters a to z, digits, and single hyphens; it needs no quotes then."
_TOOLS_HINT = "Write the tools in brackets, `[Read, Write]`, or with commas between them and without quotes."
_WORDS_KEYS = frozenset({"name", "description", *WHEN_TO_USE_KEYS})


def recover(
    text: str, start: int, block: str, fault: BrokenYaml | None, problems: ProblemList
) -> dict[str, Field] | None:
    """The fields that can be read from ``text[start:]``; ``block`` is the same text as YAML is to see it.

    None when nothing can be trusted; an error says why.
    """
    chunks, strays = split(text, start)
    if len(chunks) <= KEYS_MAX:
        put_examples_back(text, chunks, strays)
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
        line = shown(text[stray : line_end(text, stray)], 40)
        problems.add("yaml.stray-text", f"The line `{line}` belongs to no key.", at=stray)
    if not explained:
        cause = in_the_readers_words(text, start, BrokenYaml(start + fault.at, fault.reason) if fault else None)
        problems.add(cause.code, cause.message, at=cause.at)
    return fields


def _body_text(text: str, strays: list[int]) -> int | None:
    """Where the instructions seem to begin: a Markdown heading after a blank line, followed by prose."""
    for first, second in pairwise(strays):
        if HEADING.match(text, first) and not HEADING.match(text, second):
            return first
    return None


def _read_chunk(
    text: str, start: int, block: str, chunk: Chunk, fields: dict[str, Field], problems: ProblemList
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
    text: str, chunk: Chunk, fault: BrokenYaml | None, too_deep: bool, fields: dict[str, Field], problems: ProblemList
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


def _permission_inside(text: str, chunk: Chunk) -> str | None:
    """A permission key at the beginning of a line inside a broken value, where it might have been meant."""
    newline = text.find("\n", chunk.colon, chunk.end)
    if newline < 0:
        return None
    for line in LINE.finditer(text, newline + 1, chunk.end):
        if line.start() == line.end():
            break
        at = line.start() + len(line.group()) - len(line.group().lstrip(" \t-"))
        key = SPACED_PERMISSION.match(text, at, chunk.end)
        right = permission_key(key[3]) if key else None
        if right is not None:
            return right
    return None
