"""One top-level key of a frontmatter with its value, as fields and problems need it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from skills_core.document.yaml_reader import ScalarNode, SequenceNode
from skills_core.slips import slips_between

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skills_core.document.problems import ProblemList
    from skills_core.document.yaml_reader import Node

DISABLE_MODEL = "disable-model-invocation"
USER_INVOCABLE = "user-invocable"
PERMISSION_KEYS = (DISABLE_MODEL, USER_INVOCABLE)

WHEN_TO_USE_KEYS = ("whenToUse", "when_to_use", "when-to-use")
TEXT_KEYS = frozenset(
    {"name", "description", *WHEN_TO_USE_KEYS, "license", "compatibility", "argument-hint", "allowed-tools"}
)
"""Keys whose value is text, so that a broken one can be taken as the text that is plainly there."""

READ_KEYS = TEXT_KEYS | {"metadata", *PERMISSION_KEYS}
_OTHER_KEYS = READ_KEYS - {*PERMISSION_KEYS}

_PERMISSION_WORDS = {
    "disablemodelinvocation": DISABLE_MODEL,
    "modelinvocable": DISABLE_MODEL,
    "modelinvocation": DISABLE_MODEL,
    "userinvocable": USER_INVOCABLE,
    "userinvokable": USER_INVOCABLE,
    "userinvocation": USER_INVOCABLE,
}
_SLIPS_MAX = 2
"""A key this many slips of the finger from a permission word is taken for it, and so refused."""

_FOLDED_LENGTHS = range(
    min(map(len, _PERMISSION_WORDS)) - _SLIPS_MAX, max(map(len, _PERMISSION_WORDS)) + _SLIPS_MAX + 1
)
_KEY_LENGTHS = range(_FOLDED_LENGTHS.start, 65)


@dataclass(slots=True)
class Field:
    """A key and its value. Indices are those of the file's text.

    ``text`` is the scalar's text, empty for a list or map. ``plain``: written without quotes or a block mark.
    ``alias``: the index of the anchor that the first alias in the value means. ``recovered``: taken from a value that
    is not YAML. ``repeats``: where the same key is given again.
    """

    key: str
    key_at: int
    kind: Literal["text", "list", "map"]
    text: str
    at: int
    end: int
    node: Node | None = None
    plain: bool = True
    alias: int | None = None
    recovered: bool = False
    repeats: tuple[int, ...] = ()


def field_of(key_node: ScalarNode, value_node: Node, start: int) -> Field:
    """The field of a composed pair, whose text begins at ``start`` of the file's text."""
    key_at = start + key_node.start_mark.index
    at = start + value_node.start_mark.index
    end = start + value_node.end_mark.index
    if type(value_node) is ScalarNode:
        return Field(key_node.value, key_at, "text", value_node.value, at, end, value_node, not value_node.style)
    kind = "list" if type(value_node) is SequenceNode else "map"
    return Field(key_node.value, key_at, kind, "", at, end, value_node)


def mark_aliases(fields: Mapping[str, Field], aliases: Sequence[tuple[int, int]], start: int) -> None:
    """Note in each field the anchor of the first of its ``aliases``, pairs of an alias's and its anchor's index."""
    ordered = sorted(fields.values(), key=lambda field: field.key_at)
    keys = [field.key_at for field in ordered]
    for alias_at, anchor_at in aliases:
        owner = bisect_right(keys, start + alias_at) - 1
        if owner >= 0 and ordered[owner].alias is None:
            ordered[owner].alias = start + anchor_at


def permission_key(key: str) -> str | None:
    """The permission key that ``key`` is or could be meant for, in its right spelling."""
    word = permission_word(key)
    return None if word is None else _PERMISSION_WORDS[word]


def permission_word(key: str) -> str | None:
    """The folded word for a permission that ``key`` is, or is at most two slips away from."""
    if len(key) not in _KEY_LENGTHS or key in _OTHER_KEYS:
        return None
    folded = folded_key(key)
    if folded in _PERMISSION_WORDS:
        return folded
    return _nearest_word(folded) if len(folded) in _FOLDED_LENGTHS else None


@lru_cache(maxsize=256)
def _nearest_word(folded: str) -> str | None:
    near = [(slips_between(folded, word, _SLIPS_MAX), word) for word in _PERMISSION_WORDS]
    slips, word = min(near)
    return word if slips <= _SLIPS_MAX else None


def meant_key(key: str) -> str | None:
    """``name`` or ``description`` when ``key``, which is neither, is that word misspelt or in other letters."""
    if key in READ_KEYS or len(key) > 16:
        return None
    folded = folded_key(key)
    for right, limit in (("name", 1), ("description", 2)):
        if slips_between(folded, right, limit) <= limit:
            return right
    return None


def folded_key(key: str) -> str:
    """``key`` without what spellings of one word differ in: letter case, hyphens, underscores and spaces."""
    return key.casefold().replace("-", "").replace("_", "").replace(" ", "")


def add_field(fields: dict[str, Field], field: Field, source: str, problems: ProblemList) -> None:
    """Put ``field`` among ``fields``; the same key with another value is an error."""
    first = fields.get(field.key)
    if first is None:
        fields[field.key] = field
        return
    first.repeats += (field.key_at,)
    same = first.kind == field.kind and (
        first.text == field.text
        if field.kind == "text"
        else source[first.at : first.end] == source[field.at : field.end]
    )
    if same:
        message, severity = f"`{field.key}` is given twice with the same value.", "warning"
    else:
        message, severity = (
            f"`{field.key}` is given twice with different values; which one is meant cannot be known.",
            "error",
        )
    problems.add("yaml.duplicate-key", message, at=field.key_at, key=field.key, severity=severity)
