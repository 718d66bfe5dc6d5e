"""The model's catalog: entries, digest, texts, what was published, and the step hook that publishes."""

from skills_core.catalog.cost import CatalogCost, budget_warning, catalog_cost, entry_tokens
from skills_core.catalog.difference import CatalogDifference, catalog_difference
from skills_core.catalog.entry import (
    CatalogEntry,
    catalog_description,
    catalog_digest,
    catalog_entries,
    catalog_entry,
)
from skills_core.catalog.history import CatalogHistory, PublishedCatalog, visible_catalog
from skills_core.catalog.message import catalog_message, read_catalog
from skills_core.catalog.publisher import CatalogPublisher
from skills_core.catalog.rendering import render_catalog
from skills_core.tokens import estimate_tokens

__all__ = [
    "CatalogCost",
    "CatalogDifference",
    "CatalogEntry",
    "CatalogHistory",
    "CatalogPublisher",
    "PublishedCatalog",
    "budget_warning",
    "catalog_cost",
    "catalog_description",
    "catalog_difference",
    "catalog_digest",
    "catalog_entries",
    "catalog_entry",
    "catalog_message",
    "entry_tokens",
    "estimate_tokens",
    "read_catalog",
    "render_catalog",
    "visible_catalog",
]
