"""What a session is called in a list."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from skills_core.session.event import SOURCE_USER, TITLE, USER_MESSAGE, SessionEvent, source_kind
from skills_core.session.plain import content_text, text

TITLE_LENGTH = 60
"""In code points."""

_KEPT_FORMAT_CHARACTERS = frozenset("\u200c\u200d")


def title_of(events: Iterable[SessionEvent]) -> str:
    """The newest title that was given, else the first words of the user's first message, else nothing."""
    given = ""
    derived = ""
    for event in events:
        if event.type == TITLE:
            given = given_title(event) or given
        elif not derived:
            derived = derived_title(event)
    return given or derived


def given_title(event: SessionEvent) -> str:
    """The title that an event gives; empty when it gives none."""
    if event.type != TITLE:
        return ""
    return _one_line(text(event.data.get("title")))


def derived_title(event: SessionEvent) -> str:
    """The first words of the user's own message; empty for every other event."""
    if event.type != USER_MESSAGE or source_kind(event.data) != SOURCE_USER:
        return ""
    words = _one_line(content_text(event.data.get("content")))
    if len(words) <= TITLE_LENGTH:
        return words
    room = TITLE_LENGTH - 1
    word_end = words.rfind(" ", 0, room + 1)
    # Scripts without spaces are cut where the room ends.
    return words[: word_end if word_end > room // 2 else room].rstrip() + "…"


def _one_line(words: str) -> str:
    """Folded to one line, without characters that a terminal would act upon."""
    return " ".join("".join(map(_inert, words[:4000])).split())


def _inert(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Zl", "Zp"):
        return " "
    return "" if category == "Cf" and character not in _KEPT_FORMAT_CHARACTERS else character
