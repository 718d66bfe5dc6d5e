"""When the question of trust is asked: once a start, when the first skill of an unanswered project is seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from app.controllers.skill_view import SkillView
from skills_core.agent.approval import Approver, TrustQuestion
from skills_core.skill import SkillSummary


class TrustAnswers(Protocol):
    """The part of the access store that is about trust."""

    def trust_of(self, project_root: str) -> bool | None: ...


class TrustAsking:
    """Asks in the background; nothing waits for the answer."""

    def __init__(
        self, answers: TrustAnswers, approver: Approver, remember: Callable[[str, bool], Awaitable[None]]
    ) -> None:
        self._answers = answers
        self._approver = approver
        self._remember = remember
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def see(self, view: SkillView) -> None:
        """Takes in the skills, and asks about each project that was not asked about before."""
        if view.snapshot is None:
            return
        for root, skills in view.snapshot.project_skills.items():
            if root not in self._asked and self._answers.trust_of(root) is None:
                self.ask(root, skills)

    def ask(self, root: str, skills: tuple[SkillSummary, ...]) -> None:
        """Asks about a project, also one that was answered before."""
        self._asked.add(root)
        task = asyncio.create_task(self._ask(root, skills), name="trust-question")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, root: str, skills: tuple[SkillSummary, ...]) -> None:
        answer = await self._approver.approve_trust(TrustQuestion(project_root=root, skills=skills))
        if answer is not None:
            await self._remember(root, answer)
