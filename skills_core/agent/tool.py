"""The protocol between the step loop and a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.model import ToolSchema
from skills_core.registry.lookup import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """For whom a tool runs. ``report`` shows output as it comes; it is not stored."""

    cwd: str
    scope: Scope | None
    call_id: str
    report: Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What the model gets, and facts for the log (``details`` is plain JSON)."""

    text: str
    is_error: bool = False
    details: Mapping[str, Any] | None = None


def failed(message: str) -> ToolOutcome:
    """An error result: one sentence that begins with ``Error:``."""
    end = "" if message.endswith((".", "?", "!", ")")) else "."
    return ToolOutcome(text=f"Error: {message}{end}", is_error=True)


class Tool(Protocol):
    """What a model can call.

    A tool that has an attribute ``read_only`` that is True changes nothing, so that several of its calls in one reply
    may run at the same time. One that has an attribute ``whole_result`` that is True bounds its results itself, and
    they are never cut. ``title`` runs on the loop; ``question`` runs in a thread and may look at the disk.
    """

    @property
    def schema(self) -> ToolSchema: ...

    def title(self, arguments: Mapping[str, Any]) -> str:
        """One line for a person that says what this call does."""
        ...

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        """What must be asked before this call may run; None when nothing must."""
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Runs; a failure is an outcome with ``is_error``. Cancelling it stops all that it started."""
        ...


@runtime_checkable
class PreparedTool(Protocol):
    """A tool whose ``question`` depends on something that has to be awaited."""

    async def prepare(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Runs before ``question``."""
        ...
