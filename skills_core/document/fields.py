"""Reads name, description and the optional keys from the fields of a frontmatter."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from skills_core.document.fence_faults import HEADING_HINT, heading_key
from skills_core.document.field import (
    PERMISSION_KEYS,
    READ_KEYS,
    WHEN_TO_USE_KEYS,
    Field,
    folded_key,
    meant_key,
    permission_key,
)
from skills_core.document.model import DEPTH_MAX
from skills_core.document.names import derive_name
from skills_core.document.placeholder import is_placeholder
from skills_core.document.scalars import plain_text
from skills_core.document.text import clean_text, first_suspect, shown
from skills_core.document.yaml_reader import MappingNode, Node, ScalarNode, SequenceNode, restored
from skills_core.skill import NAME_MAX_LENGTH, is_skill_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skills_core.document.model import EntryName, MetadataValue
    from skills_core.document.problems import ProblemList

DESCRIPTION_MAX_LENGTH = 1024
"""Descriptions of more code points are offered with a warning (limit of the Agent Skills format)."""

_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)")
_KNOWN_TAG = re.compile(r"!!(?:str|int|float|bool|null|timestamp)\s")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_NULL = "~"
_TEXT_ONLY = ("license", "compatibility")
_FOLDED_KEYS = frozenset(map(folded_key, READ_KEYS))
_METADATA_NODES_MAX = 5000
_ALIAS_IS_ERROR = ("name", "description", *PERMISSION_KEYS)


def read_name(
    fields: Mapping[str, Field], entry: EntryName, text: str, fence: int, problems: ProblemList
) -> tuple[str, str | None, bool] | None:
    """The offered name, the label if the written one differs, and whether it is derived; None: no name."""
    field = fields.get("name")
    place = "folder" if entry.kind == "bundle" else "file"
    if field is None:
        offered = derive_name("", entry)
        meant = near_miss(fields, "name")
        missing = _missing(meant, "name")
        at = fence if meant is None else meant.key_at
        if offered is None:
            message = f"{missing}, and the {place}'s name `{shown(entry.stem, 64)}` gives none."
            hint = None if meant is None else spelling_hint(meant, "name")
            problems.add("name.missing", message, at=at, severity="error", hint=hint)
            return None
        message = f"{missing}; the skill goes by `{offered.name}`, after {offered.source}."
        hint = f"Write `name: {offered.name}`." if meant is None else spelling_hint(meant, "name")
        problems.add("name.missing", message, at=at, hint=hint)
        return offered.name, None, True
    written = _words(field, "name", text, problems)
    if written is None:
        return None
    written = written.strip()
    cleaned = clean_text(written).strip()
    if cleaned == written and not field.recovered and is_skill_name(written):
        if len(written) > NAME_MAX_LENGTH:
            message = f"The name has {len(written)} characters; the limit is {NAME_MAX_LENGTH}."
            problems.add("name.too-long", message, at=field.at)
        if written != entry.stem and not (entry.kind == "flat" and entry.stem.casefold() == "skill"):
            message = f"The {place} is called `{shown(entry.stem, 64)}`, the skill `{shown(written, 64)}`."
            problems.add(
                "name.directory-mismatch", message, at=field.at, hint=f"Give the {place} and the skill the same name."
            )
        return written, None, False
    return _derived(field, written, cleaned, entry, text, problems)


def _derived(
    field: Field, written: str, cleaned: str, entry: EntryName, text: str, problems: ProblemList
) -> tuple[str, str | None, bool] | None:
    offered = derive_name(cleaned, entry)
    code = "name.format" if written else "name.missing"
    if not written:
        wrong = "`name` has no value"
    elif field.recovered:
        wrong = f"The name `{shown(written, 64)}` cannot be read as YAML"
    elif cleaned != written:
        wrong = f"The name `{shown(written, 64)}` holds invisible characters"
    else:
        wrong = f"`{shown(written, 64)}` is no skill name"
    if offered is None:
        problems.add(
            code,
            f"{wrong}, and no name can be made of it or of `{shown(entry.stem, 64)}`.",
            at=field.at,
            severity="error",
        )
        return None
    problems.add(
        code,
        f"{wrong}; the skill goes by `{offered.name}`, after {offered.source}.",
        at=field.at,
        hint=f"Write `name: {offered.name}`: small letters a to z, digits, and single hyphens between them.",
    )
    label = shown(cleaned, 200) or None
    return offered.name, label if label != offered.name else None, True


def read_description(fields: Mapping[str, Field], text: str, fence: int, problems: ProblemList) -> str | None:
    """The description, cleaned; None when there is none that can be used (an error says why)."""
    field = fields.get("description")
    if field is None:
        meant = near_miss(fields, "description")
        at, message = fence if meant is None else meant.key_at, _missing(meant, "description") + "."
        hint = None if meant is None else spelling_hint(meant, "description")
        heading = None if fields else heading_key(text, text.find("\n", fence) + 1)
        if heading is not None:
            at, message, hint = heading, "The frontmatter is a Markdown heading, so it holds no keys.", HEADING_HINT
        problems.add("description.missing", message, at=at, hint=hint)
        return None
    description = _cleaned_words(field, "description", text, problems)
    if description is None:
        return None
    length = len(description.strip())
    if length == 0 or (field.plain and text[field.at : field.end] == _NULL):
        hint = None
        if field.plain and _COMMENT.match(text, field.end):
            hint = "Put the description in double quotes: what follows ` #` is a comment."
        problems.add("description.empty", "`description` has no text.", at=field.at, hint=hint)
        return None
    if length > DESCRIPTION_MAX_LENGTH:
        message = f"The description has {length:,} characters; the limit is {DESCRIPTION_MAX_LENGTH:,}."
        problems.add("description.too-long", message, at=field.at)
    _check_what_follows(fields, problems)
    return description


def _check_what_follows(fields: Mapping[str, Field], problems: ProblemList) -> None:
    """Warn when the line below the description looks like its next sentence, which YAML takes for a key."""
    keys = iter(fields)
    while next(keys) != "description":
        pass
    after = next(keys, "")
    if len(after.split()) < 2 or folded_key(after) in _FOLDED_KEYS or permission_key(after) is not None:
        return
    problems.add(
        "yaml.unindented-text",
        f"`{shown(after, 40)}` is a key of its own for YAML, so its text is no part of the description.",
        at=fields[after].key_at,
        key="description",
        hint="If it belongs to the description, indent it by two spaces below `description: >-`.",
    )


def read_when_to_use(fields: Mapping[str, Field], text: str, problems: ProblemList) -> str | None:
    """The routing hint, whichever of its spellings is used."""
    given = [fields[key] for key in WHEN_TO_USE_KEYS if key in fields]
    if not given:
        return None
    given.sort(key=lambda field: field.key_at)
    for other in given[1:]:
        if other.text != given[0].text:
            message = f"`{other.key}` and `{given[0].key}` are the same key; `{other.key}` is left out."
            problems.add("field.repeated", message, at=other.key_at, key=given[0].key)
    return _optional_text(given[0], text, problems)


def read_argument_hint(fields: Mapping[str, Field], text: str, problems: ProblemList) -> str | None:
    """What to write after the skill's name; a value in brackets is usage notation, so it is taken as text."""
    field = fields.get("argument-hint")
    if field is None:
        return None
    if field.kind != "text" and field.alias is None and text[field.at : field.at + 1] in ("[", "{"):
        hint = " ".join(clean_text(text[field.at : field.end]).split())
        message = f"`argument-hint` is a {field.kind} for YAML; it is read as plain text."
        problems.add("field.type", message, at=field.at, hint="Put the value of `argument-hint` in double quotes.")
        return hint
    return _optional_text(field, text, problems)


