"""The shape that listings, candidates, definitions and runtime skills must have.

The types say it already; this holds for providers that were written without a type checker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from skills_core.registry.errors import ProviderContractError, RegistrationError
from skills_core.registry.provider import ProviderListing
from skills_core.skill import (
    DirectoryBase,
    InvocationPolicy,
    OpaqueBase,
    RuntimeSkill,
    SkillCandidate,
    SkillDefinition,
    SkillFacts,
    UrlBase,
    is_skill_name,
)

_OPTIONAL_TEXTS = ("when_to_use", "argument_hint", "label", "path", "real_path", "project_root")
_optional_texts = attrgetter(*_OPTIONAL_TEXTS)


def check_listing(provider: str, result: Any) -> ProviderListing:
    """The listing that a provider returned; a bare sequence is a complete one. Raises ProviderContractError."""
    if isinstance(result, ProviderListing):
        if isinstance(result.complete, bool) and _is_sequence(result.candidates):  # pyright: ignore[reportUnnecessaryIsInstance]
            return result
    elif _is_sequence(result):
        return ProviderListing(candidates=result)
    raise ProviderContractError(
        f'skill provider "{provider}" list() must return a sequence of candidates or a ProviderListing'
    )


def check_candidate(provider: str, candidate: Any) -> SkillCandidate:
    """The candidate, when each field has its type and the provider is its own. Raises ProviderContractError."""
    if not isinstance(candidate, SkillCandidate):
        raise ProviderContractError(
            f'skill provider "{provider}" returned a candidate that is not a SkillCandidate: {type(candidate).__name__}'
        )
    fault = _fault(candidate)
    if fault is None and candidate.provider != provider:
        fault = f'skill "{candidate.name}" for provider "{candidate.provider}"'
    if fault is not None:
        raise ProviderContractError(f'skill provider "{provider}" returned {fault}')
    return candidate


def check_definition(provider: str, definition: Any) -> SkillDefinition:
    """The loaded definition, when each field has its type. Raises ProviderContractError."""
    if not isinstance(definition, SkillDefinition):
        raise ProviderContractError(
            f'skill provider "{provider}" loaded something that is not a SkillDefinition: {type(definition).__name__}'
        )
    fault = _fault(definition)
    if fault is None and not isinstance(definition.content, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        fault = f'skill "{definition.name}" with a non-string content'
    if fault is not None:
        raise ProviderContractError(f'skill provider "{provider}" loaded {fault}')
    return definition


def check_runtime_skill(skill: RuntimeSkill) -> None:
    """Raises RegistrationError when name, description or invocation cannot be registered."""
    if not is_skill_name(skill.name):
        raise RegistrationError(f'invalid skill name "{skill.name}"')
    if not isinstance(skill.description, str) or not skill.description.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise RegistrationError(f'skill "{skill.name}" requires a description')
    fault = _invocation_fault(skill.invocation)
    if fault is not None:
        raise RegistrationError(f'runtime skill "{skill.name}" {fault}')


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _fault(facts: SkillFacts) -> str | None:
    name: Any = facts.name
    if not isinstance(name, str):
        return "a non-string skill name"
    if not is_skill_name(name):
        return f'invalid skill name "{name}"'
    said = f'skill "{name}"'
    description: Any = facts.description
    if not isinstance(description, str):
        return f"{said} with a non-string description"
    if not description.strip():
        return f"{said} without a description"
    invocation = _invocation_fault(facts.invocation)
    if invocation is not None:
        return f"{said} {invocation}"
    if not isinstance(facts.source, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return f"{said} with a non-string source"
    if not isinstance(facts.provider, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return f"{said} with a non-string provider"
    for field, value in zip(_OPTIONAL_TEXTS, _optional_texts(facts), strict=True):
        if value is not None and not isinstance(value, str):
            return f"{said} with a non-string {field}"
    rank: Any = facts.rank
    if isinstance(rank, bool) or not isinstance(rank, (int, float)) or not math.isfinite(rank):
        return f"{said} with an invalid rank"
    base: Any = facts.resource_base
    if base is not None and not isinstance(base, (DirectoryBase, UrlBase, OpaqueBase)):
        return f"{said} with an invalid resource_base"
    return None


def _invocation_fault(policy: Any) -> str | None:
    if not isinstance(policy, InvocationPolicy):
        return "with an invocation that is not an InvocationPolicy"
    if not isinstance(policy.model_invocable, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        return "with a non-boolean invocation.model_invocable"
    if not isinstance(policy.user_invocable, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        return "with a non-boolean invocation.user_invocable"
    return None
