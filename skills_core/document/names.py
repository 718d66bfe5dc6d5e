"""The name under which a skill is offered: the written one, or one derived from its place."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from skills_core.document.model import EntryName
from skills_core.skill import NAME_MAX_LENGTH, is_skill_name

_OTHERS = re.compile(r"[^a-z0-9]+")
_SLUG_SOURCE_MAX = 512


@dataclass(frozen=True, slots=True)
class OfferedName:
    """A derived name; ``source`` says what it was made from."""

    name: str
    source: str


def slug(text: str) -> str:
    """``text`` as a skill name of at most 64 characters, accents and case dropped; empty when nothing is left."""
    plain = unicodedata.normalize("NFKD", text[:_SLUG_SOURCE_MAX]).lower()
    letters = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    return _OTHERS.sub("-", letters).strip("-")[:NAME_MAX_LENGTH].rstrip("-")


def place_name(entry: EntryName) -> str | None:
    """The name that the entry's place gives, if it fits the grammar. A flat ``SKILL.md`` has none."""
    if entry.kind == "flat" and entry.stem.casefold() == "skill":
        return None
    return entry.stem if is_skill_name(entry.stem) else None


def derive_name(written: str, entry: EntryName) -> OfferedName | None:
    """A name for an entry whose ``written`` name is missing (empty) or not by the rule; None when nothing gives one."""
    place = "folder" if entry.kind == "bundle" else "file"
    name = place_name(entry)
    if name is not None:
        return OfferedName(name, f"the {place}'s name")
    name = slug(written)
    if name:
        return OfferedName(name, "the written name")
    if entry.kind == "flat" and entry.stem.casefold() == "skill":
        return None
    name = slug(entry.stem)
    return OfferedName(name, f"the {place}'s name") if name else None
