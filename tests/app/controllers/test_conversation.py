"""The conversation: which model's connections are open, and what it says when there is nothing to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.controllers.conversation import Conversation, ConversationPorts
from app.controllers.questions import QuestionDesk
from app.controllers.transcript import Transcript
from skills_core.agent.loop import Agent
from skills_core.agent.model import ModelReply, ModelRequest, StreamItem, Usage
from skills_core.session import Session
from tests.core.agent.support import Person, until, within


class Connected:
    """A model with connections, which answers when it is let."""

    context_window = None

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = 0
        self.asked = 0
        self.may_answer = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.asked += 1
        assert not self.closed, "a request on closed connections"
        await self.may_answer.wait()
        assert not self.closed, "closed under a request"
        yield ModelReply(({"type": "text", "text": self.name},), "end", Usage())

    async def aclose(self) -> None:
        self.closed += 1


@pytest.fixture
async def conversation(tmp_path: Path) -> AsyncIterator[Conversation]:
    def agent_for(session: Session, approver: object, model: Any) -> Agent:
        return Agent(session=session, model=model, tools=(), approver=Person(), system_prompt="Be brief.")

    runtime: Any = SimpleNamespace(agent_for=agent_for, cwd=str(tmp_path), project_root=str(tmp_path))
    ports = ConversationPorts(changed=lambda: None, ended=lambda outcome: None)
    made = Conversation(runtime, Transcript(), QuestionDesk(), ports)
    yield made
    await made.aclose()


def in_memory(tmp_path: Path) -> Session:
    return Session.in_memory(str(tmp_path), "1.0")


async def test_the_model_before_is_closed_when_another_is_chosen(conversation: Conversation, tmp_path: Path) -> None:
    first, second = Connected("first"), Connected("second")
    await conversation.use(in_memory(tmp_path), first)
    await conversation.set_model(second)
    assert (first.closed, second.closed) == (1, 0)


async def test_a_model_that_still_answers_is_closed_after_its_turn(conversation: Conversation, tmp_path: Path) -> None:
    first, second = Connected("first"), Connected("second")
    await conversation.use(in_memory(tmp_path), first)
    conversation.send("Hello")
    await until(lambda: first.asked == 1, "the request")
    await conversation.set_model(second)
    assert first.closed == 0
    first.may_answer.set()
    await until(lambda: first.closed == 1, "the first model to be closed")
    assert not conversation.busy
    second.may_answer.set()
    conversation.send("And now")
    await until(lambda: second.asked == 1 and not conversation.busy, "the second answer")
    assert second.closed == 0


async def test_another_session_closes_the_model_of_the_one_before(conversation: Conversation, tmp_path: Path) -> None:
    first, second = Connected("first"), Connected("second")
    await conversation.use(in_memory(tmp_path), first)
    conversation.send("Hello")
    await until(lambda: first.asked == 1, "the request")
    await within(conversation.use(in_memory(tmp_path), second), "the other session")
    assert (first.closed, second.closed) == (1, 0)
    await conversation.use(in_memory(tmp_path))
    assert second.closed == 0, "the model goes on with the next session"
    await conversation.aclose()
    assert (first.closed, second.closed) == (1, 1)


async def test_compacting_without_a_conversation_says_so(conversation: Conversation, tmp_path: Path) -> None:
    assert "no conversation yet" in await conversation.compact()
    await conversation.use(in_memory(tmp_path), Connected("first"))
    assert await conversation.compact() == "There is nothing older to compact."
