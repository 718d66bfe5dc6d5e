"""The short way through a plain frontmatter: one line a key, and at most one level of keys below one.

Most skill files are written so, and then YAML's own reader finds nothing that these few rules do not. Whatever could
mean more to YAML is left to it: here it is no plain block.
"""

from __future__ import annotations

import re
from typing import Final

from yaml.error import Mark

from skills_core.document.field import Field
from skills_core.document.yaml_reader import MappingNode, ScalarNode

# Begins with a letter or digit, so with no mark of YAML's; a colon before a blank and a `#` behind one end plain text.
_PLAIN = r"(?P<plain>[^\W_][^:#\x00-\x1f\x7f]*(?:(?::(?![ \r\n]|\Z)|(?<! )#)[^:#\x00-\x1f\x7f]*)*)"
_QUOTED = r"""(?P<quoted>"[^"\\\x00-\x1f\x7f]*"|'[^'\x00-\x1f\x7f]*')"""
_KEY = r"(?P<key>[A-Za-z][A-Za-z0-9_-]{0,60})"
_END = r"[ ]*(?:\r?\n|\Z)"
_LINE: Final = re.compile(rf"(?P<indent>[ ]*){_KEY}:(?:[ ]+(?:{_PLAIN}|{_QUOTED}))?{_END}")
_BLANK: Final = re.compile(r"\r?\n")


class _Mark(Mark):
    """A place in the block: its index, for nobody asks for line and column."""

    def __init__(self, index: int) -> None:
        self.index = index


def plain_fields(block: str, start: int) -> dict[str, Field] | None:
    """The fields of a plain block, by key, as YAML gives them; None when it is not plain.

    ``block`` must be free of what `yaml_reader.has_foreign` finds; its indices count from ``start`` of the file's text.
    """
    fields: dict[str, Field] = {}
    parent: Field | None = None
    below: set[str] = set()
    indent = 0
    at, end = 0, len(block)
    while at < end:
        line = _LINE.match(block, at)
        if line is None:
            blank = _BLANK.match(block, at)
            if blank is None:
                return None
            at = blank.end()
            continue
        at = line.end()
        depth = line.end("indent") - line.start()
        if depth:
            if parent is None or (indent and depth != indent) or not _put_below(parent, below, line, start):
                return None
            indent = depth
            continue
        if parent is not None and not _closed(parent, start + line.start()):
            return None
        parent, indent = None, 0
        key = line["key"]
        if key in fields:
            return None
        fields[key] = field = _field(line, key, start)
        if field.kind == "map":
            parent = field
            below = set()
    if parent is not None and not _closed(parent, start + end):
        return None
    return fields


def _field(line: re.Match[str], key: str, start: int) -> Field:
    plain = line["plain"]
    key_at = start + line.start("key")
    if plain is not None:
        text = plain.rstrip(" ")
        at = start + line.start("plain")
        return Field(key, key_at, "text", text, at, at + len(text))
    quoted = line["quoted"]
    if quoted is not None:
        at = start + line.start("quoted")
        return Field(key, key_at, "text", quoted[1:-1], at, at + len(quoted), None, False)
    return Field(key, key_at, "map", "", 0, 0)


def _put_below(parent: Field, below: set[str], line: re.Match[str], start: int) -> bool:
    """Adds a key with its value to the map that ``parent`` is; False when it has no value or is ``below`` already."""
    field = _field(line, line["key"], start)
    if field.kind == "map" or field.key in below:
        return False
    below.add(field.key)
    key_at = field.key_at - start
    node = parent.node
    if node is None:
        parent.node = node = MappingNode("", [], _Mark(key_at))
        parent.at = field.key_at
    node.value.append(
        (
            ScalarNode("", field.key, _Mark(key_at), _Mark(key_at + len(field.key))),
            ScalarNode("", field.text, _Mark(field.at - start), _Mark(field.end - start)),
        )
    )
    return True


def _closed(parent: Field, end: int) -> bool:
    """Ends a map where the next key begins; False when nothing is below its key, so that it is none."""
    parent.end = end
    return parent.node is not None
