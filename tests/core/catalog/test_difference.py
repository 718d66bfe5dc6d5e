from skills_core.catalog import CatalogDifference, CatalogEntry, catalog_difference


def entries(**descriptions: str) -> tuple[CatalogEntry, ...]:
    return tuple(CatalogEntry(name, description) for name, description in descriptions.items())


def test_added_removed_and_changed():
    difference = catalog_difference(entries(a="1", b="2", c="3"), entries(b="2", c="new", d="4"))
    assert difference == CatalogDifference(added=("d",), removed=("a",), changed=("c",))
    assert difference


def test_same_catalog_has_no_difference():
    assert not catalog_difference(entries(a="1"), entries(a="1"))


def test_first_and_last_catalog():
    assert catalog_difference((), entries(a="1")).added == ("a",)
    assert catalog_difference(entries(a="1"), ()).removed == ("a",)
