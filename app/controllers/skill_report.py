"""The skills of a folder as the data that ``skilldeck skills``, ``check`` and ``watch`` print."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skills_core.access.policy import SkillAccess
from skills_core.catalog import catalog_digest, catalog_entries, catalog_entry, entry_tokens
from skills_core.problem import SkillProblem
from skills_core.registry.snapshot import ShadowedSkill, SkillSnapshot
from skills_core.skill import SkillFacts, base_facts


def skill_object(skill: SkillFacts, access: SkillAccess, max_length: int) -> dict[str, Any]:
    """One skill; ``tokens`` is what its line of the catalog costs, whoever may invoke it."""
    return {
        "name": skill.name,
        "label": skill.label,
        "description": whole_description(skill),
        "when_to_use": skill.when_to_use,
        "source": skill.source,
        "provider": skill.provider,
        "rank": skill.rank,
        "path": skill.path,
        "real_path": skill.real_path,
        "base": base_facts(skill.resource_base),
        "model_invocable": skill.invocation.model_invocable,
        "user_invocable": skill.invocation.user_invocable,
        "enabled": access.is_enabled(skill),
        "trusted": access.is_trusted(skill),
        "tokens": entry_tokens(catalog_entry(skill, max_length)),
    }


def whole_description(skill: SkillFacts) -> str:
    """The description on one line, without the cut that the catalog makes."""
    return " ".join(skill.description.split())


def shadowed_object(shadowed: ShadowedSkill) -> dict[str, Any]:
    return {
        "name": shadowed.skill.name,
        "path": shadowed.skill.path,
        "source": shadowed.skill.source,
        "rank": shadowed.skill.rank,
        "winner_path": shadowed.winner.path,
    }


def problem_object(problem: SkillProblem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "severity": problem.severity,
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
        "hint": problem.hint,
        "skill": problem.skill,
    }


def problem_objects(problems: Iterable[SkillProblem]) -> list[dict[str, Any]]:
    return [problem_object(problem) for problem in problems]


def digest_of(snapshot: SkillSnapshot, access: SkillAccess, max_length: int) -> str | None:
    """The digest of the model's catalog; None while the snapshot is incomplete."""
    return catalog_digest(catalog_entries(snapshot, access, max_length)) if snapshot.complete else None


def project_trust(snapshot: SkillSnapshot, access: SkillAccess) -> bool | None:
    """Whether the project's skills may reach the model; None when it has none."""
    answers = [access.is_trusted(skill) for skill in snapshot.skills if skill.project_root is not None]
    answers += [access.is_trusted(lost.skill) for lost in snapshot.shadowed if lost.skill.project_root is not None]
    return all(answers) if answers else None
