"""The question of trust that invoking a project's skill raises, asked once a step and remembered."""

from __future__ import annotations

import contextlib

from skills_core.access.answers import AnswersError
from skills_core.access.policy import SkillAccess
from skills_core.agent.approval import Approver, TrustQuestion
from skills_core.agent.hooks import Batch
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillFacts


class StepTrust:
    """What the person said in one step, which ``claimed`` stands for."""

    def __init__(self, claimed: Batch, access: SkillAccess, approver: Approver) -> None:
        self.claimed = claimed
        self._access = access
        self._approver = approver
        self._answers: dict[str, bool] = {}

    async def allows(self, skill: SkillFacts, snapshot: SkillSnapshot) -> bool:
        """Whether the skill may be loaded; asks about its project when it is not trusted and was not asked about."""
        if self._access.is_trusted(skill):
            return True
        root = skill.project_root
        if root is None:
            return False
        if root not in self._answers:
            self._answers[root] = await self._ask(root, skill.name, snapshot)
        return self._answers[root]

    async def _ask(self, root: str, invoking: str, snapshot: SkillSnapshot) -> bool:
        skills = snapshot.project_skills.get(root, ())
        answer = await self._approver.approve_trust(TrustQuestion(project_root=root, skills=skills, invoking=invoking))
        if answer is not None:
            # An answer that cannot be kept holds for this process, and the store tells why it could not.
            with contextlib.suppress(AnswersError):
                await self._access.remember_trust(root, answer)
        return answer is True