def read_metadata(fields: Mapping[str, Field], text: str, problems: ProblemList) -> Mapping[str, MetadataValue] | None:
    """The map below ``metadata``, its values text or lists and maps of text."""
    field = fields.get("metadata")
    if field is None or (field.kind == "text" and not field.text.strip() and field.alias is None):
        return None
    if field.alias is not None:  # reported by check_others
        return None
    if field.kind != "map" or type(field.node) is not MappingNode:
        problems.add(
            "field.type",
            "`metadata` is not a map of keys and values; it is left out.",
            at=field.at,
            hint="Write the keys on indented lines below `metadata:`, one `key: value` a line.",
        )
        return None
    budget = [_METADATA_NODES_MAX]
    return _map_value(field.node, DEPTH_MAX, budget)


def check_others(fields: Mapping[str, Field], problems: ProblemList) -> None:
    """Warnings about keys that only have to be of the right kind, and about keys dropped for their aliases."""
    for key in _TEXT_ONLY:
        field = fields.get(key)
        if field is not None and field.kind != "text":
            problems.add("field.type", f"`{key}` is a {field.kind}, not text; it is left out.", at=field.at, key=key)
    tools = fields.get("allowed-tools")
    if tools is not None and not _is_tool_list(tools):
        hint = "Write the tools as a list, or as text with commas or spaces between them."
        problems.add(
            "field.type", "`allowed-tools` is no list of words; it is left out.", at=tools.at, key=tools.key, hint=hint
        )
    aliased = [field for field in fields.values() if field.alias is not None and field.key not in _ALIAS_IS_ERROR]
    if aliased:
        names = ", ".join(f"`{shown(field.key, 40)}`" for field in aliased[:5]) + (
            " and others" if len(aliased) > 5 else ""
        )
        problems.add(
            "yaml.alias-limit", f"Aliases are not followed, so these keys are left out: {names}.", at=aliased[0].alias
        )


