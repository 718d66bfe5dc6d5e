"""The agent: a step loop over a session, with hooks, tools and models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skills_core.agent.approval import Answer, Approver, ToolQuestion, TrustQuestion
from skills_core.agent.hooks import Batch, PreStepHook, Reject, StepContext
from skills_core.agent.instructions import ProjectInstructions
from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import (
    Compacting,
    LiveItem,
    QueueChanged,
    Retrying,
    StepStarted,
    ToolFinished,
    ToolOutput,
    ToolStarted,
)
from skills_core.agent.loop import Agent, DuplicateToolError
from skills_core.agent.model import (
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolSchema,
    Usage,
)
from skills_core.agent.outcome import AgentBusyError, CompactionOutcome, TurnOutcome
from skills_core.agent.retry import RetryPolicy
from skills_core.agent.tool import PreparedTool, Tool, ToolContext, ToolOutcome

if TYPE_CHECKING:
    from skills_core.agent.models import open_model
    from skills_core.agent.tools.default import default_tools

__all__ = [
    "Agent",
    "AgentBusyError",
    "AgentLimits",
    "Answer",
    "Approver",
    "Batch",
    "Compacting",
    "CompactionOutcome",
    "DuplicateToolError",
    "LiveItem",
    "Model",
    "ModelError",
    "ModelReply",
    "ModelRequest",
    "PreStepHook",
    "PreparedTool",
    "ProjectInstructions",
    "QueueChanged",
    "Reject",
    "RetryPolicy",
    "Retrying",
    "StepContext",
    "StepStarted",
    "StreamItem",
    "TextDelta",
    "ThinkingDelta",
    "Tool",
    "ToolCallDelta",
    "ToolContext",
    "ToolFinished",
    "ToolOutcome",
    "ToolOutput",
    "ToolQuestion",
    "ToolSchema",
    "ToolStarted",
    "TrustQuestion",
    "TurnOutcome",
    "Usage",
    "default_tools",
    "open_model",
]


def __getattr__(name: str) -> Any:
    # The tools import the skill tool, and that the packages that themselves build on this one.
    if name == "default_tools":
        from skills_core.agent.tools.default import default_tools

        return default_tools
    if name == "open_model":
        from skills_core.agent.models import open_model

        return open_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
