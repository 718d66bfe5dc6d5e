"""Which models can be chosen: what is configured, where a key is present, and what the servers offer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from app.controllers.inert import inert_line
from skills_core.agent.model import ModelError
from skills_core.agent.models.real.extras import install_command, missing_package
from skills_core.agent.models.real.providers import PROVIDERS, ProviderFacts

if TYPE_CHECKING:
    from skills_core.agent.model import Model

OFFERED_SECONDS = 5.0
"""How long a server may take to say what it offers."""

_ANY = "any"

ProviderReadiness: TypeAlias = Literal["ready", "no-key", "not-installed"]


@dataclass(frozen=True, slots=True)
class ProviderState:
    """One provider as it stands here. ``key`` names what holds its key, never the key; None when there is none."""

    prefix: str
    title: str
    readiness: ProviderReadiness
    key: str | None
    note: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be chosen, with a note for a person; ``ready`` says whether it can be used as things are."""

    name: str
    note: str = ""
    ready: bool = True


@dataclass(frozen=True, slots=True)
class Offer:
    """What one server says it offers, as full names; ``error`` is one line when it did not say, else empty."""

    prefix: str
    names: tuple[str, ...] = ()
    error: str = ""


def provider_states(
    own_keys: Mapping[str, str] = MappingProxyType({}), environment: Mapping[str, str] | None = None
) -> tuple[ProviderState, ...]:
    """Every provider. ``own_keys`` names, by prefix, the setting that holds a key of the person's own."""
    return tuple(_state(prefix, facts, own_keys.get(prefix), environment) for prefix, facts in PROVIDERS.items())


def model_choices(
    in_use: str, configured: str, used: Iterable[str], providers: Sequence[ProviderState]
) -> tuple[ModelChoice, ...]:
    """The models that are known without asking a server, the one in use first.

    ``used`` are those of the session so far. One that cannot be used as things are says why.
    """
    states = {state.prefix: state for state in providers}
    notes: dict[str, list[str]] = {in_use: ["in use"]}
    notes.setdefault(configured, []).append("configured")
    for name in used:
        words = notes.setdefault(name, [])
        if not words:
            words.append("used in this session")
    notes.setdefault("offline", []).append("no key, no network")
    choices: list[ModelChoice] = []
    for name, words in notes.items():
        state = states.get(name.partition(":")[0])
        ready = state is None or state.readiness == "ready"
        choices.append(ModelChoice(name, ", ".join(words if ready or state is None else (*words, state.note)), ready))
    return tuple(choices)


def providers_to_ask(providers: Iterable[ProviderState], names: Iterable[str], *, has_address: bool) -> tuple[str, ...]:
    """The prefixes whose servers are worth asking: those with a key, and those of ``names``.

    ``has_address`` says that the person set a server's address, whose models need no key.
    """
    named = {name.partition(":")[0] for name in names}
    asked: list[str] = []
    for state in providers:
        if state.readiness == "not-installed" or state.prefix == "openai-responses":
            continue
        if state.key is not None or state.prefix in named or (has_address and state.prefix == "openai"):
            asked.append(state.prefix)
    return tuple(asked)


async def ask_offered(
    prefixes: Iterable[str],
    open_model: Callable[[str], Awaitable[Model]],
    seconds: float = OFFERED_SECONDS,
    *,
    came: Callable[[Offer], object] | None = None,
) -> tuple[Offer, ...]:
    """What the servers say they offer, each within ``seconds``; all are asked at once. Never raises ModelError.

    ``came`` gets each answer as soon as it is there, so that a slow server holds up no other.
    """

    async def ask(prefix: str) -> Offer:
        offer = await _ask(prefix, open_model, seconds)
        if came is not None:
            came(offer)
        return offer

    return tuple(await asyncio.gather(*(ask(prefix) for prefix in prefixes)))


async def _ask(prefix: str, open_model: Callable[[str], Awaitable[Model]], seconds: float) -> Offer:
    title = PROVIDERS[prefix].title
    try:
        async with asyncio.timeout(seconds):
            model = await open_model(f"{prefix}:{_ANY}")
            try:
                names: tuple[str, ...] = await model.offered()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
            finally:
                await model.aclose()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    except TimeoutError:
        return Offer(prefix, error=f"{title} did not say within {seconds:g} seconds what it offers.")
    except ModelError as error:
        return Offer(prefix, error=inert_line(f"{title} does not say what it offers: {error.message}"))
    return Offer(prefix, tuple(f"{prefix}:{inert_line(name)}" for name in names))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def with_offers(choices: Sequence[ModelChoice], offers: Iterable[Offer]) -> tuple[ModelChoice, ...]:
    """The choices, then what the servers offer beside them; a name that is there already is marked as offered."""
    offered = {name: PROVIDERS[offer.prefix].title for offer in offers for name in offer.names}
    known = {choice.name for choice in choices}
    first = [
        ModelChoice(choice.name, ", ".join(filter(None, (choice.note, "offered"))), choice.ready)
        if choice.name in offered
        else choice
        for choice in choices
    ]
    return (*first, *(ModelChoice(name, f"offered by {title}") for name, title in offered.items() if name not in known))


def asking_words(asked: Iterable[str], offers: Sequence[Offer]) -> str:
    """What the servers refused to say, and which are still asked; empty when all said what they offer."""
    answered = {offer.prefix for offer in offers}
    waiting = ", ".join(prefix for prefix in asked if prefix not in answered)
    said = [offer.error for offer in offers if offer.error]
    return " ".join((*said, f"Asking {waiting} …") if waiting else said)


def readiness_words(providers: Iterable[ProviderState]) -> str:
    """Which providers can be used here, on one line."""
    parts: list[str] = []
    for readiness, words in (("ready", "ready"), ("no-key", "without a key"), ("not-installed", "not installed")):
        names = [
            f"{state.prefix} ({state.key})" if readiness == "ready" and state.key else state.prefix
            for state in providers
            if state.readiness == readiness
        ]
        if names:
            parts.append(f"{words}: {', '.join(names)}")
    return "; ".join(parts)


def _state(
    prefix: str, facts: ProviderFacts, own_key: str | None, environment: Mapping[str, str] | None
) -> ProviderState:
    if missing_package(facts) is not None:
        return ProviderState(prefix, facts.title, "not-installed", None, install_command(facts.extra))
    key = own_key or facts.key_variable(environment)
    if key is None and facts.needs_key:
        return ProviderState(prefix, facts.title, "no-key", None, f"{facts.keys[0]} is not set")
    return ProviderState(prefix, facts.title, "ready", key, f"key from {key}" if key else "needs no key")
