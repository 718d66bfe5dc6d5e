"""The rule that joins a skill's own invocation policy, its switch and its project's trust."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from skills_core.skill import SkillFacts


class SkillAccess(Protocol):
    """What a person decided about skills and projects, outside their files."""

    def is_enabled(self, skill: SkillFacts) -> bool:
        """False when the person switched the skill off."""
        ...

    def is_trusted(self, skill: SkillFacts) -> bool:
        """False for a skill of a project that is refused or was not asked about yet."""
        ...

    def trust_of(self, project_root: str) -> bool | None:
        """Whether what a project brings may reach the model; None when the person was not asked about it yet.

        The path may be spelled in any way, so projects are to be told apart by their real paths.
        """
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
    """Everything is on and every project is trusted: for a program that decides by rules of its own."""

    def is_enabled(self, skill: SkillFacts) -> bool:
        return True

    def is_trusted(self, skill: SkillFacts) -> bool:
        return True

    def trust_of(self, project_root: str) -> bool | None:
        return True

    async def remember_trust(self, project_root: str, answer: bool | None) -> None:
        return None

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


OPEN_ACCESS: SkillAccess = _OpenAccess()
