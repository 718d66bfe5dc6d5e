"""Scopes and layers, registrations, snapshots and ``skills/change``."""

from skills_core.registry.errors import ProviderContractError, RegistrationError, RegistryClosedError
from skills_core.registry.lookup import Lookup, Scope, ScopeCycleError
from skills_core.registry.provider import (
    IncompleteReason,
    ProviderControl,
    ProviderFactory,
    ProviderListing,
    RevalidatingProvider,
    SkillProvider,
)
from skills_core.registry.registry import Registration, SkillRegistry
from skills_core.registry.settle import settled_snapshot
from skills_core.registry.snapshot import ShadowedSkill, SkillSnapshot

__all__ = [
    "IncompleteReason",
    "Lookup",
    "ProviderContractError",
    "ProviderControl",
    "ProviderFactory",
    "ProviderListing",
    "Registration",
    "RegistrationError",
    "RegistryClosedError",
    "RevalidatingProvider",
    "Scope",
    "ScopeCycleError",
    "ShadowedSkill",
    "SkillProvider",
    "SkillRegistry",
    "SkillSnapshot",
    "settled_snapshot",
]
