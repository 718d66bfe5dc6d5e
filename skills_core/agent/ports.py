"""What one turn needs of its agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from skills_core.agent.hooks import PreStepHook
from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import LiveItem
from skills_core.agent.log_state import LastContext
from skills_core.agent.model import Model, ModelReply
from skills_core.agent.outcome import CompactionOutcome
from skills_core.agent.retry import RetryPolicy
from skills_core.agent.tool import Tool
from skills_core.agent.tool_run import ToolRunner
from skills_core.registry.lookup import Scope
from skills_core.session.event import PendingEvent, SessionEvent
from skills_core.session.session import Session


class Recorder(Protocol):
    """Appends events in one write that a cancellation does not tear."""

    def __call__(self, *events: PendingEvent) -> Awaitable[tuple[SessionEvent, ...]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPorts:
    """``model`` is asked anew for each request, since it may be switched in between; ``claim`` empties the queue;
    ``compact`` gets how many tokens of the newest conversation stay."""

    session: Session
    cwd: str
    scope: Scope | None
    system_prompt: str
    tools: Mapping[str, Tool]
    hooks: tuple[PreStepHook, ...]
    runner: ToolRunner
    context: LastContext
    limits: AgentLimits
    retry: RetryPolicy
    max_steps: int
    model: Callable[[], Model]
    claim: Callable[[], tuple[PendingEvent, ...]]
    waiting: Callable[[], bool]
    normalise: Callable[[ModelReply], ModelReply]
    compact: Callable[[int], Awaitable[CompactionOutcome]]
    record: Recorder
    emit: Callable[[LiveItem], None]
