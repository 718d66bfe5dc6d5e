from skills_core.catalog import (
    CatalogEntry,
    budget_warning,
    catalog_cost,
    entry_tokens,
    estimate_tokens,
    render_catalog,
)

ENTRIES = tuple(CatalogEntry(f"skill-{number}", "word " * number) for number in range(1, 21))


def test_estimate_is_a_quarter_of_the_bytes_rounded_up():
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde", "日本", "\ud800")] == [0, 1, 1, 2, 2, 1]


def test_an_entry_costs_its_escaped_line():
    plain, escaped = CatalogEntry("a", "xxx"), CatalogEntry("a", "<<<")
    assert entry_tokens(plain) == estimate_tokens("- `a`: xxx\n")
    assert entry_tokens(escaped) == estimate_tokens("- `a`: &lt;&lt;&lt;\n") > entry_tokens(plain)


def test_total_is_the_whole_message():
    cost = catalog_cost(ENTRIES)
    assert cost.total == estimate_tokens(render_catalog(ENTRIES, True))
    assert dict(cost.by_name) == {entry.name: entry_tokens(entry) for entry in ENTRIES}
    assert [name for name, _ in cost.costliest] == ["skill-20", "skill-19", "skill-18"]


def test_nothing_to_publish_costs_nothing():
    assert catalog_cost(()).total == 0


def test_warning_only_above_the_budget_and_names_the_dearest():
    total = catalog_cost(ENTRIES).total
    assert budget_warning(catalog_cost(ENTRIES)) is None
    assert budget_warning(catalog_cost(ENTRIES, total)) is None
    warning = budget_warning(catalog_cost(ENTRIES, total - 1))
    assert warning is not None
    assert "skill-20" in warning and f"{total:,}" in warning and "All 20 skills are still in it" in warning
