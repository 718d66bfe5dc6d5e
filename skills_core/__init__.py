"""Live Agent Skills for any program: a registry of providers, a watched filesystem provider, the model's catalog,
a durable session log, and a step loop.

Everything public is here by name; each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.lazy import lazy_names

if TYPE_CHECKING:
    from skills_core.access import OPEN_ACCESS, AccessStore, AnswersError, SkillAccess
    from skills_core.agent import (
        Agent,
        AgentBusyError,
        AgentLimits,
        Approver,
        Batch,
        LiveItem,
        Model,
        ModelError,
        ModelReply,
        ModelRequest,
        PreStepHook,
        ProjectInstructions,
        Reject,
        RetryPolicy,
        StepContext,
        StreamItem,
        TextDelta,
        ThinkingDelta,
        Tool,
        ToolAnswer,
        ToolCallDelta,
        ToolContext,
        ToolOutcome,
        ToolQuestion,
        ToolSchema,
        TrustQuestion,
        TurnOutcome,
        Usage,
        default_hooks,
        default_tools,
        open_model,
    )
    from skills_core.catalog import CatalogPublisher
    from skills_core.filesystem import (
        FilesystemProvider,
        FilesystemSettings,
        FilesystemSettingsError,
        filesystem_provider,
    )
    from skills_core.invocation import InvocationLoader, ask_trust
    from skills_core.problem import SkillProblem
    from skills_core.registry import (
        IncompleteReason,
        Lookup,
        ProviderContractError,
        ProviderControl,
        ProviderListing,
        Registration,
        RegistrationError,
        RegistryClosedError,
        RevalidatingProvider,
        Scope,
        SkillProvider,
        SkillRegistry,
        SkillSnapshot,
        settled_snapshot,
    )
    from skills_core.session import PendingEvent, Session, SessionError, SessionEvent, SessionStore, user_message
    from skills_core.skill import (
        DirectoryBase,
        InvocationPolicy,
        OpaqueBase,
        RuntimeSkill,
        SkillCandidate,
        SkillDefinition,
        SkillSummary,
        UrlBase,
    )

__all__ = [
    "OPEN_ACCESS",
    "AccessStore",
    "Agent",
    "AgentBusyError",
    "AgentLimits",
    "AnswersError",
    "Approver",
    "Batch",
    "CatalogPublisher",
    "DirectoryBase",
    "FilesystemProvider",
    "FilesystemSettings",
    "FilesystemSettingsError",
    "IncompleteReason",
    "InvocationLoader",
    "InvocationPolicy",
    "LiveItem",
    "Lookup",
    "Model",
    "ModelError",
    "ModelReply",
    "ModelRequest",
    "OpaqueBase",
    "PendingEvent",
    "PreStepHook",
    "ProjectInstructions",
    "ProviderContractError",
    "ProviderControl",
    "ProviderListing",
    "Registration",
    "RegistrationError",
    "RegistryClosedError",
    "Reject",
    "RetryPolicy",
    "RevalidatingProvider",
    "RuntimeSkill",
    "Scope",
    "Session",
    "SessionError",
    "SessionEvent",
    "SessionStore",
    "SkillAccess",
    "SkillCandidate",
    "SkillDefinition",
    "SkillProblem",
    "SkillProvider",
    "SkillRegistry",
    "SkillSnapshot",
    "SkillSummary",
    "StepContext",
    "StreamItem",
    "TextDelta",
    "ThinkingDelta",
    "Tool",
    "ToolAnswer",
    "ToolCallDelta",
    "ToolContext",
    "ToolOutcome",
    "ToolQuestion",
    "ToolSchema",
    "TrustQuestion",
    "TurnOutcome",
    "UrlBase",
    "Usage",
    "ask_trust",
    "default_hooks",
    "default_tools",
    "filesystem_provider",
    "open_model",
    "settled_snapshot",
    "user_message",
]

__getattr__ = lazy_names(
    __name__,
    globals(),
    {
        "access": "OPEN_ACCESS AccessStore AnswersError SkillAccess",
        "agent": "Agent AgentBusyError AgentLimits Approver Batch LiveItem Model ModelError ModelReply"
        " ModelRequest PreStepHook ProjectInstructions Reject RetryPolicy StepContext StreamItem"
        " TextDelta ThinkingDelta Tool ToolAnswer ToolCallDelta ToolContext ToolOutcome ToolQuestion ToolSchema"
        " TrustQuestion TurnOutcome Usage default_hooks default_tools open_model",
        "catalog": "CatalogPublisher",
        "filesystem": "FilesystemProvider FilesystemSettings FilesystemSettingsError filesystem_provider",
        "invocation": "InvocationLoader ask_trust",
        "problem": "SkillProblem",
        "registry": "IncompleteReason Lookup ProviderContractError ProviderControl ProviderListing Registration"
        " RegistrationError RegistryClosedError RevalidatingProvider Scope SkillProvider SkillRegistry"
        " SkillSnapshot settled_snapshot",
        "session": "PendingEvent Session SessionError SessionEvent SessionStore user_message",
        "skill": "DirectoryBase InvocationPolicy OpaqueBase RuntimeSkill SkillCandidate SkillDefinition"
        " SkillSummary UrlBase",
    },
)
