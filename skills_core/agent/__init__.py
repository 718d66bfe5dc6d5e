"""The agent: a step loop over a session, with hooks, tools and models.

Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.lazy import lazy_names

if TYPE_CHECKING:
    from skills_core.agent.approval import Approver, ToolAnswer, ToolQuestion, TrustQuestion
    from skills_core.agent.default_hooks import default_hooks
    from skills_core.agent.hooks import Batch, PreStepHook, Reject, StepContext
    from skills_core.agent.instruction_files import InstructionFile, UnreadInstructions
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
    from skills_core.agent.models import open_model
    from skills_core.agent.outcome import AgentBusyError, CompactionOutcome, TurnOutcome
    from skills_core.agent.retry import RetryPolicy
    from skills_core.agent.tool import PreparedTool, Tool, ToolContext, ToolOutcome
    from skills_core.agent.tools.default import default_tools

__all__ = [
    "Agent",
    "AgentBusyError",
    "AgentLimits",
    "Approver",
    "Batch",
    "Compacting",
    "CompactionOutcome",
    "DuplicateToolError",
    "InstructionFile",
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
    "ToolAnswer",
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
    "UnreadInstructions",
    "Usage",
    "default_hooks",
    "default_tools",
    "open_model",
]

__getattr__ = lazy_names(
    __name__,
    globals(),
    {
        "approval": "Approver ToolAnswer ToolQuestion TrustQuestion",
        "default_hooks": "default_hooks",
        "hooks": "Batch PreStepHook Reject StepContext",
        "instruction_files": "InstructionFile UnreadInstructions",
        "instructions": "ProjectInstructions",
        "limits": "AgentLimits",
        "live": "Compacting LiveItem QueueChanged Retrying StepStarted ToolFinished ToolOutput ToolStarted",
        "loop": "Agent DuplicateToolError",
        "model": "Model ModelError ModelReply ModelRequest StreamItem TextDelta ThinkingDelta ToolCallDelta ToolSchema"
        " Usage",
        "models": "open_model",
        "outcome": "AgentBusyError CompactionOutcome TurnOutcome",
        "retry": "RetryPolicy",
        "tool": "PreparedTool Tool ToolContext ToolOutcome",
        "tools.default": "default_tools",
    },
)
