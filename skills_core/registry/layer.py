"""Layers: what is registered for everyone, and what is registered for one scope."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from skills_core.registry.errors import render_error
from skills_core.registry.provider import SkillProvider
from skills_core.skill import SkillCandidate, SkillDefinition, SkillSummary

log = logging.getLogger("skills_core.registry")


class RegistrationControl:
    """The control of one registration; it is this object's identity that counts, not the provider's name."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._live = False
        self._closed = False
        self._callbacks: list[Callable[[], None]] = []

    @property
    def closed(self) -> bool:
        return self._closed

    def activate(self) -> None:
        self._live = True

    def invalidate(self) -> None:
        """Does nothing before the registration is complete and after it has gone."""
        if self._live:
            self._changed()

    def on_close(self, callback: Callable[[], None]) -> None:
        if self._closed:
            callback()
        else:
            self._callbacks.append(callback)

    def close(self) -> None:
        if self._closed:
            return
        self._live = False
        self._closed = True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            try:
                callback()
            except Exception as error:
                log.warning("a close callback of a skill provider failed: %s", render_error(error))


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate with where it can be loaded: from its provider, or as the runtime skill itself."""

    summary: SkillSummary
    registered: RegisteredProvider | None
    candidate: SkillCandidate | None
    definition: SkillDefinition | None


@dataclass(slots=True, eq=False)
class RegisteredProvider:
    """A provider in a layer. ``known`` has the entries of its last listing by the identity of their candidate, so
    that the same object is validated and summarised once."""

    provider: SkillProvider
    name: str
    control: RegistrationControl
    known: dict[int, Entry] = field(default_factory=dict[int, Entry])


@dataclass(slots=True, eq=False)
class Layer:
    """Providers and runtime skills of the global layer or of one scope, in the order of their registration."""

    providers: dict[str, RegisteredProvider] = field(default_factory=dict[str, RegisteredProvider])
    runtime: dict[str, SkillDefinition] = field(default_factory=dict[str, SkillDefinition])

    @property
    def empty(self) -> bool:
        return not self.providers and not self.runtime
