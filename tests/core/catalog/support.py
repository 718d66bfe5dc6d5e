"""A session with the two skill hooks before each step, over a real registry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from skills_core.access import OPEN_ACCESS, SkillAccess
from skills_core.agent.approval import ToolAnswer, ToolQuestion, TrustQuestion
from skills_core.agent.hooks import PreStepHook, Reject, StepContext
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import Tool, ToolContext, ToolOutcome
from skills_core.agent.tools.skill import SkillTool
from skills_core.catalog import CatalogPublisher
from skills_core.registry import Scope, SkillRegistry
from skills_core.session import Session
from skills_core.session.event import COMPACTION, USER_MESSAGE, PendingEvent, SessionEvent, source_kind, text_block
from skills_core.skill import InvocationPolicy, RuntimeSkill, SkillFacts

DEADLINE = 20.0
MODEL_ONLY = InvocationPolicy(user_invocable=False)
USER_ONLY = InvocationPolicy(model_invocable=False)


async def within(work: Awaitable[Any], what: str, seconds: float = DEADLINE) -> Any:
    """Awaits with a deadline that says what was waited for."""
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        raise AssertionError(f"waited {seconds} s for {what}") from None


def skill(name: str, description: str = "", content: str = "", **facts: Any) -> RuntimeSkill:
    return RuntimeSkill(
        name=name, description=description or f"About {name}.", content=content or f"{name} body.", **facts
    )


class Answers:
    """A person who answers each trust question with the same answer, and what was asked."""

    def __init__(self, answer: bool | None = None) -> None:
        self.answer = answer
        self.asked: list[TrustQuestion] = []

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
        raise AssertionError("no tool asks here")

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        self.asked.append(question)
        return self.answer


class Access:
    """Switches and trust by name."""

    def __init__(self, off: Sequence[str] = (), untrusted: Sequence[str] = ()) -> None:
        self.off = set(off)
        self.untrusted = set(untrusted)
        self.remembered: tuple[str, bool | None] | None = None

    def is_enabled(self, skill: SkillFacts) -> bool:
        return skill.name not in self.off

    def is_trusted(self, skill: SkillFacts) -> bool:
        return skill.name not in self.untrusted

    async def remember_trust(self, project_root: str, answer: bool | None) -> None:
        self.remembered = (project_root, answer)

    def subscribe(self, callback: Any) -> Any:
        return lambda: None


class ImpostorTool:
    """A tool that only has the name."""

    @property
    def schema(self) -> ToolSchema:
        return ToolSchema("skill", "Something else.", {"type": "object"})

    def title(self, arguments: Mapping[str, Any]) -> str:
        return "Something else"

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome(text="something else")


class Steps:
    """Runs steps as an agent does: the hooks in order, and what they agree on is appended."""

    def __init__(
        self,
        registry: SkillRegistry,
        *hooks: PreStepHook,
        access: SkillAccess = OPEN_ACCESS,
        tools: Sequence[Tool] | None = None,
        scope: Scope | None = None,
        session: Session | None = None,
        cwd: str = "/project",
    ) -> None:
        self.registry = registry
        self.session = session or Session.in_memory(cwd, "test")
        self.hooks = hooks or (CatalogPublisher(registry, access),)
        chosen = [SkillTool(registry, access)] if tools is None else tools
        self.tools = {tool.schema.name: tool for tool in chosen}
        self.scope = scope
        self.cwd = cwd

    async def decide(self, *claimed: PendingEvent) -> tuple[PendingEvent, ...] | Reject:
        context = StepContext(
            session=self.session, cwd=self.cwd, scope=self.scope, tools=self.tools, claimed=claimed, step=1
        )
        batch = claimed
        for hook in self.hooks:
            decision = await within(hook.before_step(context, batch), "a pre-step hook")
            if isinstance(decision, Reject):
                return decision
            batch = decision
        return batch

    async def step(self, *claimed: PendingEvent) -> tuple[PendingEvent, ...] | Reject:
        """One step; what was added to the claimed messages, or the rejection."""
        decision = await self.decide(*claimed)
        if isinstance(decision, Reject):
            return decision
        if decision:
            await self.session.append(*decision)
        return tuple(pending for pending in decision if all(pending is not each for each in claimed))

    @property
    def catalogs(self) -> list[SessionEvent]:
        return [event for event in self.session.events if source_kind(event.data) == "skill-catalog"]

    async def compact(self, first: int, last: int) -> None:
        """Hides the events from ``first`` to ``last`` behind a summary."""
        await self.session.append(
            PendingEvent(
                COMPACTION,
                {
                    "summary": "earlier",
                    "first": first,
                    "last": last,
                    "content": [text_block("A summary.")],
                    "tokens_before": None,
                },
            )
        )


def catalog_record(entries: Any, text: str = "prose", **source: Any) -> PendingEvent:
    """A message of kind skill-catalog with these entries, readable or not."""
    facts = {"kind": "skill-catalog", "form": "catalog", **source}
    if entries is not ...:
        facts["entries"] = entries
    return PendingEvent(USER_MESSAGE, {"content": [text_block(text)], "source": facts})


def text_of(pending: PendingEvent | SessionEvent) -> str:
    return pending.data["content"][0]["text"]


def kinds(batch: Sequence[PendingEvent]) -> list[str | None]:
    return [source_kind(pending.data) for pending in batch]


def entry_names(pending: PendingEvent | SessionEvent) -> list[str]:
    return [entry["name"] for entry in pending.data["source"]["entries"]]
