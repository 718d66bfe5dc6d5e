"""The step hook that keeps the model's catalog equal to the skills it can load."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from skills_core.access.policy import SkillAccess, model_may_use
from skills_core.catalog.cost import budget_warning, catalog_cost
from skills_core.catalog.entry import (
    DESCRIPTION_MAX_LENGTH,
    CatalogEntry,
    catalog_digest,
    catalog_entry,
    check_description_length,
)
from skills_core.catalog.history import CatalogHistory
from skills_core.catalog.message import catalog_message, proposed_catalogs
from skills_core.registry.lookup import Lookup
from skills_core.registry.settle import STEP_SETTLE_SECONDS, settled_snapshot
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.session.event import NOTICE, PendingEvent
from skills_core.skill import SKILL_TOOL, SkillSummary

if TYPE_CHECKING:
    from skills_core.agent.hooks import Batch, Reject, StepContext
    from skills_core.registry.registry import SkillRegistry

_EMPTY_SNAPSHOT = SkillSnapshot()


class CatalogView:
    """The entries of one snapshot and their digest, each made once."""

    __slots__ = ("_digest", "_skills", "entries", "snapshot")

    def __init__(self, snapshot: SkillSnapshot, skills: Sequence[SkillSummary], max_length: int) -> None:
        self.snapshot = snapshot
        self.entries = tuple(catalog_entry(skill, max_length) for skill in skills)
        self._skills = skills
        self._digest: str | None = None

    def shows(self, snapshot: SkillSnapshot, skills: Sequence[SkillSummary]) -> bool:
        """Whether this is the view of the same snapshot object with the same choice of its skills."""
        return snapshot is self.snapshot and skills == self._skills

    @property
    def digest(self) -> str:
        if self._digest is None:
            self._digest = catalog_digest(self.entries)
        return self._digest


class CatalogPublisher:
    """Adds, replaces or takes out one catalog message before a model step.

    The catalog belongs to an agent that has the ``skill`` tool of this registry: for any other it is as if there
    were no skills. An incomplete view changes nothing, so the model keeps the last-good catalog; one that is
    incomplete only because a file is being written is waited for, at most ``settle_timeout`` seconds a step.
    With ``budget_tokens``, a catalog that costs more is published with a warning for the person.

    ``description_max_length`` counts code points; fewer than 3 raise ValueError.
    """

    def __init__(
        self,
        registry: SkillRegistry,
        access: SkillAccess,
        *,
        description_max_length: int = DESCRIPTION_MAX_LENGTH,
        settle_timeout: float = STEP_SETTLE_SECONDS,
        budget_tokens: int | None = None,
    ) -> None:
        self._registry = registry
        self._access = access
        self._max_length = check_description_length(description_max_length)
        self._settle_timeout = settle_timeout
        self._budget = budget_tokens
        self._history = CatalogHistory()
        self._view = CatalogView(_EMPTY_SNAPSHOT, (), self._max_length)

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        snapshot = await self._snapshot(context)
        if not snapshot.complete:
            return batch
        view = self._view_of(snapshot)
        published = self._history.published(context.session)
        proposed = proposed_catalogs(batch)
        if view.digest == published.digest:
            return _without(batch, proposed)
        for index, entries in proposed.items():
            if catalog_digest(entries) == view.digest:
                return _without(batch, proposed.keys() - {index})
        if not published.ever and not view.entries:
            return _without(batch, proposed)
        message = catalog_message(view.entries, update=published.ever)
        added = (message, *self._warnings(view.entries, published.ever))
        if not proposed:
            return (*batch, *added)
        first, *stale = proposed
        kept = _without(batch, stale)
        return (*kept[:first], *added, *kept[first + 1 :])

    async def _snapshot(self, context: StepContext) -> SkillSnapshot:
        if not self._has_skill_tool(context):
            return _EMPTY_SNAPSHOT
        lookup = Lookup(cwd=context.cwd, scope=context.scope, fresh=True)
        return await settled_snapshot(self._registry, lookup, self._settle_timeout, only_in_flight=True)

    def _has_skill_tool(self, context: StepContext) -> bool:
        """A tool that is only called ``skill``, or that loads from elsewhere, cannot load what would be listed."""
        # At run time only: the agent package may itself be importing this one.
        from skills_core.agent.tools.skill import SkillTool

        tool = context.tools.get(SKILL_TOOL)
        return isinstance(tool, SkillTool) and tool.registry is self._registry

    def _view_of(self, snapshot: SkillSnapshot) -> CatalogView:
        # The choice is made anew each time, because switches and trust change without a new snapshot.
        access = self._access
        skills = [skill for skill in snapshot.skills if model_may_use(skill, access)]
        if not self._view.shows(snapshot, skills):
            self._view = CatalogView(snapshot, skills, self._max_length)
        return self._view

    def _warnings(self, entries: Sequence[CatalogEntry], update: bool) -> tuple[PendingEvent, ...]:
        if self._budget is None:
            return ()
        warning = budget_warning(catalog_cost(entries, self._budget, update=update))
        if warning is None:
            return ()
        return (PendingEvent(NOTICE, {"text": warning, "level": "warning"}),)


def _without(batch: Batch, places: Collection[int]) -> Batch:
    if not places:
        return batch
    return tuple(pending for index, pending in enumerate(batch) if index not in places)
