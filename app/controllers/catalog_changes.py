"""What ``skilldeck watch`` says: the catalog's changes from one complete snapshot to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.controllers.skill_report import digest_of, problem_objects, whole_description
from skills_core.access.policy import SkillAccess
from skills_core.problem import SkillProblem
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillSummary

Event = dict[str, Any]


@dataclass(slots=True)
class CatalogChanges:
    """Turns snapshots into events. ``incomplete`` is true after that was said, until it is over."""

    access: SkillAccess
    max_length: int
    incomplete: bool = False
    _facts: Mapping[str, tuple[object, ...]] | None = None
    _problems: tuple[SkillProblem, ...] | None = None

    def complete(self, snapshot: SkillSnapshot, time: str) -> list[Event]:
        """The events for a complete snapshot; ``time`` is RFC 3339."""
        events: list[Event] = []
        facts = {skill.name: self._facts_of(skill) for skill in snapshot.skills}
        before = self._facts
        if before is None or facts != before:
            known = before or {}
            events.append(
                {
                    "event": "catalog",
                    "time": time,
                    "digest": digest_of(snapshot, self.access, self.max_length),
                    "count": len(facts),
                    "added": [name for name in facts if name not in known],
                    "removed": [name for name in known if name not in facts],
                    "changed": [name for name in facts if name in known and facts[name] != known[name]],
                }
            )
        elif self.incomplete:
            events.append({"event": "complete"})
        self._facts, self.incomplete = facts, False
        return events + self._problem_events(snapshot)

    def still_incomplete(self, snapshot: SkillSnapshot) -> list[Event]:
        """The event for a catalog that has been incomplete for a while; said once."""
        if self.incomplete:
            return []
        self.incomplete = True
        return [{"event": "incomplete", "reason": snapshot.reason}]

    def _problem_events(self, snapshot: SkillSnapshot) -> list[Event]:
        if snapshot.problems == self._problems:
            return []
        self._problems = snapshot.problems
        return [{"event": "problems", "count": len(snapshot.problems), "problems": problem_objects(snapshot.problems)}]

    def _facts_of(self, skill: SkillSummary) -> tuple[object, ...]:
        return (
            whole_description(skill),
            skill.invocation,
            self.access.is_enabled(skill),
            self.access.is_trusted(skill),
            skill.path,
        )
