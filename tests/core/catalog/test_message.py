import pytest

from skills_core.catalog import CatalogEntry, catalog_message, read_catalog, render_catalog
from tests.core.catalog.support import catalog_record

ENTRIES = (CatalogEntry("a", "<raw> & unescaped"), CatalogEntry("b", ""))


def test_first_message_has_no_update_key():
    data = catalog_message(ENTRIES, update=False).data
    assert list(data["source"]) == ["kind", "form", "entries"]
    assert data["source"]["entries"] == [
        {"name": "a", "description": "<raw> & unescaped"},
        {"name": "b", "description": ""},
    ]
    assert data["content"] == [{"type": "text", "text": render_catalog(ENTRIES, False)}]


def test_replacement_says_update():
    source = catalog_message(ENTRIES, update=True).data["source"]
    assert list(source) == ["kind", "form", "update", "entries"] and source["update"] is True


@pytest.mark.parametrize("update", [False, True])
def test_what_was_written_is_read_back(update: bool):
    assert read_catalog(catalog_message(ENTRIES, update).data) == ENTRIES
    assert read_catalog(catalog_message((), update).data) == ()


@pytest.mark.parametrize(
    "entries",
    [
        ...,
        None,
        "text",
        {"name": "a", "description": "b"},
        [None],
        ["a"],
        [{"name": "a"}],
        [{"description": "b"}],
        [{"name": "", "description": "b"}],
        [{"name": 1, "description": "b"}],
        [{"name": "a", "description": None}],
        [{"name": "a", "description": "fine"}, {"name": "b"}],
    ],
)
def test_an_unreadable_record_is_no_catalog(entries):
    assert read_catalog(catalog_record(entries).data) is None


def test_reading_asks_for_no_more_than_names_and_descriptions():
    record = catalog_record([{"name": "Not A Name", "description": "x", "more": 1}], form="odd", update="yes")
    assert read_catalog(record.data) == (CatalogEntry("Not A Name", "x"),)


@pytest.mark.parametrize("source", [None, "skill-catalog", {}, {"kind": "user"}, {"kind": ["skill-catalog"]}])
def test_another_producers_message_is_no_catalog(source):
    if isinstance(source, dict):
        source = {**source, "entries": []}
    assert read_catalog({"content": [], "source": source}) is None
