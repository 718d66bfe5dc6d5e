"""Takes secrets out of text that comes in pieces, also a secret that is spread over several of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TypeAlias

from skills_core.agent.model import TextDelta, ThinkingDelta, ToolCallDelta
from skills_core.agent.secret_text import HIDDEN, without_secrets

Delta: TypeAlias = TextDelta | ThinkingDelta | ToolCallDelta


class SecretFilter:
    """Gives each piece back as soon as it can be no part of a secret; what may be the beginning of one waits."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets
        self._held = ""

    def piece(self, text: str) -> str:
        """What may be told now that this piece came, maybe nothing."""
        if not self._secrets:
            return text
        text = without_secrets(self._held + text, self._secrets)
        told = min((_begins_at(text, secret) for secret in self._secrets), default=len(text))
        self._held = text[told:]
        return text[:told]

    def rest(self) -> str:
        """What waited, for a text that goes on no further; more than half of a secret is one too."""
        held, self._held = self._held, ""
        if any(len(held) * 2 > len(secret) and secret.startswith(held) for secret in self._secrets):
            return HIDDEN
        return held


class SecretFreeReply:
    """The pieces of one reply without secrets. Texts, thoughts and each tool call are pieced together by themselves."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets
        self._open: dict[Hashable, tuple[SecretFilter, Delta]] = {}

    def told(self, item: Delta) -> Iterator[Delta]:
        """What may be told now that this piece came."""
        if not self._secrets:
            yield item
            return
        channel: Hashable = item.index if isinstance(item, ToolCallDelta) else type(item)
        # A text that something else follows is at its end; the calls of a reply may come in turns.
        for ended in [each for each in self._open if each != channel and not isinstance(each, int)]:
            yield from self._ended(ended)
        filter_, _ = self._open.get(channel) or (SecretFilter(self._secrets), item)
        self._open[channel] = (filter_, item)
        if isinstance(item, ToolCallDelta):
            name = without_secrets(item.name, self._secrets) if item.name else item.name
            arguments = filter_.piece(item.arguments)
            if name or arguments or not item.arguments:
                yield replace(item, name=name, arguments=arguments)
        elif text := filter_.piece(item.text):
            yield replace(item, text=text)

    def rest(self) -> Iterator[Delta]:
        """What waited, when the reply has ended or does not go on."""
        for channel in tuple(self._open):
            yield from self._ended(channel)

    def _ended(self, channel: Hashable) -> Iterator[Delta]:
        filter_, last = self._open.pop(channel)
        rest = filter_.rest()
        if not rest:
            return
        if isinstance(last, ToolCallDelta):
            yield replace(last, name=None, arguments=rest)
        else:
            yield replace(last, text=rest)


def _begins_at(text: str, secret: str) -> int:
    """Where the end of a text begins that may become this secret; the length of the text when none does."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(text[at:]):
            return at
        at = text.find(secret[0], at + 1)
    return len(text)
