"""When the question of trust is asked: once a start, when the first skill or instruction file of an unanswered project
is seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from app.controllers.skill_view import SkillView
from skills_core.agent.approval import Approver, TrustQuestion
from skills_core.agent.instruction_files import InstructionFiles
from skills_core.invocation.trust import trust_questions
from skills_core.registry.snapshot import SkillSnapshot

LOOK_SECONDS = 2.0
"""How often instruction files are looked for, as long as the project was not asked about."""


class TrustAnswers(Protocol):
    """The part of the access store that is about trust."""

    def trust_of(self, project_root: str) -> bool | None: ...


class TrustAsking:
    """Asks in the background; nothing waits for the answer.

    ``read`` looks at the project's instruction files; it runs in a thread. A project is asked about in one question,
    with all that it brings at that moment.
    """

    def __init__(
        self,
        answers: TrustAnswers,
        approver: Approver,
        remember: Callable[[str, bool], Awaitable[None]],
        project_root: str,
        read: Callable[[], InstructionFiles],
        *,
        interval: float = LOOK_SECONDS,
    ) -> None:
        self._answers = answers
        self._approver = approver
        self._remember = remember
        self._project_root = project_root
        self._read = read
        self._interval = interval
        self._snapshot: SkillSnapshot | None = None
        self._stirred = asyncio.Event()
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unanswered: dict[str, asyncio.Task[None]] = {}

    def start(self) -> None:
        """Looks from now on. Call it on the loop."""
        self._keep(asyncio.create_task(self._watch(), name="trust-watch"))

    def see(self, view: SkillView) -> None:
        """Takes in the skills: each project that was not asked about before is asked about."""
        self._snapshot = view.snapshot
        self._stirred.set()

    async def ask_again(self) -> bool:
        """Asks about each project that brings something, also one that was answered; False when none does."""
        questions = await self._questions()
        for root, question in questions.items():
            self._put(root, question)
        return bool(questions)

    async def aclose(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            self._stirred.clear()
            self._withdraw_answered()
            # Before the first look at the skills, a question would not name them.
            if self._snapshot is not None and self._may_ask():
                for root, question in (await self._questions()).items():
                    if self._open(root):
                        self._unanswered[root] = self._put(root, question)
            # Skills are told of, instruction files have to be looked for.
            wait = self._interval if self._open(self._project_root) or self._unanswered else None
            try:
                await asyncio.wait_for(self._stirred.wait(), wait)
            except TimeoutError:
                continue

    def _may_ask(self) -> bool:
        skills = self._snapshot.project_skills if self._snapshot is not None else {}
        return any(self._open(root) for root in (self._project_root, *skills))

    def _open(self, root: str) -> bool:
        return root not in self._asked and self._answers.trust_of(root) is None

    async def _questions(self) -> dict[str, TrustQuestion]:
        instructions = await asyncio.to_thread(self._read)
        return trust_questions(self._snapshot or SkillSnapshot(), instructions)

    def _withdraw_answered(self) -> None:
        """Takes back what was asked of itself and was answered elsewhere meanwhile, as in another window."""
        for root, task in tuple(self._unanswered.items()):
            if task.done() or self._answers.trust_of(root) is not None:
                del self._unanswered[root]
                task.cancel()

    def _put(self, root: str, question: TrustQuestion) -> asyncio.Task[None]:
        self._asked.add(root)
        task = asyncio.create_task(self._ask(question), name="trust-question")
        self._keep(task)
        return task

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, question: TrustQuestion) -> None:
        answer = await self._approver.approve_trust(question)
        self._unanswered.pop(question.project_root, None)
        if answer is not None:
            await self._remember(question.project_root, answer)
