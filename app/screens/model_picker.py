"""The list of `/model`: what is known at once, and what the servers offer as soon as they say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.controllers.model_choices import (
    ModelChoice,
    Offer,
    ask_offered,
    asking_words,
    model_choices,
    provider_states,
    providers_to_ask,
    with_offers,
)
from app.models import is_own_provider, own_keys
from app.screens.picker import PickerScreen, PickItem
from skills_core.session.event import MODEL_CHANGE, REQUEST_CONTEXT, SessionEvent

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen

_FREE = "Enter uses the name as written, PROVIDER:NAME"


def open_model_picker(screen: ChatScreen, chosen: Callable[[str | None], None]) -> None:
    """Shows the models that can be chosen; asks the servers meanwhile, and says in the frame what they refused."""
    session = screen.session
    runtime = session.runtime
    if runtime is None:
        return
    settings = runtime.settings
    states = provider_states(own_keys(settings))
    conversation = session.conversation
    events = conversation.session.events if conversation is not None and conversation.session is not None else ()
    choices = model_choices(session.model_name, settings.model, _used(events), states)
    own_address = settings.base_url is not None and is_own_provider(settings, "openai:any")
    asked = providers_to_ask(states, [choice.name for choice in choices], has_address=own_address)
    picker = PickerScreen(
        "Choose a model",
        _items(choices),
        current=session.model_name,
        free=asking_words(asked, ()) or _FREE,
    )
    offers: list[Offer] = []

    def came(offer: Offer) -> None:
        """Later answers stand behind earlier ones, so that nothing moves that is looked at."""
        offers.append(offer)
        picker.replace_items(_items(with_offers(choices, offers)), asking_words(asked, offers) or _FREE)

    async def ask() -> None:
        await ask_offered(asked, runtime.open_model, came=came)

    screen.skilldeck.push_screen(picker, chosen)
    if asked:
        picker.call_after_refresh(lambda: picker.run_worker(ask(), group="offers"))


def _items(choices: Sequence[ModelChoice]) -> list[PickItem]:
    return [PickItem(choice.name, choice.name, choice.note) for choice in choices]


def _used(events: Sequence[SessionEvent]) -> list[str]:
    """The models of the session so far, newest first."""
    named = (event.data.get("model") for event in reversed(events) if event.type in (MODEL_CHANGE, REQUEST_CONTEXT))
    return list(dict.fromkeys(name for name in named if isinstance(name, str) and name))
