"""What a request asks for, read from its messages alone, as any model would have to."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skills_core.agent.model import ModelRequest
from skills_core.catalog.entry import CatalogEntry
from skills_core.session.message import (
    AssistantMessage,
    ModelMessage,
    ToolResultMessage,
    UserMessage,
    message_text,
)

_FRAME = re.compile(r"<([a-z][a-z0-9_-]*)(?:\s[^>]*)?>")
_SUMMARY = "\n<conversation_summary>\n"
_LIST_START = re.compile(r"<system-reminder>\n[^\n<]*\n\n<available_skills>\n")
_LIST_END = "</available_skills>\n"
_ENTRY = re.compile(r"- `([^`]+)`: (.*)")
_CONTENT_START = re.compile(
    r'<skill_content name="([^"]*)">\n<skill_resources>\n(.*?)\n</skill_resources>\n\n<skill_instructions>\n', re.DOTALL
)
_CONTENT_END = "\n</skill_instructions>\n</skill_content>"


@dataclass(frozen=True, slots=True)
class LoadedSkill:
    """A skill's instructions as they stand in the conversation. ``resources`` is the line that says where they lie."""

    name: str
    resources: str
    body: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What is new since the model last spoke, and what it still needs from before.

    ``words`` are the user's own, empty when none are new; ``asked`` are the newest ones, also when they are older.
    ``catalog`` is None when no list of skills was ever given. ``previous`` is the list before it when ``catalog`` is
    itself new. ``invoked`` are the skills that the user loaded with these words; ``in_view`` those that stand in the
    conversation without a call, loaded by the user at any time or carried along by a summary of an older part.
    ``tried`` are the skills that were called since ``asked``.
    """

    words: str
    asked: str
    results: tuple[ToolResultMessage, ...]
    invoked: tuple[LoadedSkill, ...]
    in_view: dict[str, LoadedSkill]
    catalog: tuple[CatalogEntry, ...] | None
    previous: tuple[CatalogEntry, ...] | None
    tried: frozenset[str]


def read_turn(request: ModelRequest) -> Turn:
    """The turn that the request's last messages ask to answer."""
    messages = request.messages
    start = _after_last_reply(messages)
    catalog, catalog_place = _newest_catalog(messages)
    previous = None
    if catalog is not None and catalog_place >= start:
        previous, _ = _newest_catalog(messages[:catalog_place])
    last_words = _last_words(messages)
    new = messages[start:]
    return Turn(
        words="\n".join(text for message in new if (text := user_words(message))),
        asked="" if last_words is None else user_words(messages[last_words]),
        results=tuple(message for message in new if isinstance(message, ToolResultMessage)),
        invoked=tuple(_invoked(new)),
        in_view={skill.name: skill for skill in _in_view(messages)},
        catalog=catalog,
        previous=previous,
        tried=frozenset(_called(messages[last_words or 0 :])),
    )


def last_asked(request: ModelRequest) -> ModelRequest:
    """The request as it was when the user's newest words were first answered."""
    place = _last_words(request.messages)
    if place is None:
        return request
    end = next(
        (at for at in range(place, len(request.messages)) if isinstance(request.messages[at], AssistantMessage)),
        len(request.messages),
    )
    return ModelRequest(request.system, request.messages[:end], request.tools)


def user_words(message: ModelMessage) -> str:
    """The message's text when it is the user's own words; empty for what came in a frame and for a summary."""
    if not isinstance(message, UserMessage):
        return ""
    text = message_text(message).strip()
    frame = _FRAME.match(text)
    if frame is not None and text.endswith(f"</{frame[1]}>"):
        return ""
    return "" if any(_SUMMARY in block for block in _texts(message)) else text


def read_skill_content(text: str) -> LoadedSkill | None:
    """The skill in a ``<skill_content>`` block. The body may hold anything, so the block ends at its last end."""
    start = _CONTENT_START.match(text)
    if start is None or not text.endswith(_CONTENT_END):
        return None
    resources = html.unescape(start[2]).splitlines()
    return LoadedSkill(
        html.unescape(start[1]), resources[0] if resources else "", text[start.end() : -len(_CONTENT_END)]
    )


def read_available_skills(text: str) -> tuple[CatalogEntry, ...] | None:
    """The list of skills in a catalog message, or None when the text is not one."""
    start = _LIST_START.match(text)
    if start is None or _LIST_END not in text:
        return None
    listed = text[start.end() : text.rindex(_LIST_END)]
    matches = (_ENTRY.fullmatch(line) for line in listed.split("\n"))
    return tuple(CatalogEntry(match[1], html.unescape(match[2])) for match in matches if match is not None)


def _after_last_reply(messages: Sequence[ModelMessage]) -> int:
    for place in range(len(messages) - 1, -1, -1):
        if isinstance(messages[place], AssistantMessage):
            return place + 1
    return 0


def _newest_catalog(messages: Sequence[ModelMessage]) -> tuple[tuple[CatalogEntry, ...] | None, int]:
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, UserMessage):
            entries = read_available_skills(message_text(message))
            if entries is not None:
                return entries, place
    return None, -1


def _last_words(messages: Sequence[ModelMessage]) -> int | None:
    return next((place for place in range(len(messages) - 1, -1, -1) if user_words(messages[place])), None)


def _invoked(messages: Sequence[ModelMessage]) -> Iterator[LoadedSkill]:
    """The skills whose instructions are a message of their own, as those are that the user invoked."""
    for message in messages:
        if isinstance(message, UserMessage) and (skill := read_skill_content(message_text(message))) is not None:
            yield skill


def _in_view(messages: Sequence[ModelMessage]) -> Iterator[LoadedSkill]:
    """Also those that a summary of the older conversation carries along, each as a block of its own."""
    for message in messages:
        for text in _texts(message):
            if (skill := read_skill_content(text)) is not None:
                yield skill


def _texts(message: ModelMessage) -> list[str]:
    if not isinstance(message, UserMessage):
        return []
    return [str(block.get("text", "")) for block in message.content if block.get("type") == "text"]


def _called(messages: Sequence[ModelMessage]) -> list[str]:
    names: list[str] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            for block in message.content:
                arguments = block.get("arguments")
                if block.get("type") == "tool_call" and isinstance(arguments, dict):
                    names.append(str(arguments.get("name", "")))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return names
