"""What the model's catalog says about each skill, and the digest that tells two catalogs apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills_core.access.policy import SkillAccess, model_may_use
from skills_core.registry.snapshot import SkillSnapshot

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


def catalog_entries(
    snapshot: SkillSnapshot, access: SkillAccess, max_length: int = DESCRIPTION_MAX_LENGTH
) -> tuple[CatalogEntry, ...]:
    """The skills that the model may load, in the snapshot's name order."""
    check_description_length(max_length)
    return tuple(
        CatalogEntry(skill.name, catalog_description(skill.description, max_length))
        for skill in snapshot.skills
        if model_may_use(skill, access)
    )


def shortened_names(entries: Iterable[CatalogEntry], snapshot: SkillSnapshot) -> tuple[str, ...]:
    """The entries whose description the catalog cut, so that a person can be told."""
    return tuple(
        entry.name
        for entry in entries
        if entry.description.endswith(_ELLIPSIS)
        and (skill := snapshot.by_name.get(entry.name)) is not None
        and len(entry.description) < len(" ".join(skill.description.split()))
    )


def catalog_digest(entries: Sequence[CatalogEntry]) -> str:
    """SHA-256 in hex over the entries alone: the prose around them never counts.

    A lone surrogate cannot be written as UTF-8; it is passed through so that no description makes this fail.
    """
    lines = "\n".join(
        json.dumps([entry.name, entry.description], ensure_ascii=False, separators=(",", ":")) for entry in entries
    )
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
