"""What changed from one catalog to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skills_core.catalog.entry import CatalogEntry


@dataclass(frozen=True, slots=True)
class CatalogDifference:
    """Names in the order of the catalog that holds them. A renamed skill is one removed and one added."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def catalog_difference(before: Sequence[CatalogEntry], after: Sequence[CatalogEntry]) -> CatalogDifference:
    """Compares by name; an entry is changed when its description is another."""
    old = {entry.name: entry.description for entry in before}
    new = {entry.name: entry.description for entry in after}
    return CatalogDifference(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        changed=tuple(name for name, description in new.items() if old.get(name, description) != description),
    )
