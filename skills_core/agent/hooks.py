"""What runs before each model step and decides what is added to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from skills_core.registry.lookup import Scope
from skills_core.session.event import PendingEvent

if TYPE_CHECKING:
    from skills_core.agent.tool import Tool
    from skills_core.session.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class StepContext:
    """The step that is about to begin. ``claimed`` are the user's messages that this step takes up."""

    session: Session
    cwd: str
    scope: Scope | None
    tools: Mapping[str, Tool]
    claimed: tuple[PendingEvent, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Reject:
    """The step does not take place and nothing is recorded; ``message`` is one line for a person."""

    message: str
    hint: str = ""


Batch: TypeAlias = tuple[PendingEvent, ...]


class PreStepHook(Protocol):
    """Gets the batch that the hooks before it agreed on (it begins with ``claimed``) and returns the new one."""

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject: ...
