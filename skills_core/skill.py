"""What a skill is to the registry and its consumers: candidate, summary, definition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

NAME_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
NAME_MAX_LENGTH = 64
"""Names longer than this many code points are offered with a warning (limit of the Agent Skills format)."""

SKILL_TOOL = "skill"
"""The name of the tool by which a model loads a skill."""

RUNTIME_PROVIDER = "runtime"
RUNTIME_RANK = 250
BUNDLED_RANK = 600


def is_skill_name(text: object) -> bool:
    """Whether ``text`` fits the name grammar: groups of ``a-z0-9`` joined by single hyphens."""
    return isinstance(text, str) and NAME_PATTERN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class InvocationPolicy:
    """Who may invoke a skill: the model by its tool, the user by a slash gesture."""

    model_invocable: bool = True
    user_invocable: bool = True


@dataclass(frozen=True, slots=True)
class DirectoryBase:
    """Resources lie in a folder; ``path`` is absolute, in the spelling of the configured root."""

    path: str


@dataclass(frozen=True, slots=True)
class UrlBase:
    """Resources are fetched relative to a URL."""

    url: str


@dataclass(frozen=True, slots=True)
class OpaqueBase:
    """Resources are reached in a way that only the description tells."""

    description: str


ResourceBase: TypeAlias = DirectoryBase | UrlBase | OpaqueBase


def base_facts(base: ResourceBase | None) -> dict[str, str] | None:
    """The base as plain data: its ``kind``, and what is known of it."""
    match base:
        case DirectoryBase(path):
            return {"kind": "directory", "path": path}
        case UrlBase(url):
            return {"kind": "url", "url": url}
        case OpaqueBase(description):
            return {"kind": "opaque", "description": description}
        case None:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFacts:
    """What candidate, summary and definition have in common.

    ``rank`` decides duplicates within a layer (lower wins). ``label`` is the name as written when it differs from
    the offered one. ``path`` is the skill's file in the spelling of the configured root, ``real_path`` the same
    with links resolved. ``project_root`` is set when the skill was written by whoever wrote that project, so that
    the project's trust decides about it; None when the person put the skill there.
    """

    name: str
    description: str
    source: str
    provider: str
    rank: float
    invocation: InvocationPolicy = InvocationPolicy()
    when_to_use: str | None = None
    argument_hint: str | None = None
    label: str | None = None
    resource_base: ResourceBase | None = None
    path: str | None = None
    real_path: str | None = None
    project_root: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSummary(SkillFacts):
    """The winning candidate of a name, as consumers see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillCandidate(SkillFacts):
    """What a provider lists. ``locator`` is the provider's own handle, opaque to the registry."""

    locator: Any = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDefinition(SkillFacts):
    """A skill with its body, reread from its source for each load."""

    content: str
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSkill:
    """A skill that a program registers itself; rank 250."""

    name: str
    description: str
    content: str
    source: str = "runtime"
    provider: str = RUNTIME_PROVIDER
    invocation: InvocationPolicy = InvocationPolicy()
    when_to_use: str | None = None
    argument_hint: str | None = None
    resource_base: ResourceBase | None = None
    path: str | None = None
    metadata: Mapping[str, Any] | None = None
