"""Reads the block between the fences: top-level keys with their values, from YAML or by recovery."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skills_core.document import yaml_reader
from skills_core.document.field import Field, add_field, field_of, mark_aliases, permission_key
from skills_core.document.plain_block import plain_fields
from skills_core.document.recovery import recover
from skills_core.document.text import shown
from skills_core.document.yaml_reader import BrokenYaml, MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from skills_core.document.problems import ProblemList
    from skills_core.document.yaml_reader import Node

_KNOWN_KEY = re.compile(r"""^[ ]*["']?(?:name|description)["']?[ \t]*[:：]""", re.MULTILINE)
_GLUED_KEYS = ("description:", "description：")
_FIRST_COLUMN_KEY = re.compile(r"""^["']?([A-Za-z][A-Za-z_ -]{8,60}?)["']?[ \t]*[:：]""", re.MULTILINE)


def read_block(text: str, start: int, problems: ProblemList) -> dict[str, Field] | None:
    """The fields of the block ``text[start:]``, by key; None when it holds no keys (a problem says so)."""
    block = text[start:]
    foreign = not block.isascii() and yaml_reader.has_foreign(block)
    if not foreign and (plain := plain_fields(block, start)) is not None:
        return _with_permissions_seen(text, start, block, plain, problems)
    if foreign:
        block = yaml_reader.protected(block)
    fault: BrokenYaml | None = None
    root: Node | None = None
    if yaml_reader.may_be_deep(text[start - 1 :]) and yaml_reader.is_too_deep(block):
        fault = BrokenYaml(0, "collections are nested too deep")
    else:
        try:
            root = yaml_reader.compose(block)
        except BrokenYaml as error:
            fault = error
            if not foreign and yaml_reader.has_foreign(block):
                foreign = True
                block = yaml_reader.protected(block)
                fault = None
                try:
                    root = yaml_reader.compose(block)
                except BrokenYaml as second:
                    fault = second
    if fault is None and root is None:
        fields: dict[str, Field] = {}
    elif fault is None and type(root) is MappingNode and not _has_glued_key(root):
        fields = _mapping_fields(root, block, text, start, problems)
    elif fault is None and not _KNOWN_KEY.search(block):
        problems.add(
            "frontmatter.not-a-mapping",
            f"The frontmatter is {_kind_of(root)}, not keys with values.",
            at=start + (root.start_mark.index if root is not None else 0),
        )
        return None
    else:
        recovered = recover(text, start, block, fault, problems)
        if recovered is None:
            return None
        fields = recovered
    if foreign:
        for field in fields.values():
            field.text = yaml_reader.restored(field.text)
    return _with_permissions_seen(text, start, block, fields, problems)


def _with_permissions_seen(
    text: str, start: int, block: str, fields: dict[str, Field], problems: ProblemList
) -> dict[str, Field]:
    lowered = block.lower()
    if "nvoc" in lowered or "nvok" in lowered:
        _require_permission_lines(text, start, fields, problems)
    return fields


def _has_glued_key(root: MappingNode) -> bool:
    """Whether there is no description but one that is stuck to its key, so that YAML took a part of it into the key."""
    glued = False
    for key, _ in root.value:
        if key.value == "description":
            return False
        glued = glued or (type(key) is ScalarNode and key.value.startswith(_GLUED_KEYS))
    return glued


def _mapping_fields(root: MappingNode, block: str, text: str, start: int, problems: ProblemList) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for key_node, value_node in root.value:
        if type(key_node) is not ScalarNode:
            continue
        field = field_of(key_node, value_node, start)
        if field.key in fields:
            add_field(fields, field, text, problems)
        else:
            fields[field.key] = field
    if "*" in block and "&" in block:
        mark_aliases(fields, yaml_reader.aliases(block), start)
    return fields


def _kind_of(root: Node | None) -> str:
    return "a list" if type(root) is SequenceNode else "plain text"


def _require_permission_lines(text: str, start: int, fields: dict[str, Field], problems: ProblemList) -> None:
    """Refuse a line at the first column that gives a permission, when YAML took it for a part of another value."""
    if problems.has("invocation.unreadable"):
        return
    known = {at for field in fields.values() for at in (field.key_at, *field.repeats)}
    for line in _FIRST_COLUMN_KEY.finditer(text, start):
        right = permission_key(line[1])
        if right is None or line.start() in known or line.start(1) in known:
            continue
        problems.add(
            "invocation.unreadable",
            f"The line `{shown(line[0], 60)}` lies inside the value of another key, so it would have no effect.",
            at=line.start(),
            key=right,
        )
