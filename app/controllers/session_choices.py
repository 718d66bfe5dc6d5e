"""The stored sessions as a person tells them apart."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from app.controllers.text_layout import counted

if TYPE_CHECKING:
    from skills_core.session import SessionInfo


def session_words(info: SessionInfo, current: str | None, in_use: Collection[str] = ()) -> str:
    """Whether it is open here or elsewhere, its id, what it came from, when it was used last, and how long it is."""
    parts = [short_id(info.id), f"{info.updated[:16].replace('T', ' ')} UTC", counted(info.events, "event")]
    if info.id == current:
        parts.insert(0, "open here")
    elif info.id in in_use:
        parts.insert(0, "open elsewhere")
    if info.parent:
        parts.insert(-2, f"fork of {short_id(info.parent)}")
    return " · ".join(parts)


def short_id(id: str) -> str:
    """The end of an id, which tells sessions apart."""
    return id[-8:].lstrip("-")
