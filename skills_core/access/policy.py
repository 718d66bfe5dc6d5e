"""The rule that joins a skill's own invocation policy, its switch and its project's trust."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from skills_core.skill import SkillFacts


class SkillAccess(Protocol):
    """What a person decided about skills, outside the skills' files."""

    def is_enabled(self, skill: SkillFacts) -> bool:
        """False when the person switched the skill off."""
        ...

    def is_trusted(self, skill: SkillFacts) -> bool:
        """False for a skill of a project that is refused or was not asked about yet."""
        ...

    async def remember_trust(self, project_root: str, answer: bool | None) -> None:
        """Keeps a person's answer about a project, or (None) forgets it, and tells the subscribers.

        Raises AnswersError when it cannot be kept beyond this process; it holds here all the same.
        """
        ...

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back after each change of an answer; returns the unsubscribe function."""
        ...


def model_may_use(skill: SkillFacts, access: SkillAccess) -> bool:
    """Whether the skill belongs in the model's catalog and may be loaded by the model's tool."""
    return skill.invocation.model_invocable and access.is_enabled(skill) and access.is_trusted(skill)


def user_may_use(skill: SkillFacts, access: SkillAccess) -> bool:
    """Whether a person may invoke the skill; an untrusted project's skill asks first, which is not decided here."""
    return skill.invocation.user_invocable and access.is_enabled(skill)


class _OpenAccess:
    """Everything is on and trusted: what a program gets that leaves this to its own rules."""

    def is_enabled(self, skill: SkillFacts) -> bool:
        return True

    def is_trusted(self, skill: SkillFacts) -> bool:
        return True

    async def remember_trust(self, project_root: str, answer: bool | None) -> None:
        return None

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


OPEN_ACCESS: SkillAccess = _OpenAccess()
