"""What a catalog row says, closed and open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.controllers.context_source import context_source, is_replacement, read_catalog_form
from app.controllers.row_body import (
    LIST_LIMIT,
    Heading,
    ListLine,
    Part,
    Verbatim,
    bounded,
    joined_text,
    unknown_blocks,
)
from app.controllers.text_layout import Piece, counted

if TYPE_CHECKING:
    from skills_core.catalog import CatalogDifference, CatalogEntry

DIGEST_LENGTH = 8


@dataclass(frozen=True, slots=True)
class CatalogMarks:
    """The signs of added, removed and changed names; the minus is ASCII where the font may lack the real one."""

    added: str = "+"
    removed: str = "−"
    changed: str = "~"


MARKS = CatalogMarks()


def difference_text(difference: CatalogDifference, marks: CatalogMarks = MARKS) -> str:
    """``+2 −1 ~1``, without the kinds that have none; ``unchanged`` when nothing differs."""
    counts = (
        (marks.added, len(difference.added)),
        (marks.removed, len(difference.removed)),
        (marks.changed, len(difference.changed)),
    )
    return " ".join(f"{mark}{count}" for mark, count in counts if count) or "unchanged"


def catalog_title(
    data: Mapping[str, Any], entries: Sequence[CatalogEntry], before: Sequence[CatalogEntry] | None
) -> tuple[Piece, ...]:
    """The closed row: how many skills, what changed, and the short digest."""
    from skills_core.catalog import catalog_difference, catalog_digest

    replaced = is_replacement(context_source(data))
    name = "Catalog replaced" if replaced else "Skill catalog"
    if not entries:
        said = "no skills; every earlier name is retired" if replaced else "no skills"
        return (Piece(name, "accent"), Piece(f" · {said}"))
    pieces = [Piece(name, "accent"), Piece(f" · {counted(len(entries), 'skill')}")]
    if replaced and before is not None:
        pieces.append(Piece(f" · {difference_text(catalog_difference(before, entries))}"))
    pieces.append(Piece(f" · {catalog_digest(entries)[:DIGEST_LENGTH]}", "muted"))
    return tuple(pieces)


def catalog_parts(
    data: Mapping[str, Any], entries: Sequence[CatalogEntry], before: Sequence[CatalogEntry] | None
) -> tuple[Part, ...]:
    """The open row: the difference, the entries as published, foreign blocks, and the text that the model received."""
    parts: list[Part] = []
    if is_replacement(context_source(data)):
        parts.append(Heading("This catalog replaces every earlier one."))
        if before is not None:
            parts.extend(_difference_entries(entries, before))
    if entries:
        parts.append(Heading("Entries as published"))
    parts.extend(ListLine("·", "muted", entry.name, entry.description) for entry in entries[:LIST_LIMIT])
    if len(entries) > LIST_LIMIT:
        parts.append(Heading(f"… {len(entries) - LIST_LIMIT:,} more"))
    parts.extend(unknown_blocks(data.get("content")))
    parts.append(Heading("Exact text that the model received"))
    parts.append(Verbatim(bounded(joined_text(data.get("content"))), "muted"))
    return tuple(parts)


def _difference_entries(entries: Sequence[CatalogEntry], before: Sequence[CatalogEntry]) -> list[Part]:
    from skills_core.catalog import catalog_difference

    difference = catalog_difference(before, entries)
    if not difference:
        return [Heading("Nothing differs from the catalog before it.")]
    now = {entry.name: entry.description for entry in entries}
    old = {entry.name: entry.description for entry in before}
    rows = [
        *(ListLine(MARKS.added, "success", name, now[name]) for name in difference.added),
        *(ListLine(MARKS.removed, "error", name, old[name]) for name in difference.removed),
        *(ListLine(MARKS.changed, "warning", name, f"was: {old[name]}") for name in difference.changed),
    ]
    parts: list[Part] = [Heading("Since the catalog before it"), *rows[:LIST_LIMIT]]
    if len(rows) > LIST_LIMIT:
        parts.append(Heading(f"… {len(rows) - LIST_LIMIT:,} more"))
    return parts


def readable_catalog(data: Mapping[str, Any] | None) -> tuple[CatalogEntry, ...] | None:
    return None if data is None else read_catalog_form(data)
