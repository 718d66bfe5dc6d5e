"""The catalog as a message of the session: written from entries, and read back from them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from skills_core.catalog.entry import CatalogEntry
from skills_core.catalog.rendering import render_catalog
from skills_core.session.event import SOURCE_SKILL_CATALOG, USER_MESSAGE, PendingEvent, source_kind, user_message


def catalog_message(entries: Sequence[CatalogEntry], update: bool) -> PendingEvent:
    """The message to append; the key order of its source is that of the log format."""
    source: dict[str, Any] = {"kind": SOURCE_SKILL_CATALOG, "form": "catalog"}
    if update:
        source["update"] = True
    source["entries"] = [{"name": entry.name, "description": entry.description} for entry in entries]
    return user_message(render_catalog(entries, update), source)


def read_catalog(data: Mapping[str, Any]) -> tuple[CatalogEntry, ...] | None:
    """The entries of a ``user/message`` record's data.

    None when another producer wrote it, or when any entry is unreadable: a part of a catalog is not a catalog.
    """
    if source_kind(data) != SOURCE_SKILL_CATALOG:
        return None
    stored = cast(Mapping[str, Any], data["source"]).get("entries")
    if not isinstance(stored, Sequence) or isinstance(stored, (str, bytes)):
        return None
    entries: list[CatalogEntry] = []
    for item in cast(Sequence[object], stored):
        if not isinstance(item, Mapping):
            return None
        fields = cast(Mapping[str, object], item)
        name, description = fields.get("name"), fields.get("description")
        if not isinstance(name, str) or not name or not isinstance(description, str):
            return None
        entries.append(CatalogEntry(name, description))
    return tuple(entries)


def proposed_catalogs(batch: Sequence[PendingEvent]) -> dict[int, tuple[CatalogEntry, ...]]:
    """The readable catalogs in a batch that has not been appended yet, by their place in it."""
    proposed: dict[int, tuple[CatalogEntry, ...]] = {}
    for index, pending in enumerate(batch):
        if pending.type == USER_MESSAGE and (entries := read_catalog(pending.data)) is not None:
            proposed[index] = entries
    return proposed
