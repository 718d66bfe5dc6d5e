"""The registry: joins what the providers list into one view for each lookup, and loads bodies through them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from skills_core.registry.discovery import Discovery, View
from skills_core.registry.errors import RegistrationError, RegistryClosedError, render_error
from skills_core.registry.layer import Layer, RegisteredProvider, RegistrationControl
from skills_core.registry.lookup import GLOBAL, Lookup, Scope
from skills_core.registry.notify import ChangeNotifier
from skills_core.registry.own_tasks import OwnTasks
from skills_core.registry.provider import IncompleteReason, ProviderControl, RevalidatingProvider, SkillProvider
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.registry.validate import check_definition, check_runtime_skill
from skills_core.registry.views import ANY_TIME, ViewKey, Views
from skills_core.skill import (
    RUNTIME_PROVIDER,
    RUNTIME_RANK,
    RuntimeSkill,
    SkillDefinition,
    is_skill_name,
)

if TYPE_CHECKING:
    from skills_core.access.policy import SkillAccess

log = logging.getLogger("skills_core.registry")
T = TypeVar("T")
P = TypeVar("P", covariant=True)
Provider = TypeVar("Provider", bound=SkillProvider)


class Registration(Generic[P]):
    """The handle of one registration; closing it twice does nothing more.

    ``provider`` is what the factory made, and None for a runtime skill.
    """

    def __init__(self, undo: Callable[[], None], provider: P) -> None:
        self._undo: Callable[[], None] | None = undo
        self.provider = provider

    def close(self) -> None:
        """Unregisters, closes the provider's control, and notifies."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()


