"""What the model's catalog says about each skill, and the digest that tells two catalogs apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from skills_core.access.policy import SkillAccess, model_may_use
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillFacts

DESCRIPTION_MAX_LENGTH = 500
DESCRIPTION_LEAST_LENGTH = 3
_ELLIPSIS = "..."


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One line of the catalog: facts, not escaped for any frame."""

    name: str
    description: str


def check_description_length(max_length: int) -> int:
    """Gives the limit back; raises ValueError when it leaves no room for the dots that mark a cut."""
    if max_length < DESCRIPTION_LEAST_LENGTH:
        raise ValueError(
            f"the longest catalog description must be greater than or equal to {DESCRIPTION_LEAST_LENGTH}"
            f" code points, not {max_length}"
        )
    return max_length


def catalog_description(description: str, max_length: int = DESCRIPTION_MAX_LENGTH) -> str:
    """The description on one line: runs of white space become single spaces, cut to ``max_length`` code points."""
    folded = " ".join(description.split())
    if len(folded) <= max_length:
        return folded
    return folded[: max_length - len(_ELLIPSIS)] + _ELLIPSIS


def catalog_entry(skill: SkillFacts, max_length: int = DESCRIPTION_MAX_LENGTH) -> CatalogEntry:
    """The entry of one skill, whether or not the model may load it."""
    return CatalogEntry(skill.name, catalog_description(skill.description, max_length))


def catalog_entries(
    snapshot: SkillSnapshot, access: SkillAccess, max_length: int = DESCRIPTION_MAX_LENGTH
) -> tuple[CatalogEntry, ...]:
    """The skills that the model may load, in the snapshot's name order."""
    check_description_length(max_length)
    return tuple(catalog_entry(skill, max_length) for skill in snapshot.skills if model_may_use(skill, access))


def catalog_digest(entries: Sequence[CatalogEntry]) -> str:
    """SHA-256 in hex over the entries alone: the prose around them never counts.

    A lone surrogate cannot be written as UTF-8; it is passed through so that no description makes this fail.
    """
    lines = "\n".join(
        json.dumps([entry.name, entry.description], ensure_ascii=False, separators=(",", ":")) for entry in entries
    )
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
