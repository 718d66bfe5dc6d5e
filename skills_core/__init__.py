"""Live Agent Skills for any program: a registry of providers, a watched filesystem provider, the model's catalog,
a durable session log, and a step loop.

Everything public is here by name; each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.lazy import lazy_names

if TYPE_CHECKING:
    from skills_core.access import OPEN_ACCESS, AccessStore, SkillAccess
    from skills_core.agent import Agent, Approver, Model, PreStepHook, Tool, TurnOutcome, default_tools, open_model
    from skills_core.catalog import CatalogPublisher
    from skills_core.filesystem import FilesystemProvider, FilesystemSettings, filesystem_provider
    from skills_core.invocation import InvocationLoader
    from skills_core.problem import SkillProblem
    from skills_core.registry import (
        Lookup,
        ProviderControl,
        ProviderListing,
        Scope,
        SkillProvider,
        SkillRegistry,
        SkillSnapshot,
        settled_snapshot,
    )
    from skills_core.session import Session, SessionStore
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
    "Approver",
    "CatalogPublisher",
    "DirectoryBase",
    "FilesystemProvider",
    "FilesystemSettings",
    "InvocationLoader",
    "InvocationPolicy",
    "Lookup",
    "Model",
    "OpaqueBase",
    "PreStepHook",
    "ProviderControl",
    "ProviderListing",
    "RuntimeSkill",
    "Scope",
    "Session",
    "SessionStore",
    "SkillAccess",
    "SkillCandidate",
    "SkillDefinition",
    "SkillProblem",
    "SkillProvider",
    "SkillRegistry",
    "SkillSnapshot",
    "SkillSummary",
    "Tool",
    "TurnOutcome",
    "UrlBase",
    "default_tools",
    "filesystem_provider",
    "open_model",
    "settled_snapshot",
]

__getattr__ = lazy_names(
    __name__,
    globals(),
    {
        "access": "OPEN_ACCESS AccessStore SkillAccess",
        "agent": "Agent Approver Model PreStepHook Tool TurnOutcome default_tools open_model",
        "catalog": "CatalogPublisher",
        "filesystem": "FilesystemProvider FilesystemSettings filesystem_provider",
        "invocation": "InvocationLoader",
        "problem": "SkillProblem",
        "registry": "Lookup ProviderControl ProviderListing Scope SkillProvider SkillRegistry SkillSnapshot"
        " settled_snapshot",
        "session": "Session SessionStore",
        "skill": "DirectoryBase InvocationPolicy OpaqueBase RuntimeSkill SkillCandidate SkillDefinition SkillSummary"
        " UrlBase",
    },
)
