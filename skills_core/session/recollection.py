"""What can be taken from a part of a conversation without a model: requests, answers, files, the last state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    COMPACTION,
    SOURCE_USER,
    TOOL_RESULT,
    USER_MESSAGE,
    SessionEvent,
    source_kind,
)
from skills_core.session.plain import content_text, items, mapping, text
from skills_core.words import counted

_REQUEST_LENGTH = 400
_NEWEST_REQUEST_LENGTH = 4000
_ANSWER_LENGTH = 300
_STATE_LENGTH = 1500
_EARLIER_LENGTH = 6000
_REQUESTS = 30
_ANSWERS = 20
_FILES = 60

_CHANGING_TOOLS = frozenset({"write", "edit"})
_READING_TOOLS = frozenset({"read"})


@dataclass(slots=True)
class Recollection:
    """What was found. ``requests`` lacks ``left_out`` of them behind its first; ``answers`` are how turns ended.

    ``earlier`` is a summary that a model wrote before.
    """

    requests: list[str] = field(default_factory=list[str])
    left_out: int = 0
    answers: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    read: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])
    state: str = ""
    earlier: str = ""

    def as_data(self) -> dict[str, Any]:
        """Plain JSON, from which a later compaction goes on."""
        return {
            "requests": self.requests,
            "left_out": self.left_out,
            "answers": self.answers,
            "changed": self.changed,
            "read": self.read,
            "failed": self.failed,
            "state": self.state,
        }


def recollect(events: Sequence[SessionEvent]) -> Recollection:
    """Reads events in the model's order; an earlier compaction among them gives what it had recollected."""
    found = Recollection()
    said = ""
    calls: dict[str, Mapping[str, Any]] = {}
    for event in events:
        data = event.data
        if event.type == COMPACTION:
            _take_earlier(found, data)
        elif event.type == USER_MESSAGE and source_kind(data) == SOURCE_USER:
            _add_answer(found, said)
            said = ""
            found.requests.append(_cut(content_text(data.get("content")), _NEWEST_REQUEST_LENGTH))
        elif event.type == ASSISTANT_MESSAGE:
            said = content_text(data.get("content")).strip() or said
            for block in map(mapping, items(data.get("content"))):
                if block.get("type") == "tool_call":
                    calls[text(block.get("id"))] = block
        elif event.type == TOOL_RESULT:
            _take_result(found, calls.pop(text(data.get("id")), {}), data)
    _add_answer(found, said)
    found.state = _cut(said, _STATE_LENGTH) or found.state
    _bound(found)
    return found


def extractive_summary(events: Sequence[SessionEvent]) -> str:
    """A summary in the conversation's own words, of bounded length."""
    found = recollect(events)
    parts: list[str] = []
    if found.earlier:
        parts.append(f"Summary of what came before:\n{found.earlier}")
    if found.requests:
        gap = [f"({counted(found.left_out, 'request')} left out here)"] if found.left_out else []
        parts.append("What the user asked, in order:\n" + _bullets([found.requests[0], *gap, *found.requests[1:]]))
    if found.answers:
        parts.append("What was decided and answered:\n" + _bullets(found.answers))
    if found.changed:
        parts.append("Files written or edited:\n" + _bullets(found.changed))
    if found.read:
        parts.append("Files read:\n" + _bullets(found.read))
    if found.failed:
        parts.append("What failed or was refused:\n" + _bullets(found.failed))
    if found.state:
        parts.append(f"Last state, in the assistant's words:\n{found.state}")
    return "\n\n".join(parts) or "Nothing was said in this part."


def _take_earlier(found: Recollection, data: Mapping[str, Any]) -> None:
    facts = mapping(data.get("facts"))
    found.requests[:0] = _texts(facts.get("requests"))
    found.answers[:0] = _texts(facts.get("answers"))
    _add_all(found.changed, _texts(facts.get("changed")))
    _add_all(found.read, _texts(facts.get("read")))
    found.failed[:0] = _texts(facts.get("failed"))
    left_out = facts.get("left_out")
    found.left_out += left_out if type(left_out) is int else 0
    found.state = found.state or text(facts.get("state"))
    if text(data.get("model")) or not facts:
        found.earlier = _cut(text(data.get("summary")), _EARLIER_LENGTH)


def _take_result(found: Recollection, call: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    tool = text(data.get("name"))
    path = text(mapping(call.get("arguments")).get("path"))
    if data.get("is_error") is True:
        reason = _cut(content_text(data.get("content")), _ANSWER_LENGTH)
        found.failed.append(f"{tool} {path}".strip() + f": {reason}")
    elif path and tool in _CHANGING_TOOLS:
        _add_all(found.changed, [path])
    elif path and tool in _READING_TOOLS:
        _add_all(found.read, [path])


def _add_answer(found: Recollection, said: str) -> None:
    if said:
        found.answers.append(_cut(said, _ANSWER_LENGTH))


def _add_all(names: list[str], new: Sequence[str]) -> None:
    """Each once, where it was last met."""
    for name in new:
        if name in names:
            names.remove(name)
        names.append(name)


def _bound(found: Recollection) -> None:
    """The first request says what it was all about and stays; of everything else the newest do."""
    older = [_cut(request, _REQUEST_LENGTH) for request in found.requests[:-1]]
    if len(older) > _REQUESTS:
        found.left_out += len(older) - _REQUESTS
        older = [older[0], *older[-_REQUESTS + 1 :]]
    found.requests = older + found.requests[-1:]
    found.answers = found.answers[-_ANSWERS:]
    found.changed = found.changed[-_FILES:]
    found.read = [path for path in found.read if path not in set(found.changed)][-_FILES:]
    found.failed = found.failed[-_ANSWERS:]


def _cut(words: str, length: int) -> str:
    words = words.strip()
    return words if len(words) <= length else words[:length].rstrip() + " …"


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join("- " + line.replace("\n", "\n  ") for line in lines)


def _texts(value: object) -> list[str]:
    return [each for each in items(value) if isinstance(each, str)]
