"""What the watch command says of complete and incomplete snapshots."""

from __future__ import annotations

from app.controllers.catalog_changes import CatalogChanges
from skills_core.access.policy import OPEN_ACCESS
from skills_core.registry.provider import IncompleteReason
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillSummary


def skill(name: str, description: str = "x", path: str = "/p") -> SkillSummary:
    return SkillSummary(name=name, description=description, source="custom", provider="f", rank=300, path=path)


def snapshot(*skills: SkillSummary) -> SkillSnapshot:
    return SkillSnapshot(skills=skills)


INCOMPLETE = SkillSnapshot(complete=False, reasons=(IncompleteReason("f", "failed", "the disk is sick"),))


def test_complete_again_without_a_difference() -> None:
    changes = CatalogChanges(OPEN_ACCESS, 500)
    changes.complete(snapshot(skill("a")), "t")
    assert changes.still_incomplete(INCOMPLETE) == [{"event": "incomplete", "reason": "the disk is sick"}]
    assert changes.still_incomplete(INCOMPLETE) == []
    assert changes.complete(snapshot(skill("a")), "t") == [{"event": "complete"}]
    assert changes.complete(snapshot(skill("a")), "t") == []


def test_complete_again_with_a_difference_is_a_catalog() -> None:
    changes = CatalogChanges(OPEN_ACCESS, 500)
    changes.complete(snapshot(skill("a")), "t")
    changes.still_incomplete(INCOMPLETE)
    (event,) = changes.complete(snapshot(skill("b")), "t")
    assert (event["event"], event["added"], event["removed"]) == ("catalog", ["b"], ["a"])


def test_incomplete_from_the_start() -> None:
    changes = CatalogChanges(OPEN_ACCESS, 500)
    assert changes.still_incomplete(INCOMPLETE)[0]["event"] == "incomplete"
    events = changes.complete(snapshot(), "t")
    assert [event["event"] for event in events] == ["catalog", "problems"]
    assert events[0]["count"] == 0


def test_a_winner_from_elsewhere_is_a_change() -> None:
    changes = CatalogChanges(OPEN_ACCESS, 500)
    changes.complete(snapshot(skill("a", path="/p")), "t")
    (event,) = changes.complete(snapshot(skill("a", path="/q")), "t")
    assert event["changed"] == ["a"]