def _is_tool_list(field: Field) -> bool:
    if field.kind == "text":
        return True
    return type(field.node) is SequenceNode and all(type(item) is ScalarNode for item in field.node.value)


def _optional_text(field: Field, text: str, problems: ProblemList) -> str | None:
    if field.alias is not None:
        return None
    if field.kind != "text":
        problems.add(
            "field.type", f"`{field.key}` is a {field.kind}, not text; it is left out.", at=field.at, key=field.key
        )
        return None
    words = _cleaned_words(field, field.key, text, problems)
    return words if words and words.strip() else None


def _cleaned_words(field: Field, key: str, text: str, problems: ProblemList) -> str | None:
    words = _words(field, key, text, problems)
    if words is None:
        return None
    cleaned = clean_text(words)
    if cleaned != words:
        at = first_suspect(text, field.at, field.end)
        message = f"`{key}` holds control or invisible characters; they are taken out."
        problems.add("text.control-character", message, at=field.at if at is None else at)
        cleaned = cleaned.strip()
    return cleaned


def _words(field: Field, key: str, text: str, problems: ProblemList) -> str | None:
    """The words of a name, description or hint as the author wrote them; None when it is not words (an error)."""
    if field.alias is not None:
        problems.add(
            "yaml.alias-limit", f"`{key}` uses an alias; aliases are not followed.", at=field.alias, severity="error"
        )
        return None
    if field.kind != "text":
        source = text[field.at : min(field.end, field.at + 400)]
        if source[:1] in ("[", "{") and is_placeholder(source):
            return _refuse_placeholder(field, key, source, problems)
        problems.add(f"{key}.type", f"`{key}` must be text, found a {field.kind}.", at=field.at, key=key)
        return None
    words = field.text
    if field.plain and not field.recovered:
        if text[field.at : field.at + 1] in ("&", "!") and field.end > field.at:
            words = _literal(field, key, text, problems)
        comment = _COMMENT.match(text, field.end) if text[field.end : field.end + 1] in (" ", "\t") else None
        if comment:
            message = f"`{shown(comment.group(), 40)}` after `{key}` is a comment for YAML, so it is left out."
            problems.add("yaml.comment", message, at=comment.end() - len(comment.group().lstrip()), key=key)
    if key in ("name", "description") and is_placeholder(words):
        return _refuse_placeholder(field, key, words, problems)
    return words


def _literal(field: Field, key: str, text: str, problems: ProblemList) -> str:
    """The text of a plain scalar that begins with what YAML takes for an anchor or a tag, but nobody uses."""
    source = text[field.at : field.end]
    anchor = _ANCHOR.match(source)
    if (anchor and f"*{anchor[1]}" in text) or _KNOWN_TAG.match(source):
        return field.text
    kind = "an anchor" if source[0] == "&" else "a tag"
    message = f"`{key}` begins with `{source[0]}`, which YAML takes for {kind}; it is read as plain text."
    problems.add("yaml.reserved-start", message, at=field.at, key=key)
    return plain_text(source)


def _refuse_placeholder(field: Field, key: str, words: str, problems: ProblemList) -> None:
    message = f"The template is not filled in: `{key}` is still `{shown(words, 60)}`."
    problems.add("template.placeholder", message, at=field.at, key=key)


def near_miss(fields: Mapping[str, Field], key: str) -> Field | None:
    """The field whose key is ``key``, name or description, misspelt or in other letters."""
    return next((field for field in fields.values() if meant_key(field.key) == key), None)


def spelling_hint(field: Field, key: str) -> str:
    """How to mend a key that was meant for another."""
    return f"Write `{key}` instead of `{shown(field.key, 40)}`."


def _missing(field: Field | None, key: str) -> str:
    meant = f" (did you mean it by `{shown(field.key, 40)}`?)" if field is not None else ""
    return f"There is no `{key}`{meant}"


def _map_value(node: MappingNode, depth: int, budget: list[int]) -> Mapping[str, MetadataValue]:
    values: dict[str, MetadataValue] = {}
    for key_node, value_node in node.value:
        budget[0] -= 1
        if budget[0] < 0:
            break
        if type(key_node) is ScalarNode:
            values.setdefault(clean_text(restored(key_node.value)), _value(value_node, depth - 1, budget))
    return MappingProxyType(values)


def _value(node: Node, depth: int, budget: list[int]) -> MetadataValue:
    if type(node) is ScalarNode:
        return clean_text(restored(node.value))
    if depth <= 0:
        return ""
    if type(node) is MappingNode:
        return _map_value(node, depth, budget)
    items: list[MetadataValue] = []
    for item in node.value:
        budget[0] -= 1
        if budget[0] < 0:
            break
        items.append(_value(item, depth - 1, budget))
    return tuple(items)
