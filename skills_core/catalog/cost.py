"""What the catalog costs the model's context, and the warning when that is more than a person allowed.

Nothing is dropped to fit a budget: each skill stays in the catalog, and the person is told which cost most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skills_core.catalog.entry import CatalogEntry
from skills_core.catalog.rendering import render_catalog, render_entry
from skills_core.tokens import estimate_tokens

_COSTLIEST_SHOWN = 3


def entry_tokens(entry: CatalogEntry) -> int:
    """The estimate for one line of the catalog, with its line end."""
    return estimate_tokens(render_entry(entry) + "\n")


@dataclass(frozen=True, slots=True)
class CatalogCost:
    """Estimated tokens: of the whole message, and of each entry by name. ``budget`` is the person's limit."""

    total: int
    by_name: tuple[tuple[str, int], ...]
    budget: int | None = None

    @property
    def over_budget(self) -> bool:
        return self.budget is not None and self.total > self.budget

    @property
    def costliest(self) -> tuple[tuple[str, int], ...]:
        """The entries that cost most, dearest first; among equals by name."""
        return tuple(sorted(self.by_name, key=lambda item: (-item[1], item[0]))[:_COSTLIEST_SHOWN])


def catalog_cost(entries: Sequence[CatalogEntry], budget: int | None = None, *, update: bool = True) -> CatalogCost:
    """The cost of publishing these entries; without entries there is nothing to publish and it is 0."""
    if not entries:
        return CatalogCost(0, (), budget)
    total = estimate_tokens(render_catalog(entries, update))
    return CatalogCost(total, tuple((entry.name, entry_tokens(entry)) for entry in entries), budget)


def budget_warning(cost: CatalogCost) -> str | None:
    """One line for a person when the catalog is over its budget, else None."""
    if not cost.over_budget:
        return None
    dearest = ", ".join(f"{name} (about {tokens})" for name, tokens in cost.costliest)
    still = "The one skill is" if len(cost.by_name) == 1 else f"All {len(cost.by_name):,} skills are"
    return (
        f"The skill catalog takes about {cost.total:,} tokens of each request, more than the budget of"
        f" {cost.budget:,}. {still} still in it. The longest entries: {dearest}."
        " Shorten their descriptions or switch skills off."
    )
