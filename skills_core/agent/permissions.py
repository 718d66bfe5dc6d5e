"""Which tools may run: those that the configuration allows, and those that the person does, once or for a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from skills_core.agent.approval import Approver, ToolAnswer, ToolQuestion
from skills_core.session.event import APPROVAL, PendingEvent
from skills_core.session.session import Session


class ToolPermissions:
    """Asks before a tool runs, and keeps each answer in the log. ``allowed`` tools run without a question.

    An answer for the session holds until the session ends, also when it is opened again, for calls within the project
    or for calls beyond it, as was asked. A fork asks anew: what the person allowed was said in another conversation.
    """

    def __init__(
        self,
        session: Session,
        approver: Approver,
        allowed: Collection[str],
        record: Callable[[PendingEvent], Awaitable[object]],
    ) -> None:
        self._approver = approver
        self._record = record
        self._allowed = frozenset(allowed)
        self._for_session: set[tuple[str, bool]] = set()
        inherited = session.header.parent_seq or 0
        for event in session.events:
            if event.type == APPROVAL and event.seq > inherited and event.data.get("answer") == "session":
                tool = event.data.get("tool")
                if isinstance(tool, str):
                    self._for_session.add((tool, event.data.get("outside") is True))

    def needs_answer(self, question: ToolQuestion) -> bool:
        return question.tool not in self._allowed and (question.tool, question.outside) not in self._for_session

    async def ask(self, question: ToolQuestion, call_id: str) -> ToolAnswer:
        """Asks the person. An answer that is none of the three counts as no."""
        answer: ToolAnswer = await self._approver.approve_tool(question)
        if answer not in ("once", "session"):
            answer = "no"
        data = {
            "tool": question.tool,
            "project_root": None,
            "question": question.summary,
            "answer": answer,
            "call_id": call_id,
            "outside": question.outside,
        }
        await self._record(PendingEvent(APPROVAL, data))
        if answer == "session":
            self._for_session.add((question.tool, question.outside))
        return answer
