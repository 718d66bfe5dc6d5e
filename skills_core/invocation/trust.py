"""Questions of trust: what has to be asked about projects, and what invoking a project's skill asks once a step."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from skills_core.access.answers import AnswersError
from skills_core.access.policy import SkillAccess
from skills_core.agent.approval import Approver, TrustQuestion
from skills_core.agent.hooks import Batch
from skills_core.agent.instruction_files import InstructionFiles, read_instructions
from skills_core.registry.lookup import Lookup
from skills_core.registry.settle import STEP_SETTLE_SECONDS, settled_snapshot
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillFacts

if TYPE_CHECKING:
    from skills_core.registry.registry import SkillRegistry


def trust_questions(snapshot: SkillSnapshot, instructions: InstructionFiles) -> dict[str, TrustQuestion]:
    """One question for each project that brings skills or instructions, by the project's root."""
    found = {root: TrustQuestion(project_root=root, skills=skills) for root, skills in snapshot.project_skills.items()}
    root = instructions.root
    if instructions.files or root in found:
        found[root] = replace(
            found.get(root, TrustQuestion(project_root=root)),
            instructions=tuple(instructions.files.values()),
            refused=tuple(unread for unread in instructions.unread.values() if unread.refused),
            real_root=instructions.real_root,
        )
    return found


async def ask_trust(
    registry: SkillRegistry,
    access: SkillAccess,
    approver: Approver,
    cwd: str,
    *,
    project_root: str | None = None,
    settle_timeout: float = STEP_SETTLE_SECONDS,
) -> None:
    """Asks about each project that brings something to this folder and was not asked about, and keeps the answers.

    For a program that asks before its first turn. ``settle_timeout`` (seconds) is how long a snapshot that is not
    complete is waited for. Raises AnswersError when an answer cannot be kept beyond this process.
    """
    snapshot = await settled_snapshot(registry, Lookup(cwd=cwd), settle_timeout)
    instructions = await asyncio.to_thread(read_instructions, cwd, project_root)
    for root, question in sorted(trust_questions(snapshot, instructions).items()):
        if access.trust_of(root) is None:
            answer = await approver.approve_trust(question)
            if answer is not None:
                await access.remember_trust(root, answer)


class StepTrust:
    """What the person said in one step, which ``claimed`` stands for. ``read`` looks at the project's instructions."""

    def __init__(
        self, claimed: Batch, access: SkillAccess, approver: Approver, read: Callable[[], InstructionFiles]
    ) -> None:
        self.claimed = claimed
        self._access = access
        self._approver = approver
        self._read = read
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
        instructions = await asyncio.to_thread(self._read)
        question = trust_questions(snapshot, instructions).get(root, TrustQuestion(project_root=root))
        answer = await self._approver.approve_trust(replace(question, invoking=invoking))
        if answer is not None:
            # An answer that cannot be kept holds for this process, and the store tells why it could not.
            with contextlib.suppress(AnswersError):
                await self._access.remember_trust(root, answer)
        return answer is True
