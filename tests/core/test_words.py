"""Numbers in sentences."""

from __future__ import annotations

from skills_core.catalog.cost import CatalogCost, budget_warning
from skills_core.words import counted


def test_one_and_many():
    assert [counted(count, "skill") for count in (0, 1, 2, 1234)] == ["0 skills", "1 skill", "2 skills", "1,234 skills"]
    assert [counted(count, "reply", "replies") for count in (1, 2)] == ["1 reply", "2 replies"]


def test_a_catalog_of_one_skill_is_told_as_one():
    warning = budget_warning(CatalogCost(900, (("only", 900),), 10))
    assert warning is not None and "The one skill is still in it." in warning