class SkillRegistry:
    """Merges providers and runtime skills of the global layer and of scopes.

    ``strict`` raises ProviderContractError out of a lookup when a provider returns something malformed; otherwise
    that provider counts as failed, with a problem. ``cache_size`` bounds the complete views that are kept.
    ``provider_timeout`` (seconds) is how long one provider may take before it counts as failed for this lookup.
    With ``access``, a skill that is not trusted gives way to any other of its name, whatever their ranks: a stranger's
    project must not take the person's own skill away. Each change of an answer leads to a new view.
    All methods must be called on one event loop's thread.
    """

    def __init__(
        self,
        *,
        strict: bool = True,
        cache_size: int = 128,
        provider_timeout: float | None = None,
        access: SkillAccess | None = None,
    ) -> None:
        if isinstance(cache_size, bool) or not isinstance(cache_size, int) or cache_size < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError("cache_size must be an integer greater than or equal to 1")
        self._layers: dict[Scope | None, Layer] = {None: Layer()}
        self._notifier = ChangeNotifier()
        self._revision = 0
        self._tasks = OwnTasks()
        self._discovery = Discovery(
            strict=strict,
            timeout=provider_timeout,
            own=self._tasks.start,
            layers=self._layers_of,
            revision=lambda: self._revision,
            yields=None if access is None else lambda skill: not access.is_trusted(skill),
        )
        self._views = Views(self._discovery, self._tasks.start, lambda: self._revision, cache_size)
        self._unsubscribe = None if access is None else access.subscribe(self._changed)
        self._closed = False

    @property
    def revision(self) -> int:
        return self._revision

    def subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Calls ``callback`` (a function or coroutine function) after each change; returns the unsubscribe function.

        There is no payload: a subscriber refetches for its own lookup.
        """
        return self._notifier.subscribe(callback)

    def register_provider(
        self, factory: Callable[[ProviderControl], Provider], scope: Scope | None = None
    ) -> Registration[Provider]:
        """Makes a provider and files it into the global layer or the scope's.

        Raises RegistrationError for a name that is taken in this layer or reserved, and whatever the factory raises;
        the control is closed then and nothing is registered.
        """
        control = RegistrationControl(self._changed)
        try:
            provider = factory(control)
            name = provider.name
            if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise RegistrationError("a skill provider needs a name")
            if name == RUNTIME_PROVIDER:
                raise RegistrationError(f'"{RUNTIME_PROVIDER}" is reserved for runtime skill registrations')
            layer = self._layers.get(scope)
            if layer is not None and name in layer.providers:
                where = "" if scope is None else " in this scope"
                raise RegistrationError(f'a skill provider named "{name}" is already registered{where}')
        except BaseException:
            control.close()
            raise
        registered = RegisteredProvider(provider, name, control)
        self._layer(scope).providers[name] = registered
        control.activate()
        self._changed()

        def undo() -> None:
            if self._closed:
                return
            self._layers[scope].providers.pop(name)
            control.close()
            self._reclaim(scope)
            self._changed()

        return Registration(undo, provider)

    def register(self, skill: RuntimeSkill, scope: Scope | None = None) -> Registration[None]:
        """Registers a runtime skill, rank 250.

        A second one of the same name in the layer is ignored with a warning, and its handle does nothing. Raises
        RegistrationError for an invalid name, description or invocation.
        """
        check_runtime_skill(skill)
        layer = self._layers.get(scope)
        if layer is not None and skill.name in layer.runtime:
            log.warning('runtime skill "%s" ignored because it is already registered', skill.name)
            return Registration(lambda: None, None)
        self._layer(scope).runtime[skill.name] = _definition(skill)
        self._changed()

        def undo() -> None:
            if self._closed:
                return
            self._layers[scope].runtime.pop(skill.name)
            self._reclaim(scope)
            self._changed()

        return Registration(undo, None)

    async def snapshot(self, lookup: Lookup = GLOBAL) -> SkillSnapshot:
        """The skills for this lookup. Raises ProviderContractError when strict, and RegistryClosedError.

        Cancelling the caller returns promptly and leaves a discovery that others await alone.
        """
        return (await self._view(lookup)).snapshot

    async def get(self, name: str, lookup: Lookup = GLOBAL) -> SkillDefinition | None:
        """Loads the current body of the skill of this name; None when there is none, or it has gone.

        A definition that now has another name is refused, and the provider is invalidated. What the provider
        raises is raised here; ProviderContractError when what it loaded is malformed.
        """
        if not is_skill_name(name):
            return None
        entry = (await self._view(lookup)).winners.get(name)
        if entry is None:
            return None
        if entry.registered is None or entry.candidate is None:
            return entry.definition
        registered = entry.registered
        loaded = await self._call(registered.provider.get(entry.candidate, lookup))
        if loaded is None:
            return None
        definition = check_definition(registered.name, loaded)
        if definition.name != name:
            registered.control.invalidate()
            return None
        return definition

    async def aclose(self) -> None:
        """Unregisters everything and ends the discoveries; lookups that wait raise RegistryClosedError."""
        if self._closed:
            return
        self._closed = True
        if self._unsubscribe is not None:
            self._unsubscribe()
        for layer in self._layers.values():
            for registered in layer.providers.values():
                registered.control.close()
        self._layers = {None: Layer()}
        self._views.close()
        await self._notifier.aclose()
        await self._tasks.aclose()

    async def _view(self, lookup: Lookup) -> View:
        if self._closed:
            raise RegistryClosedError
        key: ViewKey = (lookup.cwd, () if lookup.scope is None else lookup.scope.chain())
        since = self._views.moment() if lookup.fresh else ANY_TIME
        failures = await self._revalidate(lookup, key[1]) if lookup.fresh else ()
        view = await self._views.get(key, lookup, since)
        if failures:
            snapshot = replace(view.snapshot, complete=False, reasons=(*view.snapshot.reasons, *failures))
            return View(snapshot, view.winners)
        return view

    async def _revalidate(self, lookup: Lookup, chain: tuple[Scope, ...]) -> tuple[IncompleteReason, ...]:
        providers = [
            registered
            for layer in self._layers_of(chain)
            for registered in layer.providers.values()
            if isinstance(registered.provider, RevalidatingProvider)
        ]
        results = await asyncio.gather(*(self._revalidate_one(registered, lookup) for registered in providers))
        if any(result is True for result in results):
            self._changed()
        return tuple(result for result in results if isinstance(result, IncompleteReason))

    async def _revalidate_one(self, registered: RegisteredProvider, lookup: Lookup) -> bool | IncompleteReason:
        assert isinstance(registered.provider, RevalidatingProvider)
        task = self._tasks.start(registered.provider.revalidate(lookup))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._discovery.timeout)
        finally:
            if not task.done():
                task.cancel()
        if not done:
            text = "it did not compare itself with its source in time"
        elif task.cancelled():
            text = "it was cancelled"
        elif (error := task.exception()) is not None:
            text = render_error(error)
        else:
            return task.result() and not registered.control.closed
        log.warning('skill provider "%s" could not revalidate: %s', registered.name, text)
        return IncompleteReason(registered.name, "failed", f"{registered.name}: {text}")

    async def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Awaits a provider in a task of its own, so that one that ignores cancellation cannot hold the caller."""
        task = self._tasks.start(coroutine)
        try:
            await asyncio.wait({task})
        finally:
            if not task.done():
                task.cancel()
        if self._closed and task.cancelled():
            raise RegistryClosedError
        return task.result()

    def _changed(self) -> None:
        if self._closed:
            return
        self._revision += 1
        self._views.outdated()
        self._notifier.notify()

    def _layer(self, scope: Scope | None) -> Layer:
        return self._layers.setdefault(scope, Layer())

    def _reclaim(self, scope: Scope | None) -> None:
        if scope is not None and self._layers[scope].empty:
            del self._layers[scope]

    def _layers_of(self, chain: tuple[Scope, ...]) -> list[Layer]:
        scopes: tuple[Scope | None, ...] = (None, *chain)
        return [self._layers[scope] for scope in scopes if scope in self._layers]


def _definition(skill: RuntimeSkill) -> SkillDefinition:
    return SkillDefinition(
        name=skill.name,
        description=skill.description,
        source=skill.source,
        provider=skill.provider,
        rank=RUNTIME_RANK,
        invocation=skill.invocation,
        when_to_use=skill.when_to_use,
        argument_hint=skill.argument_hint,
        resource_base=skill.resource_base,
        path=skill.path,
        content=skill.content,
        metadata=skill.metadata,
    )
