"""Which skills' instructions a part of a conversation holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from skills_core.session.event import (
    COMPACTION,
    SOURCE_SKILL_INVOCATION,
    TOOL_RESULT,
    USER_MESSAGE,
    SessionEvent,
    source_kind,
)
from skills_core.session.plain import content_text, items, mapping, text
from skills_core.skill import SKILL_TOOL


@dataclass(frozen=True, slots=True)
class SkillLoad:
    """The newest load of a skill. ``instructions`` is what the model was given, empty when only its name was kept.

    ``by_user``: invoked by the user; perhaps the model cannot load it at all.
    """

    name: str
    instructions: str
    by_user: bool


def loaded_skills(replaced: Sequence[SessionEvent], kept: Sequence[SessionEvent]) -> list[SkillLoad]:
    """The skills loaded in ``replaced`` that are not loaded again in ``kept``, each once, the newest load last."""
    newest: dict[str, SkillLoad] = {}
    for event in replaced:
        for skill in _loaded_by(event):
            # Last in the order of loading, and a skill that the user invoked once stays one of the user's.
            before = newest.pop(skill.name, skill)
            newest[skill.name] = SkillLoad(skill.name, skill.instructions, skill.by_user or before.by_user)
    for event in kept:
        for skill in _loaded_by(event):
            if skill.instructions:
                newest.pop(skill.name, None)
    return list(newest.values())


def share_out(
    skills: Sequence[SkillLoad], room: int, estimate: Callable[[str], int]
) -> tuple[list[SkillLoad], list[SkillLoad]]:
    """Divides skills into those whose instructions fit ``room`` tokens and those that do not, in the given order.

    The user's come first, then the newest.
    """
    carried: set[str] = set()
    newest_first = reversed(skills)
    for skill in sorted(newest_first, key=lambda each: not each.by_user):
        cost = estimate(skill.instructions)
        if skill.instructions and cost <= room:
            carried.add(skill.name)
            room -= cost
    return (
        [skill for skill in skills if skill.name in carried],
        [skill for skill in skills if skill.name not in carried],
    )


def _loaded_by(event: SessionEvent) -> list[SkillLoad]:
    data = event.data
    if event.type == USER_MESSAGE and source_kind(data) == SOURCE_SKILL_INVOCATION:
        name = text(mapping(data.get("source")).get("name"))
        return [SkillLoad(name, content_text(data.get("content")), True)] if name else []
    if event.type == TOOL_RESULT and data.get("name") == SKILL_TOOL and data.get("is_error") is not True:
        name = text(mapping(data.get("details")).get("name"))
        return [SkillLoad(name, content_text(data.get("content")), False)] if name else []
    if event.type == COMPACTION:
        blocks = items(data.get("content"))
        skills: list[SkillLoad] = []
        for entry in map(mapping, items(data.get("skills"))):
            at = entry.get("block")
            instructions = content_text(blocks[at : at + 1]) if type(at) is int and at > 0 else ""
            if name := text(entry.get("name")):
                skills.append(SkillLoad(name, instructions, entry.get("by_user") is True))
        return skills
    return []
