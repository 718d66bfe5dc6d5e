import hashlib

import pytest

from skills_core.access import OPEN_ACCESS
from skills_core.catalog import CatalogEntry, catalog_description, catalog_digest, catalog_entries
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillSummary
from tests.core.catalog.support import MODEL_ONLY, USER_ONLY, Access


def summary(name: str, description: str = "Does it.", **facts) -> SkillSummary:
    return SkillSummary(name=name, description=description, source="test", provider="memory", rank=1, **facts)


def snapshot(*skills: SkillSummary) -> SkillSnapshot:
    return SkillSnapshot(skills=skills)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("  one\n two\t\tthree ", "one two three"),
        ("a\u00a0b\u2003c\u2028d\x85e\x1cf", "a b c d e f"),
        ("zero\ufeffwidth", "zero\ufeffwidth"),
        ("x" * 500, "x" * 500),
        ("x" * 501, "x" * 497 + "..."),
        ("𝄞" * 501, "𝄞" * 497 + "..."),
        ("a " * 250, ("a " * 250).strip()),
    ],
)
def test_description_is_folded_then_cut_in_code_points(written: str, shown: str):
    assert catalog_description(written) == shown


def test_cut_counts_before_escaping():
    assert catalog_description("<&>" * 10, 30) == "<&>" * 10
    assert catalog_description("<&>" * 10 + "<", 30) == "<&>" * 9 + "..."


@pytest.mark.parametrize("limit", [2, 0, -1])
def test_limit_leaves_room_for_the_dots(limit: int):
    with pytest.raises(ValueError, match="greater than or equal to 3"):
        catalog_entries(snapshot(summary("a")), OPEN_ACCESS, limit)


def test_least_limit_is_dots_alone():
    assert catalog_description("four", 3) == "..."


def test_only_what_the_model_may_use_in_the_snapshots_order():
    skills = snapshot(
        summary("a-off"),
        summary("b-model", invocation=MODEL_ONLY),
        summary("c-user", invocation=USER_ONLY),
        summary("d-untrusted"),
        summary("e-plain"),
    )
    entries = catalog_entries(skills, Access(off=["a-off"], untrusted=["d-untrusted"]))
    assert [entry.name for entry in entries] == ["b-model", "e-plain"]


def test_digest_is_sha256_over_compact_json_lines():
    entries = (CatalogEntry("a", 'Say "hi" & <go>'), CatalogEntry("b", "日本 é"))
    expected = '["a","Say \\"hi\\" & <go>"]\n["b","日本 é"]'
    assert catalog_digest(entries) == hashlib.sha256(expected.encode()).hexdigest()
    assert catalog_digest(()) == hashlib.sha256(b"").hexdigest()


def test_digest_depends_on_order_names_and_descriptions_alone():
    one, two = CatalogEntry("a", "x"), CatalogEntry("b", "y")
    assert catalog_digest((one, two)) == catalog_digest([CatalogEntry("a", "x"), CatalogEntry("b", "y")])
    different = {
        catalog_digest(entries)
        for entries in ((one, two), (two, one), (one,), (one, CatalogEntry("b", "z")), (one, CatalogEntry("c", "y")))
    }
    assert len(different) == 5


def test_digest_does_not_fail_on_a_lone_surrogate():
    assert len(catalog_digest((CatalogEntry("a", "\ud800"),))) == 64
