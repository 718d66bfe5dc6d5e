"""A provider whose every answer the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from skills_core.registry import Lookup, ProviderControl, ProviderListing, SkillRegistry
from skills_core.skill import SkillCandidate, SkillDefinition


def candidate(name: str, *, provider: str = "memory", rank: float = 100, description: str = "", **facts: Any):
    return SkillCandidate(
        name=name,
        description=description or f"About {name}.",
        source=facts.pop("source", "test"),
        provider=provider,
        rank=rank,
        **facts,
    )


def definition(of: SkillCandidate, content: str | None = None, **changes: Any) -> SkillDefinition:
    facts = {field: getattr(of, field) for field in SkillCandidate.__dataclass_fields__ if field != "locator"}
    return SkillDefinition(**{**facts, **changes}, content=f"{of.name} body." if content is None else content)


class MemoryProvider:
    """Lists ``candidates``; ``gate`` holds a listing back, ``error`` makes it fail."""

    def __init__(self, control: ProviderControl | None = None, name: str = "memory", *names: str) -> None:
        self.name = name
        self.control = control
        self.candidates: Sequence[SkillCandidate] = [candidate(skill, provider=name) for skill in names]
        self.complete = True
        self.error: BaseException | None = None
        self.listed = 0
        self.lookups: list[Lookup] = []
        self.got: list[SkillCandidate] = []
        self.gate: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.while_listing: Callable[[], None] | None = None
        self.load: Callable[[SkillCandidate], Any] = definition

    async def list(self, lookup: Lookup) -> Any:
        self.listed += 1
        self.lookups.append(lookup)
        found = self.candidates
        if self.while_listing is not None:
            self.while_listing()
        self.entered.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return ProviderListing(candidates=tuple(found), complete=self.complete)

    async def get(self, candidate: SkillCandidate, lookup: Lookup) -> Any:
        self.got.append(candidate)
        self.lookups.append(lookup)
        loaded = self.load(candidate)
        if asyncio.iscoroutine(loaded):
            return await loaded
        return loaded


def add(registry: SkillRegistry, name: str = "memory", *names: str, scope: Any = None) -> MemoryProvider:
    """Registers a MemoryProvider; its handle is ``provider.registration``."""
    registration = registry.register_provider(lambda control: MemoryProvider(control, name, *names), scope)
    provider = registration.provider
    assert isinstance(provider, MemoryProvider)
    provider.registration = registration  # type: ignore[attr-defined]
    return provider


async def names(registry: SkillRegistry, lookup: Lookup | None = None) -> list[str]:
    return [skill.name for skill in (await registry.snapshot(lookup or Lookup())).skills]


def renamed(of: SkillCandidate, name: str) -> SkillCandidate:
    return replace(of, name=name)
