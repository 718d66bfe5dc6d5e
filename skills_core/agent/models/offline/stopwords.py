"""Words that say little or nothing about a task, in several languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from skills_core.agent.models.offline.data import data_file


@dataclass(frozen=True, slots=True)
class StopWords:
    """``stop`` words are left out, ``weak`` ones count for little. ``phrases`` are cut out of text without spaces,
    in this order; ``particles`` are endings of Korean words."""

    stop: frozenset[str]
    weak: frozenset[str]
    phrases: tuple[str, ...]
    particles: tuple[str, ...]


@cache
def stop_words() -> StopWords:
    """The lists that come with the program, read when they are first needed."""
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in data_file("stopwords.txt").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]").replace(":", " ").split()[0], [])
        elif not line.startswith("#"):
            section.extend(line.split())
    return StopWords(
        frozenset(sections["stop"]), frozenset(sections["weak"]), tuple(sections["phrase"]), tuple(sections["particle"])
    )
