"""One discovery: every provider is listed, once more when something changed meanwhile, and the result is merged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from skills_core.problem import SkillProblem, problem_order
from skills_core.registry.errors import ProviderContractError, render_error
from skills_core.registry.layer import Entry, Layer, RegisteredProvider
from skills_core.registry.lookup import Lookup, Scope
from skills_core.registry.merge import merge, summarise
from skills_core.registry.provider import IncompleteReason, ProviderListing
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.registry.validate import check_candidate, check_listing
from skills_core.skill import SkillFacts

log = logging.getLogger("skills_core.registry")
ATTEMPTS = 2
T = TypeVar("T")


class Own(Protocol):
    """Starts a task that the registry ends when it closes."""

    def __call__(self, coroutine: Coroutine[Any, Any, T], /) -> asyncio.Task[T]: ...


@dataclass(frozen=True, slots=True)
class View:
    """A snapshot with the way to each winner's body."""

    snapshot: SkillSnapshot
    winners: dict[str, Entry]


@dataclass(frozen=True, slots=True)
class _Listed:
    registered: RegisteredProvider
    entries: tuple[Entry, ...]
    listing: ProviderListing


class Discovery:
    """Runs discoveries. ``timeout`` (seconds) bounds one provider's ``list``; None leaves it unbounded.

    ``yields`` tells which skills give way to any other of their name.
    """

    def __init__(
        self,
        *,
        strict: bool,
        timeout: float | None,
        own: Own,
        layers: Callable[[tuple[Scope, ...]], list[Layer]],
        revision: Callable[[], int],
        yields: Callable[[SkillFacts], bool] | None = None,
    ) -> None:
        self.timeout = timeout
        self._strict = strict
        self._own = own
        self._layers = layers
        self._revision = revision
        self._yields = yields

    async def run(self, chain: tuple[Scope, ...], lookup: Lookup) -> View:
        """Discovers until nothing was invalidated in between, at most twice; then the result is incomplete."""
        view: View | None = None
        for _ in range(ATTEMPTS):
            revision = self._revision()
            view = await self._attempt(chain, lookup, revision)
            if self._revision() == revision:
                return view
        assert view is not None
        changing = IncompleteReason("registry", "changing", "the skills kept changing while they were read")
        reasons = (*view.snapshot.reasons, changing)
        return View(replace(view.snapshot, complete=False, reasons=reasons), view.winners)

    async def _attempt(self, chain: tuple[Scope, ...], lookup: Lookup, revision: int) -> View:
        layers = self._layers(chain)
        providers = [registered for layer in layers for registered in layer.providers.values()]
        runtime = [[Entry(summarise(skill), None, None, skill) for skill in layer.runtime.values()] for layer in layers]
        order = [list(layer.providers.values()) for layer in layers]
        outcomes = await asyncio.gather(*(self._list(registered, lookup) for registered in providers))
        listed = {id(outcome.registered): outcome for outcome in outcomes}
        merged = merge(
            (
                [*local, *(entry for registered in registrations for entry in listed[id(registered)].entries)]
                for local, registrations in zip(runtime, order, strict=True)
            ),
            self._yields,
        )
        problems = sorted({p for outcome in outcomes for p in outcome.listing.problems}, key=problem_order)
        reasons = [reason for outcome in outcomes for reason in _reasons(outcome)]
        snapshot = SkillSnapshot(
            skills=merged.skills,
            complete=not reasons,
            revision=revision,
            problems=tuple(problems),
            shadowed=merged.shadowed,
            reasons=tuple(reasons),
        )
        return View(snapshot, merged.winners)

    async def _list(self, registered: RegisteredProvider, lookup: Lookup) -> _Listed:
        task = self._own(registered.provider.list(lookup))
        try:
            done, _ = await asyncio.wait({task}, timeout=self.timeout)
        finally:
            if not task.done():
                task.cancel()
        if not done:
            return _failed(registered, f"it did not answer within {self.timeout:g} s")
        if task.cancelled():
            return _failed(registered, "it was cancelled")
        error = task.exception()
        if error is not None:
            if not isinstance(error, Exception):
                raise error
            return _failed(registered, render_error(error))
        try:
            listing = check_listing(registered.name, task.result())
            return _Listed(registered, self._entries(registered, listing), listing)
        except ProviderContractError as breach:
            if self._strict:
                raise
            log.error("%s", breach)
            return _malformed(registered, breach)

    def _entries(self, registered: RegisteredProvider, listing: ProviderListing) -> tuple[Entry, ...]:
        known = registered.known
        entries: list[Entry] = []
        for item in listing.candidates:
            entry = known.get(id(item))
            if entry is None:
                candidate = check_candidate(registered.name, item)
                entry = Entry(summarise(candidate), registered, candidate, None)
            entries.append(entry)
        registered.known = {id(entry.candidate): entry for entry in entries}
        return tuple(entries)


def _reasons(outcome: _Listed) -> tuple[IncompleteReason, ...]:
    listing = outcome.listing
    if listing.complete:
        return ()
    if listing.reasons:
        return tuple(listing.reasons)
    return (IncompleteReason(outcome.registered.name, "failed", f"{outcome.registered.name} is incomplete"),)


def _failed(registered: RegisteredProvider, text: str) -> _Listed:
    log.warning('skill provider "%s" skipped: %s', registered.name, text)
    reason = IncompleteReason(registered.name, "failed", f"{registered.name}: {text}")
    return _Listed(registered, (), ProviderListing(complete=False, reasons=(reason,)))


def _malformed(registered: RegisteredProvider, breach: ProviderContractError) -> _Listed:
    reason = IncompleteReason(registered.name, "failed", str(breach))
    problem = SkillProblem(
        code="provider.malformed",
        severity="error",
        path=registered.name,
        message=str(breach),
        hint="This is a fault of the provider's program, not of a skill file: report it to its authors.",
    )
    return _Listed(registered, (), ProviderListing(complete=False, problems=(problem,), reasons=(reason,)))
