"""What the registry answers: an immutable view of the skills at one revision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skills_core.problem import SkillProblem
from skills_core.registry.provider import IncompleteReason
from skills_core.skill import SkillSummary


@dataclass(frozen=True, slots=True)
class ShadowedSkill:
    """A candidate that lost its name to another."""

    skill: SkillSummary
    winner: SkillSummary


@dataclass(frozen=True, kw_only=True)
class SkillSnapshot:
    """Summaries sorted by name in code point order.

    ``complete`` is true only when every provider finished its discovery and nothing was invalidated in between.
    ``revision`` grows with every change that the registry heard of. ``reasons`` is empty when complete.
    """

    skills: tuple[SkillSummary, ...] = ()
    complete: bool = True
    revision: int = 0
    problems: tuple[SkillProblem, ...] = ()
    shadowed: tuple[ShadowedSkill, ...] = ()
    reasons: tuple[IncompleteReason, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, SkillSummary]:
        return {skill.name: skill for skill in self.skills}

    @cached_property
    def project_skills(self) -> dict[str, tuple[SkillSummary, ...]]:
        """The skills that projects brought, by project root: also those that gave their name to another skill.

        Each name once, in the order of names.
        """
        found: dict[str, dict[str, SkillSummary]] = {}
        for skill in (*self.skills, *(lost.skill for lost in self.shadowed)):
            if skill.project_root is not None:
                found.setdefault(skill.project_root, {}).setdefault(skill.name, skill)
        return {root: tuple(skills[name] for name in sorted(skills)) for root, skills in found.items()}

    @property
    def reason(self) -> str:
        """Why it is incomplete, as one line; empty when complete."""
        return "; ".join(dict.fromkeys(reason.message for reason in self.reasons))
