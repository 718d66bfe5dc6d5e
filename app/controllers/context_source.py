"""Who produced a piece of injected context, and in which form: read from its durable record and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from skills_core.session.event import (
    SOURCE_AGENT_INSTRUCTIONS,
    SOURCE_FILE_MENTION,
    SOURCE_SKILL_CATALOG,
    SOURCE_SKILL_INVOCATION,
)

if TYPE_CHECKING:
    from skills_core.catalog import CatalogEntry

KNOWN_FORMS = ("instructions", "catalog", "snapshot", "notice", "relay", "recall")

ChangeAction: TypeAlias = Literal["loaded", "updated", "removed"]


@dataclass(frozen=True, slots=True)
class ToldInstructions:
    """What a message told the model about one file of project instructions."""

    path: str
    action: ChangeAction


def context_source(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The source of a message record; empty when it is not readable."""
    source: object = data.get("source")
    return cast(Mapping[str, Any], source) if isinstance(source, Mapping) else {}


def context_label(source: Mapping[str, Any]) -> str | None:
    """The producer's name for a person; its kind when it has no usable name; None when it has no readable kind."""
    kind = source.get("kind")
    if not isinstance(kind, str) or not kind:
        return None
    if kind == SOURCE_SKILL_INVOCATION:
        return _text(source.get("name")) or kind
    if kind == "plugin":
        return _text(source.get("plugin")) or kind
    if kind == SOURCE_FILE_MENTION:
        return _text(source.get("path")) or kind
    if kind == SOURCE_AGENT_INSTRUCTIONS:
        changes: object = source.get("changes")
        if isinstance(changes, Sequence) and not isinstance(changes, str):
            paths = [_path(item) for item in cast(Sequence[object], changes)]
            return ", ".join(dict.fromkeys(path for path in paths if path)) or kind
    return kind


def declared_form(source: Mapping[str, Any]) -> str | None:
    """The form that the producer declared, when this version knows its name."""
    form = source.get("form")
    return form if isinstance(form, str) and form in KNOWN_FORMS else None


def read_instructions(source: Mapping[str, Any]) -> tuple[ToldInstructions, ...] | None:
    """The changes of a project instructions record, each path once, or None when any of it is unreadable."""
    if declared_form(source) != "instructions":
        return None
    changes: object = source.get("changes")
    if not isinstance(changes, Sequence) or isinstance(changes, (str, bytes)) or not changes:
        return None
    found: dict[str, ToldInstructions] = {}
    for item in cast(Sequence[object], changes):
        if not isinstance(item, Mapping):
            return None
        fields = cast(Mapping[str, object], item)
        path, action = fields.get("path"), fields.get("action")
        if not isinstance(path, str) or not path or action not in ("loaded", "updated", "removed"):
            return None
        found.setdefault(path, ToldInstructions(path, action))
    return tuple(found.values())


def read_catalog_form(data: Mapping[str, Any]) -> tuple[CatalogEntry, ...] | None:
    """The entries of a record that declares itself a catalog and is readable as a whole, else None."""
    source = context_source(data)
    if source.get("kind") != SOURCE_SKILL_CATALOG or declared_form(source) != "catalog":
        return None
    from skills_core.catalog import read_catalog

    return read_catalog(data)


def is_replacement(source: Mapping[str, Any]) -> bool:
    return source.get("update") is True


def _path(change: object) -> str:
    return _text(cast(Mapping[str, object], change).get("path")) if isinstance(change, Mapping) else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
