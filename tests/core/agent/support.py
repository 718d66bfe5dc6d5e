"""What the tests of the agent share: a scripted conversation over a real session file, and a person who answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from skills_core.agent.approval import ToolAnswer, ToolQuestion, TrustQuestion
from skills_core.agent.live import LiveItem
from skills_core.agent.loop import Agent
from skills_core.agent.model import ToolSchema
from skills_core.agent.models.scripted import ScriptedModel
from skills_core.agent.retry import RetryPolicy
from skills_core.agent.tool import Tool, ToolContext, ToolOutcome
from skills_core.session import Session, SessionStore
from skills_core.session.event import ASSISTANT_MESSAGE, TOOL_RESULT, TURN_END, TURN_START

DEADLINE = 20.0


async def within(work: Awaitable[Any], what: str, seconds: float = DEADLINE) -> Any:
    """Awaits with a deadline that says what was waited for."""
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        raise AssertionError(f"waited {seconds} s for {what}") from None


async def until(condition: Callable[[], bool], what: str, seconds: float = DEADLINE) -> None:
    """Waits until the condition holds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not condition():
        if loop.time() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        await asyncio.sleep(0.005)


class Person:
    """Answers questions in order, the last answer for all that follow, and keeps what was asked."""

    def __init__(self, *answers: ToolAnswer) -> None:
        self._answers = list(answers) or ["once"]
        self.questions: list[ToolQuestion] = []

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
        self.questions.append(question)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        return None


class ProbeTool:
    """A tool whose work is a function of the test."""

    def __init__(
        self,
        name: str,
        work: Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolOutcome]] | None = None,
        *,
        asks: bool = False,
        read_only: bool = False,
    ) -> None:
        self._name = name
        self._work = work
        self._asks = asks
        self.read_only = read_only
        self.calls: list[Mapping[str, Any]] = []

    @property
    def schema(self) -> ToolSchema:
        return ToolSchema(self._name, f"The {self._name} tool.", {"type": "object", "properties": {}})

    def title(self, arguments: Mapping[str, Any]) -> str:
        return f"Use {self._name}"

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        if not self._asks:
            return None
        return ToolQuestion(tool=self._name, summary=f"Use {self._name}?", detail="", arguments=arguments)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        self.calls.append(arguments)
        if self._work is not None:
            return await self._work(arguments, context)
        return ToolOutcome(text=f"{self._name} done")


class Pauses:
    """Stands for waiting: keeps how long each wait would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def write_script(folder: Path, replies: Iterable[Mapping[str, Any]], name: str = "script.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
    return path


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


class Bench:
    """A project folder, a stored session and an agent with a scripted model."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path = tmp_path
        self.cwd = tmp_path / "project"
        (self.cwd / ".git").mkdir(parents=True)
        self.store = SessionStore(tmp_path / "state", "0.0.0")
        self.pauses = Pauses()
        self.live: list[LiveItem] = []
        self.session: Session
        self.model: ScriptedModel

    async def agent(
        self,
        *replies: Mapping[str, Any],
        tools: Iterable[Tool] = (),
        person: Person | None = None,
        session: Session | None = None,
        **options: Any,
    ) -> Agent:
        self.session = session or await self.store.create(str(self.cwd))
        self.model = options.pop("model", None) or ScriptedModel(write_script(self.tmp_path, replies))
        options.setdefault("retry", RetryPolicy(sleep=self.pauses, fraction=lambda: 0.0))
        options.setdefault("system_prompt", "You are helpful.")
        agent = Agent(session=self.session, model=self.model, tools=tools, approver=person or Person(), **options)
        agent.subscribe(self.live.append)
        return agent

    def types(self) -> list[str]:
        return [event.type for event in self.session.events]

    def data(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data for event in self.session.events if event.type == kind]

    def results(self) -> list[str]:
        return ["".join(block["text"] for block in data["content"]) for data in self.data(TOOL_RESULT)]

    def live_of(self, kind: type) -> list[Any]:
        return [item for item in self.live if isinstance(item, kind)]


def assert_valid(session: Session) -> None:
    """Turns are closed in order, and each tool call has exactly one result before anything else follows."""
    turn: int | None = None
    owed: list[str] = []
    for event in session.events:
        if event.type == TURN_START:
            assert turn is None, f"turn {turn} was never ended"
            turn = event.data["turn"]
        elif event.type == TURN_END:
            assert event.data["turn"] == turn, "the end of another turn"
            assert not owed, f"calls without a result: {owed}"
            turn = None
        elif event.type == ASSISTANT_MESSAGE:
            assert not owed, f"calls without a result: {owed}"
            owed = [block["id"] for block in event.data["content"] if block["type"] == "tool_call"]
            assert len(set(owed)) == len(owed)
        elif event.type == TOOL_RESULT:
            assert event.data["id"] in owed, f"a result without its call: {event.data['id']}"
            owed.remove(event.data["id"])
        elif event.type == "user/message":
            assert not owed, "a message between a call and its result"
    assert turn is None, f"turn {turn} was never ended"
