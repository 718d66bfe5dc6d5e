"""The protocol between the registry and the sources of skills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from skills_core.problem import SkillProblem
from skills_core.registry.lookup import Lookup
from skills_core.skill import SkillCandidate, SkillDefinition

IncompleteKind: TypeAlias = Literal["in-flight", "failed", "changing", "watching"]
"""Why an observation is incomplete.

``in-flight``: something is half written or has just gone, and waiting a moment settles it. ``failed``: a read or a
provider failed. ``changing``: the source kept changing while it was read. ``watching``: the watcher failed and the
fallback has not made its first full sweep.
"""


@dataclass(frozen=True, slots=True)
class IncompleteReason:
    """One cause of an incomplete snapshot, in words for a person."""

    provider: str
    kind: IncompleteKind
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderListing:
    """What a provider found: candidates in its own order, and whether that is all there is.

    An incomplete listing's candidates stay loadable, but the snapshot is incomplete. ``reasons`` says why.
    """

    candidates: Sequence[SkillCandidate] = ()
    complete: bool = True
    problems: Sequence[SkillProblem] = ()
    reasons: Sequence[IncompleteReason] = ()


class ProviderControl(Protocol):
    """A provider's handle on its own registration."""

    @property
    def closed(self) -> bool:
        """True once the registration has failed, has gone, or has been replaced."""
        ...

    def invalidate(self) -> None:
        """Says that the source changed. Does nothing when this registration is not live. Call it on the loop."""
        ...

    def on_close(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` once when the registration closes; at once when it already has."""
        ...


class SkillProvider(Protocol):
    """A source of skills."""

    @property
    def name(self) -> str: ...

    async def list(self, lookup: Lookup) -> ProviderListing | Sequence[SkillCandidate]:
        """Discovers; a bare sequence means a complete listing. Raising makes the snapshot incomplete."""
        ...

    async def get(self, candidate: SkillCandidate, lookup: Lookup) -> SkillDefinition | None:
        """Loads the current body of a candidate from an earlier ``list``; None when it is gone."""
        ...


@runtime_checkable
class RevalidatingProvider(Protocol):
    """A provider that can compare what it knows with its source now."""

    async def revalidate(self, lookup: Lookup) -> bool:
        """Returns True when something may have changed, so that what was cached must be listed again."""
        ...


ProviderFactory: TypeAlias = Callable[[ProviderControl], SkillProvider]
